"""Secrets are masked before a text is stored, for what is in a chain cannot be cleaned later.

Agents print what they find, keys included. A secret is recognised by the shape that its issuer
gives it, or by standing behind a word like `password`. What replaces it says what it was, and is
the same every time. Each pattern is linear in the length of the text: it starts only where a token
starts, and what it has taken it does not give back.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from tidegate.core.events import KINDS, Event
from tidegate.core.records import record
from tidegate.core.text import MASKED

_ENTROPY_MIN_BITS = 3.0
"""A character of random base 64 has 6 bits; words and paths of this length seldom reach 3."""

_LENGTH_MIN = 8
"""The shortest text that a pattern can match: a password of three characters in a URL."""

_SHORT = 256
"""Up to here one search for all hints is faster than one for each; beyond it is far slower."""

_START = r"(?<![A-Za-z0-9_-])"


def _replaced(kind: str) -> Callable[[re.Match[str]], str]:
    """Keep group 1 where there is one; what was secret becomes the mask."""
    mask = f"{MASKED}{kind}]"
    return lambda match: (match.group(1) or "") + mask if match.re.groups else mask


def _replaced_if_random(match: re.Match[str]) -> str:
    if _is_random(match.group(2)):
        return f"{match.group(1)}[masked:assignment]"
    return match.group(0)


def _is_random(value: str) -> bool:
    """A value that nobody would type: letters and digits in no order; no path, no variable."""
    if value.startswith(("/", "./", "~", "$", "http", "%")):
        return False
    if not (any(map(str.isdigit, value)) and any(map(str.isalpha, value))):
        return False
    length = len(value)
    shares = [count / length for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares) >= _ENTROPY_MIN_BITS


@record(kw_only=False)
class _Secret:
    """A pattern, and words of which one must occur (in lower case) before it is tried at all."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: Callable[[re.Match[str]], str]


def _secret(kind: str, hints: tuple[str, ...], pattern: str) -> _Secret:
    return _Secret(hints, re.compile(pattern), _replaced(kind))


_SECRETS: tuple[_Secret, ...] = (
    _secret(
        "private-key",
        ("private key-----",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*+"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?",
    ),
    _secret("anthropic-key", ("sk-ant-",), rf"{_START}sk-ant-[A-Za-z0-9_-]{{16,}}+"),
    _secret("api-key", ("sk-",), rf"{_START}sk-(?=[A-Za-z_-]*+[0-9])[A-Za-z0-9_-]{{20,}}+"),
    _secret(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        rf"{_START}(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{{20,}}+",
    ),
    _secret("gitlab-token", ("glpat-",), rf"{_START}glpat-[A-Za-z0-9_-]{{20,}}+"),
    _secret("slack-token", ("xox",), rf"{_START}xox[abeprs]-[A-Za-z0-9-]{{10,}}+"),
    _secret("npm-token", ("npm_",), rf"{_START}npm_[A-Za-z0-9]{{36,}}+"),
    _secret("pypi-token", ("pypi-ag",), rf"{_START}pypi-Ag[A-Za-z0-9_-]{{32,}}+"),
    _secret("huggingface-token", ("hf_",), rf"{_START}hf_[A-Za-z0-9]{{30,}}+"),
    _secret("aws-key", ("akia", "asia"), rf"{_START}(?:AKIA|ASIA)[A-Z0-9]{{16}}(?![A-Za-z0-9])"),
    _secret("google-key", ("aiza",), rf"{_START}AIza[A-Za-z0-9_-]{{35}}(?![A-Za-z0-9_-])"),
    _secret(
        "jwt",
        ("eyj",),
        rf"{_START}eyJ[A-Za-z0-9_-]{{8,}}+\.eyJ[A-Za-z0-9_-]{{8,}}+\.[A-Za-z0-9_-]{{8,}}+",
    ),
    _secret(
        "bearer",
        ("bearer",),
        r"((?i:\bbearer)[ \t]{1,8})(?=[A-Za-z._~+/-]*+[0-9])[A-Za-z0-9._~+/-]{16,}+=*+",
    ),
    _secret("url-password", ("://",), r"(://[^\s/:@\"']{0,64}:)(?![$<{*\[])[^\s/@\"']{3,256}(?=@)"),
    _Secret(
        ("passw", "pwd", "secret", "token", "key", "credential"),
        re.compile(
            r"((?i:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|credential)"
            r"[A-Za-z0-9_-]{0,32}[\"']?[ \t]{0,8}(?::=|=>|[=:])[ \t]{0,8}[\"']?)"
            r"([^\s\"'`,;&<>(){}\[\]]{12,}+)"
        ),
        _replaced_if_random,
    ),
)


_ANY_HINT = re.compile("|".join({re.escape(h) for s in _SECRETS for h in s.hints}), re.IGNORECASE)


def mask(text: str) -> str:
    """The text without its secrets. Masking twice is masking once."""
    length = len(text)
    if length < _LENGTH_MIN or (length < _SHORT and not _ANY_HINT.search(text)):
        return text
    folded = text.lower()
    for secret in _SECRETS:
        if any(hint in folded for hint in secret.hints):
            text = secret.pattern.sub(secret.replacement, text)
    return text


FREE_TEXTS = frozenset({
    "title", "reason", "detail", "fixture", "attacks", "surface", "footprint", "options",
    "evidence",
})  # fmt: skip
"""The fields of events that hold what somebody wrote; all others are ids, digests and numbers.

A pattern that was masked covers no path that a repository is likely to have, so it gives no leave.
"""

_FREE_TEXTS_OF: Mapping[type, tuple[str, ...]] = {
    kind: tuple(each.name for each in fields(kind) if each.name in FREE_TEXTS)
    for kind in KINDS.values()
}


def _masked(value: Any) -> Any:
    return tuple(map(mask, value)) if isinstance(value, tuple) else mask(value)


def mask_event(event: Event) -> Event:
    """The event with its free texts masked; the same object where there was nothing to mask."""
    changed: dict[str, Any] = {}
    for name in _FREE_TEXTS_OF[type(event)]:
        text = getattr(event, name)
        masked = _masked(text)
        if masked != text:
            changed[name] = masked
    return replace(event, **changed) if changed else event
