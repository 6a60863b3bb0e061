"""What a report says in its fixed blocks: a closed grammar, so that no sentence can pass for one.

A block is a line that begins with a known label and a colon; its value goes on until the next block
or an empty line. Upper and lower case do not matter, nor does the dress that Markdown puts around a
label. Lines that are quoted, indented as code, fenced or hidden are not read: that is where people
and agents repeat what others said.

A verdict is one word on a line of its own. Two that differ, one with a condition, one in disguise
(letters that only look alike), or the template echoed back (``PASS | FAIL``) are no verdict; and
none is neither PASS nor FAIL. Where in doubt nothing was said: another judge costs less than a
change that nobody judged. Pure.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from tidegate.core.errors import Misused
from tidegate.core.footprint import parse_all
from tidegate.core.records import record
from tidegate.core.text import MASKED
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
    r"[ ]{0,3}(?:[-*][ ]+|#{1,6}[ ]+)?(?P<dress>\*\*|__|`)?"
    r"(?P<label>[A-Za-z]+(?:[-_ ][A-Za-z]+)?)"
    r"(?:\*\*|__|`)?[ ]*:(?(dress)(?:\*\*|__|`)?)[ ]*(?P<value>.*)"
)
_FENCE = re.compile(r"[ ]{0,3}(?:(?:[-*+]|[0-9]{1,9}[.)])[ ]+)?(`{3,}(?=[^`]*$)|~{3,})")
_QUOTED = re.compile(r"[ ]{0,3}>")
_HIDDEN = re.compile(
    r"<(?P<mark>!--|(?:pre|blockquote|script|style|textarea|code)\b)", re.ASCII | re.IGNORECASE
)
_BULLET = re.compile(r"\A(?:[-*+]|[0-9]{1,3}[.)]) +")
_COMMA = re.compile(r"(?<!\\),")
_DRESS = "*_`. \t"
_NOTHING = frozenset({
    "", "none", "nothing", "n a", "na", "no", "nil", "null", "0", "all", "all checked", "tbd",
    "nothing left", "nothing else", "none at all", "nothing at all", "not applicable",
    "everything checked", "everything was checked", "all was checked", "nothing was left unchecked",
})  # fmt: skip
_ECHOES = (
    "what you did not look at, and why",
    "one pattern for each path or folder",
    "the test that will prove the change",
    "what the owner is to decide",
    "what you recommend",
)
"""How the templates' own words for a value begin: who gives them back has said nothing."""
_OPTION = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LOOK_ALIKE = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0405\u0408\u0500\u0391\u0392\u0395\u0399\u039a"
    "\u039f\u03a1\u03a4\u03a5\u03a7\u0430\u0435\u043e\u0440\u0441\u0445\u0456\u0455\u0458\u0501\u03bf\u03c1\u03b9",
    "ABEKMHOPCTXISJDABEIKOPTYXaeopcxisjdopi",
)
"""Letters of Cyrillic and Greek that nobody can tell from Latin ones."""
LINES_MAX = 20_000
BYTES_MAX = 131_071
"""Of a longer report nothing is read: its end, which may say something else, was cut off."""
PATTERNS_MAX = 100
VALUE_MAX = 2_000
"""Characters of a value that goes into an event."""
OPTIONS_MAX = 9


@record
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
    if blocks is None:
        return Report(fault=_TOO_LONG)
    token = _only(blocks, "VERDICT")
    if token not in ("pass", "fail"):
        return Report(fault=_no_verdict(blocks, "PASS or FAIL"))
    verdict = Verdict(token.upper())
    not_checked = " ".join(blocks.get("NOT-CHECKED", ()))
    if verdict is Verdict.PASS and _names_nothing(not_checked):
        return Report(fault="a PASS without a line NOT-CHECKED that names something")
    return Report(verdict=verdict, not_checked=not_checked)


def read_adjudication(text: str) -> Report:
    """An adjudicator's report: BUILD, REFUSE with its kind, or a question to the owner."""
    blocks = _blocks(text)
    if blocks is None:
        return Report(fault=_TOO_LONG)
    if "VERDICT" not in blocks and "QUESTION" in blocks:
        return _question(blocks)
    if "QUESTION" in blocks and "OPTIONS" in blocks:
        return Report(fault="a VERDICT and a QUESTION: it is either decided or asked")
    match _only(blocks, "VERDICT"):
        case "build":
            return _build(blocks)
        case "refuse":
            return _refuse(blocks)
        case _:
            return Report(fault=_no_verdict(blocks, "BUILD or REFUSE"))


