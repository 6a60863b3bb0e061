"""Secrets are recognised and masked; code and prose stay as they are; no text takes long."""

import json
import time
from dataclasses import fields

import pytest

from tidegate.core.events import KINDS, Failed, JobFailed, Reserved
from tidegate.core.footprint import matches, parse_all
from tidegate.ledger.masking import FREE_TEXTS, mask, mask_event

TOKEN = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
KEY_BODY = "MIIEowIBAAKCAQEAx0x\nB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1d\n"

SECRETS = {
    "anthropic-key": f"sk-ant-api03-{TOKEN}-{TOKEN}AA",
    "api-key": f"sk-proj-{TOKEN}",
    "github-token": f"ghp_{TOKEN}",
    "gitlab-token": f"glpat-{TOKEN[:20]}",
    "slack-token": "xoxb-1234567890-abcdefghij",
    "npm-token": f"npm_{TOKEN}",
    "pypi-token": f"pypi-AgEIcHlwaS5vcmc{TOKEN}",
    "huggingface-token": f"hf_{TOKEN}",
    "aws-key": "AKIAIOSFODNN7EXAMPLE",
    "google-key": f"AIza{TOKEN[:35]}",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{TOKEN}",
    "private-key": f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}-----END RSA PRIVATE KEY-----",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_masked_where_it_stands(kind: str) -> None:
    """A secret is replaced by its kind in prose, in quotes, in JSON, at either end of a text."""
    secret, mark = SECRETS[kind], f"[masked:{kind}]"
    for before, after in (
        ("", ""),
        ("see ", ", it"),
        ('"', '"'),
        ("\n", "\n"),
        ("(", ")."),
        ("=", ""),
    ):
        assert mask(before + secret + after) == before + mark + after
    assert secret not in mask(json.dumps({"said": f"it is {secret}"}))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"github_pat_11ABCDEFG0_{TOKEN}", "[masked:github-token]"),
        (f"Authorization: Bearer {TOKEN}==", "Authorization: Bearer [masked:bearer]"),
        ("DB_PASSWORD=xK9$mQ2!vR7pL4", "DB_PASSWORD=[masked:assignment]"),
        (f'"api_key": "{TOKEN}",', '"api_key": "[masked:assignment]",'),
        (f"aws_secret_access_key = {TOKEN}", "aws_secret_access_key = [masked:assignment]"),
        (f"client-secret: '{TOKEN}'", "client-secret: '[masked:assignment]'"),
        ("https://me:s3cr3t@example.org/x.git", "https://me:[masked:url-password]@example.org/x.git"),
        ("https://me:s3cr3t@a/ https://b:t0k3n@c/", "https://me:[masked:url-password]@a/ https://b:[masked:url-password]@c/"),
    ],
)  # fmt: skip
def test_what_stands_around_a_secret_stays(text: str, masked: str) -> None:
    """The words that lead to a secret are kept, so that a reader knows what was there."""
    assert mask(text) == masked


def test_a_key_that_was_cut_off_is_masked_to_its_end() -> None:
    """A private key whose end is missing is masked as far as it goes."""
    assert mask(f"x -----BEGIN PRIVATE KEY-----\n{KEY_BODY}") == "x [masked:private-key]"


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "password: str = field(repr=False)",
        "token = os.environ['GITHUB_TOKEN']",
        "secret: /run/secrets/database-2024/password",
        "https://${USER}:${TOKEN}@example.org/ and http://localhost:8080/",
        "task-0123456789012345678901234567890123456789",
        "risk-based-assessment-of-2024-and-later-things",
        "commit 4f9d0c2b7e6a5d4c3b2a19080706050403020100",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "the bearer of this letter is authenticated by someone",
        "tokens: 123456789012 of 200000000000",
        "api_key = <your-key-here-please>",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "def test_password_reset_2(): assert reset('password') == 1",
        "sk-",
        "",
    ],
)
def test_code_and_prose_stay(text: str) -> None:
    """What only looks like a secret to a careless reader is left alone."""
    assert mask(text) == text


def test_masking_twice_is_masking_once() -> None:
    """A mask is no secret: what was masked stays as it is."""
    text = "\n".join(f"password={TOKEN} {secret}" for secret in SECRETS.values())
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize(
    "piece",
    [
        "eyJ", "eyJaaaaaaaa.", "sk-", " sk-ant-", "password", "password=", "password" + " " * 100,
        "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-", "://", "://a:", "bearer ", "AKIA",
        "xoxb-",
        "token=abc123def456ghi789 http://user:pw@host/ ", "a",
    ],
)  # fmt: skip
def test_a_long_line_takes_no_time(piece: str) -> None:
    """The cost grows with the length and no faster, whatever somebody prints."""
    hints = " private key----- secret sk-ant- eyj bearer ://"
    small = piece * (20_000 // len(piece)) + hints
    large = piece * (400_000 // len(piece)) + hints
    mask(small)
    taken_small, taken_large = _seconds(small), _seconds(large)
    assert taken_large < max(2.0, 200 * taken_small)


def _seconds(text: str) -> float:
    start = time.process_time()
    mask(text)
    return time.process_time() - start


def test_free_texts_of_events_are_masked() -> None:
    """The words in an event are masked, its ids are not, and an event without any is the same."""
    event = JobFailed(attempt="sk-attempt-000000000001", job="merge", reason=TOKEN, detail="")
    assert mask_event(event) is event
    failed = Failed(attempt="a", reason=f"ghp_{TOKEN}", detail=f"ghp_{TOKEN}")
    masked = mask_event(failed)
    assert masked == Failed(
        attempt="a", reason="[masked:github-token]", detail="[masked:github-token]"
    )


def test_the_words_of_agents_are_masked_one_by_one() -> None:
    """Paths and options are words too: an agent prints what it finds."""
    reserved = Reserved(footprint=("src/", f"lib/ghp_{TOKEN}/**"))
    masked = mask_event(reserved)
    assert masked == Reserved(footprint=("src/", "lib/[masked:github-token]/**"))
    assert not matches(parse_all(("lib/[masked:github-token]/**",), allow_all=False), "lib/a/b")


def test_every_text_of_an_event_is_known() -> None:
    """A new field that holds words is found here, and has to be named as free text or as an id."""
    ids = {
        "actual", "agent", "attempt", "base", "base_tree", "boot_id", "by",
        "checkpoint_deadline_utc", "commit", "config_digest", "deadline_utc", "delivered_from",
        "digest", "environment_digest", "failure_digest", "file_digest", "finding_digest",
        "gate_digest", "holder",
        "how", "issue", "issue_digest", "job", "log_digest", "new", "old", "outcome", "path",
        "playbook", "receipt", "ref", "report_digest", "start", "supersedes", "target",
        "text_digest", "target_tree", "tip", "tree", "utc", "version", "workspace", "paths",
        "answer", "detail_digest", "question", "words_digest",
        "remote", "kind", "authority", "changed", "checkpoint", "key", "lane", "next",
        "not_working", "owner", "progress", "recovery", "state", "what", "working", "killed_by",
    }  # fmt: skip
    texts = {
        each.name
        for kind in KINDS.values()
        for each in fields(kind)
        if each.type in (str, str | None, tuple[str, ...])
    }
    assert texts - ids == FREE_TEXTS
