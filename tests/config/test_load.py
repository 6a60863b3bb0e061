"""Files lie over each other key by key, and what came of it is frozen exactly."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest

from tests.config.repository import LOCAL, MAIN, ROLE, loaded
from tidegate.config import policy_keys
from tidegate.config.keys import KEYS, ROLES, SECTIONS, wanted
from tidegate.config.load import Configuration, freeze, thaw
from tidegate.config.sections import Settings
from tidegate.core.policy import Policy
from tidegate.ports.agents import RoleSettings

PLAIN = "[check]\ncommand = 'make test'\n"


def test_what_no_file_sets_has_the_policy_of_the_core(tmp_path: Path) -> None:
    """Defaults are stated once: an almost empty file gives the core's own policy."""
    found = loaded(tmp_path, main="# nothing\n").configuration
    assert found.policy == Policy()
    assert found.settings == Settings()
    assert found.settings.run.width == found.policy.limits.width
    assert found.settings.check.timeout_s == found.policy.deadlines.check_s


def test_the_local_file_lies_over_the_other(tmp_path: Path) -> None:
    """A key replaces the same key, a list as a whole; neighbours stay."""
    found = loaded(
        tmp_path,
        main="[run]\nwidth = 3\ntarget = 'main'\n[env]\nallow = ['A', 'B']\n",
        local="[run]\nwidth = 4\n[env]\nallow = ['C']\n",
    )
    settings = found.configuration.settings
    assert (settings.run.width, settings.run.target) == (4, "main")
    assert settings.env.allow == ("C",)
    assert found.origins == {"run.width": LOCAL, "run.target": MAIN, "env.allow": LOCAL}


def test_a_role_file_lies_over_both(tmp_path: Path) -> None:
    """Front matter wins, and the policy has the very number that the role has."""
    found = loaded(
        tmp_path,
        main="[roles.build]\ntimeout_s = 1\nagent = 'a'\ncommand = 'x'\n",
        local="[roles.build]\ntimeout_s = 2\ncommand = 'y'\n",
        role="---\ntimeout_s: 3\n---\n\nDo {title}.\n",
    )
    role = found.configuration.roles["build"]
    assert role == RoleSettings(agent="a", command="y", prompt="Do {title}.\n", timeout_s=3.0)
    assert found.configuration.policy.deadlines.build_s == 3.0
    assert found.origins == {
        "roles.build.timeout_s": ROLE,
        "roles.build.agent": MAIN,
        "roles.build.command": LOCAL,
    }


def test_the_digest_is_of_what_was_said_and_not_of_how(tmp_path: Path) -> None:
    """Order, comments, and which file says it make no difference; a value does."""
    one, two = tmp_path / "one", tmp_path / "two"
    first = loaded(one, main=f"{PLAIN}[run]\nwidth = 3\n")
    same = loaded(two, main=f"# hello\n[run]\nwidth = 9\n{PLAIN}", local="run.width = 3\n")
    assert (first.configuration, first.digest) == (same.configuration, same.digest)
    assert loaded(two, local="run.width = 4\n").digest != first.digest


@pytest.mark.parametrize(
    "change",
    [
        {"role": "---\ncommand: other\n---\nDo.\n"},
        {"role": "Do it otherwise.\n"},
        {"local": "limits.fails_max = 2\n"},
        {"local": "env.allow = ['PATH']\n"},
    ],
)
def test_every_part_is_in_the_digest(tmp_path: Path, change: dict[str, str]) -> None:
    """C062, C120: configuration, roles and policy are frozen together, in the run itself."""
    before = loaded(tmp_path, main=PLAIN).digest
    assert loaded(tmp_path, **change).digest != before


def test_what_is_frozen_is_thawed_exactly(tmp_path: Path) -> None:
    """A run that is taken up again works with the very configuration it began with."""
    role = "---\ncommand: |\n  a\n  b\n---\n{title} {{literal}} ü\n"
    found = loaded(tmp_path, main=f"{PLAIN}[deadlines]\nheartbeat_s = 0.25\n", role=role)
    frozen = freeze(found.configuration)
    assert thaw(frozen) == found.configuration
    assert freeze(thaw(frozen)) == frozen
    says = json.loads(frozen)
    compact = json.dumps(says, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert compact.encode() == frozen
    assert hashlib.sha256(frozen).hexdigest() == found.digest


def test_a_newer_frozen_configuration_is_read(tmp_path: Path) -> None:
    """Programs keep what they do not know; only people are held to the closed list."""
    found = loaded(tmp_path, main=PLAIN).configuration
    newer = freeze(found).replace(b'"settings":{', b'"settings":{"later":1,')
    assert thaw(newer) == found


def test_configuration_cannot_be_changed(tmp_path: Path) -> None:
    """What a run is held to is a value."""
    found: Configuration = loaded(tmp_path, main=PLAIN).configuration
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.settings.run.width = 5  # type: ignore[misc]  # a frozen record, set on purpose


def test_every_field_of_the_policy_has_one_key() -> None:
    """A limit or deadline that is added to the core must get a key, and never two."""
    for section, types in (("limits", policy_keys.LIMITS), ("deadlines", policy_keys.DEADLINES)):
        fields = {each.name for each in dataclasses.fields(getattr(Policy(), section))}
        placed = {p.partition(".")[2] for p in policy_keys.PLACED if p.startswith(section)}
        assert set(types) | placed == fields
        assert not set(types) & placed
    assert set(policy_keys.PLACED.values()) <= set(KEYS)


def test_a_placed_key_has_the_policys_default() -> None:
    """The key in the other section starts from the same number."""
    for target, path in policy_keys.PLACED.items():
        section, _, name = target.partition(".")
        assert KEYS[path].default == getattr(getattr(Policy(), section), name)


@pytest.mark.parametrize("path", KEYS)
def test_every_key_is_explained_and_accepts_its_default(path: str) -> None:
    """A key has a meaning that ends as a sentence, bounds in words, and a default within them."""
    key = KEYS[path]
    assert key.meaning.endswith(".")
    assert wanted(key.type)
    assert key.judge(key.default) == key.default
    if key.example is not None:
        assert key.judge(key.example) == key.example


def test_the_sections_are_those_of_the_design() -> None:
    """The list is closed: a further section is a change of the reference."""
    before, after = (
        "run land workspace check",
        "roles.queue ruling env disk tracker limits deadlines",
    )
    roles = [f"roles.{name}" for name in ROLES]
    assert [*before.split(), *roles, *after.split()] == list(SECTIONS)
    assert ROLES == ("adjudicate", "build", "verify")