def _build(blocks: Mapping[str, Sequence[str]]) -> Report:
    lines = (_BULLET.sub("", line) for line in blocks.get("FOOTPRINT", ()))
    listed = " ".join(lines).replace("`", " ")
    fixture = " ".join(blocks.get("FIXTURE", ())).strip()
    if _is_echo(listed) or _is_echo(fixture):
        return Report(fault="the template's own words for FOOTPRINT or FIXTURE")
    if len(fixture) > VALUE_MAX:
        return Report(fault=f"a FIXTURE of more than {VALUE_MAX} characters")
    if MASKED in listed:
        return Report(fault="a FOOTPRINT with something that looks like a secret")
    if len(listed) > VALUE_MAX:
        return Report(fault=f"a FOOTPRINT of more than {VALUE_MAX} characters")
    patterns = tuple(_COMMA.sub(" ", listed).split())
    if len(patterns) > PATTERNS_MAX:
        return Report(fault=f"a FOOTPRINT of more than {PATTERNS_MAX} patterns")
    try:
        parsed = parse_all(patterns, allow_all=False) if patterns else ()
    except Misused as error:
        return Report(fault=f"FOOTPRINT: {error.message}")
    return Report(footprint=tuple(pattern.text for pattern in parsed), fixture=fixture)


def _refuse(blocks: Mapping[str, Sequence[str]]) -> Report:
    token = _only(blocks, "KIND").replace("-", "_").replace(" ", "_")
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
    is_list = 1 < len(options) <= OPTIONS_MAX and len(set(options)) == len(options)
    if _is_echo(question) or any(map(_is_echo, said)):
        return Report(fault="the template's own words for QUESTION or OPTIONS")
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
    words = {each.strip(_DRESS).lower() for each in blocks.get(label, ())}
    word = words.pop() if len(words) == 1 else ""
    return word if word.isascii() else ""


def _names_nothing(value: str) -> bool:
    """It says that nothing is left, or gives the template's words back; or holds no word at all."""
    words = " ".join(re.findall(r"\w+", value)).casefold()
    return words in _NOTHING or _is_echo(value)


def _is_echo(value: str) -> bool:
    plain = value.strip(_DRESS + "<>[]({").casefold()
    return plain.startswith(_ECHOES)


_TOO_LONG = f"it is longer than {LINES_MAX} lines or {BYTES_MAX} bytes"


def _blocks(text: str) -> dict[str, list[str]] | None:
    """The lines of each block, in order. A verdict is one line; other blocks go on."""
    lines = text.split("\n")  # and at nothing else: what is shown as one line is one
    if len(lines) > LINES_MAX or len(text.encode(errors="replace")) > BYTES_MAX:
        return None
    found: dict[str, list[str]] = {}
    current: str | None = None
    for line in _readable(lines):
        label, value = _labelled(line)
        if label is not None:
            found.setdefault(label, []).append(value)
            current = None if label in ("VERDICT", "KIND") else label
        elif not line.strip():
            current = None
        elif current is not None:
            found[current].append(line.strip())
    return found


def _labelled(line: str) -> tuple[str | None, str]:
    """The block that a line begins, and its value; a label in disguise has one that is no word."""
    label, value = _label_of(line)
    if label is not None or line.isascii():
        return label, value
    shown = "".join(x for x in line if unicodedata.category(x) not in ("Cf", "Mn"))
    label, value = _label_of(unicodedata.normalize("NFKC", shown).translate(_LOOK_ALIKE))
    return label, f"\ufffd{value}"


def _label_of(line: str) -> tuple[str | None, str]:
    match = _LABEL.fullmatch(line)
    if match is None:
        return None, ""
    return LABELS.get(re.sub(r"[_ ]", "-", match["label"]).upper()), match["value"].strip()


def _readable(lines: Sequence[str]) -> Iterator[str]:
    """The lines that are the author's own: not fenced, quoted or hidden.

    One that is indented as code begins no block: a label stands behind three spaces at most.
    """
    fence, closing, is_quoted = "", "", False
    for line in (each.removesuffix("\r") for each in lines):
        mark, hidden = _FENCE.match(line), _HIDDEN.search(line)
        if fence:
            is_end = mark is not None and mark[1].startswith(fence)
            fence = "" if is_end and not line.strip().strip(fence[0]) else fence
        elif closing:
            closing = "" if closing in line.lower() else closing
        elif mark is not None:
            fence = mark[1]
        elif hidden is not None:
            end = "-->" if hidden["mark"] == "!--" else f"</{hidden['mark'].lower()}"
            closing = "" if end in line[hidden.end() :].lower() else end
        else:
            # a line right below a quoted one belongs to the quotation, as Markdown shows it
            is_quoted = bool(_QUOTED.match(line)) or (is_quoted and bool(line.strip()))
            if not is_quoted:
                yield line
