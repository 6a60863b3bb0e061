"""What a report says in its fixed blocks: a closed grammar, so that no sentence can pass for one.

A block is a line that begins with a known label and a colon; its value goes on until the next block
or an empty line. Upper and lower case do not matter, nor does the dress that Markdown puts around a
label. Lines that are quoted, indented as code or fenced are not read: that is where people and
agents repeat what others said.

A verdict is one word on a line of its own. Two that differ, one with a condition, or the template
echoed back (``PASS | FAIL``) are no verdict; and none is neither PASS nor FAIL. Pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidegate.core.errors import Misused
from tidegate.core.footprint import parse_all
from tidegate.core.values import DEFER, Refusal, Verdict

LABELS: Mapping[str, str] = {
    "VERDICT": "VERDICT",
    "NOT-CHECKED": "NOT-CHECKED",
    "UNCHECKED": "NOT-CHECKED",
    "KIND": "KIND",
    "REASON": "REASON",
    "FOOTPRINT": "FOOTPRINT",
    "FIXTURE": "FIXTURE",
    "QUESTION": "QUESTION",
    "OPTIONS": "OPTIONS",
}
"""Each label as it is written, and the block that it is. `UNCHECKED` is seed 000's own word."""

_LABEL = re.compile(
    r"[ ]{0,3}(?:[-*+][ ]+|#{1,6}[ ]+)?(?:\*\*|__|`)?"
    r"(?P<label>[A-Za-z]+(?:[-_ ][A-Za-z]+)?)"
    r"(?:\*\*|__|`)?[ ]*:[ ]*(?:\*\*|__|`)?(?P<value>.*)"
)
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_QUOTED = re.compile(r"[ ]{0,3}>|[ ]{4}|\t")
_DRESS = "*_`. \t"
_NOTHING = frozenset({"", "none", "nothing", "n/a", "na", "-", "no", "all checked", "nothing left"})
_OPTION = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
LINES_MAX = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was said. With `fault`, which says why, nothing was."""

    verdict: Verdict | None = None
    kind: Refusal | None = None
    reason: str = ""
    footprint: tuple[str, ...] = ()
    fixture: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    not_checked: str = ""
    fault: str = ""


def read_verification(text: str) -> Report:
    """A verifier's report. A PASS that names nothing unchecked claims too much, and is none."""
    blocks = _blocks(text)
    token = _only(blocks, "VERDICT")
    if token.casefold() not in ("pass", "fail"):
        return Report(fault=_no_verdict(blocks, "PASS or FAIL"))
    verdict = Verdict(token.upper())
    not_checked = " ".join(blocks.get("NOT-CHECKED", ()))
    if verdict is Verdict.PASS and not_checked.strip(_DRESS).casefold() in _NOTHING:
        return Report(fault="a PASS without a line NOT-CHECKED that names something")
    return Report(verdict=verdict, not_checked=not_checked)


def read_adjudication(text: str) -> Report:
    """An adjudicator's report: BUILD, REFUSE with its kind, or a question to the owner."""
    blocks = _blocks(text)
    if "VERDICT" not in blocks and "QUESTION" in blocks:
        return _question(blocks)
    match _only(blocks, "VERDICT").casefold():
        case "build":
            return _build(blocks)
        case "refuse":
            return _refuse(blocks)
        case _:
            return Report(fault=_no_verdict(blocks, "BUILD or REFUSE"))


def _build(blocks: Mapping[str, Sequence[str]]) -> Report:
    listed = " ".join(blocks.get("FOOTPRINT", ())).replace("`", " ")
    patterns = tuple(re.sub(r",(?=\s|$)", " ", listed).split())
    try:
        parsed = parse_all(patterns, allow_all=False) if patterns else ()
    except Misused as error:
        return Report(fault=f"FOOTPRINT: {error.message}")
    fixture = " ".join(blocks.get("FIXTURE", ())).strip()
    return Report(footprint=tuple(pattern.text for pattern in parsed), fixture=fixture)


def _refuse(blocks: Mapping[str, Sequence[str]]) -> Report:
    token = _only(blocks, "KIND").casefold().replace("-", "_").replace(" ", "_")
    reason = " ".join(blocks.get("REASON", ())).strip()
    if token not in set(Refusal):
        kinds = ", ".join(Refusal)
        return Report(fault=f"a refusal without its KIND, which is one of {kinds}")
    return Report(kind=Refusal(token), reason=reason)


def _question(blocks: Mapping[str, Sequence[str]]) -> Report:
    question = " ".join(blocks["QUESTION"]).strip()
    said = [each.strip(_DRESS) for each in " ".join(blocks.get("OPTIONS", ())).split("|")]
    options = tuple(re.sub(r"\s+", "-", each.casefold()) for each in said)
    options = tuple(each for each in options if each != DEFER)
    is_list = len(options) > 1 and len(set(options)) == len(options)
    if not question or not is_list or not all(map(_OPTION.fullmatch, options)):
        return Report(fault="a QUESTION without at least two short OPTIONS, separated by |")
    return Report(question=question, options=options)


def _no_verdict(blocks: Mapping[str, Sequence[str]], wanted: str) -> str:
    said = blocks.get("VERDICT", ())
    if not said:
        return f"no line VERDICT: {wanted}"
    shown = " and ".join(sorted({each[:40] for each in said}))
    return f"no plain VERDICT: it says {shown!r}, and only {wanted} counts"


def _only(blocks: Mapping[str, Sequence[str]], label: str) -> str:
    """The word that every line of this label says; empty where there is none, or they differ."""
    words = {each.strip(_DRESS).casefold() for each in blocks.get(label, ())}
    return words.pop() if len(words) == 1 else ""


def _blocks(text: str) -> dict[str, list[str]]:
    """The lines of each block, in order. A verdict is one line; other blocks go on."""
    found: dict[str, list[str]] = {}
    current: str | None = None
    for line in _readable(text):
        match = _LABEL.fullmatch(line)
        label = LABELS.get(re.sub(r"[_ ]", "-", match["label"]).upper()) if match else None
        if match is not None and label is not None:
            found.setdefault(label, []).append(match["value"].strip())
            current = None if label in ("VERDICT", "KIND") else label
        elif not line.strip():
            current = None
        elif current is not None:
            found[current].append(line.strip())
    return found


def _readable(text: str) -> Iterator[str]:
    """The lines that are the author's own: not fenced, quoted, or indented as code."""
    fence = ""
    for line in text.splitlines()[:LINES_MAX]:
        mark = _FENCE.match(line)
        if fence:
            is_end = mark is not None and mark[1].startswith(fence)
            fence = "" if is_end and not line.strip().strip(fence[0]) else fence
        elif mark is not None:
            fence = mark[1]
        elif not _QUOTED.match(line):
            yield line
