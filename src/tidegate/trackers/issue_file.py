"""One issue as a Markdown file: from its text to an issue, and from an issue's parts to a text.

An issue is what other people write, and is taken as such: its title must be harmless to show, its
keys are a closed list, and its text is carried along unread. No marker, fence or verdict in it
means anything here or later.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tidegate.config.frontmatter import Entry, Page, Scalar, read_page
from tidegate.config.problem import Misconfigured, Problem, closest
from tidegate.core.digest import sha256_hex
from tidegate.core.errors import Misused
from tidegate.core.footprint import parse_all
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.core.text import first_unsafe, named, printable

KEYS: Mapping[str, str] = {
    "title": "What is wanted, in one line. It is the one key that every issue needs.",
    "footprint": "A list of patterns: the paths that the change is expected to touch.",
    "priority": "A whole number; the higher goes first. Without it 0.",
    "needs": "A list of the ids of issues that must have landed before.",
    "labels": "A list of words of your own.",
}

TITLE_MAX = 200
PRIORITY_MAX = 1_000_000
_PATTERNS_MAX = 8_192
_NUMBER_MAX = 255
"""No name of a file, and so no issue's number, has more digits."""
_OUTCOMES = frozenset({"status", "state", "outcome", "result", "verdict", "done", "closed"})
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,./()_+-]*")
_WHOLE = re.compile(r"[-+]?[0-9]{1,7}")


@dataclass(slots=True)
class _Draft:
    """What the keys say so far, and what is wrong with them."""

    file: str
    title: str = ""
    footprint: tuple[str, ...] = ()
    priority: int = 0
    needs: tuple[Scalar, ...] = ()
    labels: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, line: int, what: str, fix: str, guess: str | None = None) -> None:
        """Note a problem and go on, so that one look tells all of a file."""
        self.problems.append(
            Problem(file=self.file, line=line, what=what, fix=fix, did_you_mean=guess)
        )


@record
class Written:
    """An issue as its file has it, with the places of the ids that it needs."""

    issue: Issue
    needs: tuple[Scalar, ...]


def read_issue(text: str, *, number: str, file: str) -> Written:
    """The issue that a file's text holds. Raises Misconfigured with all its problems."""
    page = read_page(text, file=file)
    draft = _Draft(file=file)
    if page.entries is None:
        draft.refuse(1, "there is no front matter", "begin with `---`, `title: …`, `---`")
    else:
        _take_entries(draft, page.entries)
    nul = page.body.find("\0")
    if nul >= 0:
        line = page.body_line + page.body.count("\n", 0, nul)
        draft.refuse(line, "there is a NUL byte", "an issue is text; take it out")
    if draft.problems:
        raise Misconfigured(draft.problems)
    return _written(draft, page, number)


def _take_entries(draft: _Draft, entries: Mapping[str, Entry]) -> None:
    for entry in entries.values():
        take = _TAKES.get(entry.name)
        if take is None:
            _refuse_key(draft, entry)
        else:
            take(draft, entry)
    if "title" not in entries:
        draft.refuse(1, "there is no `title`", "add a line `title: what is wanted`")


def _refuse_key(draft: _Draft, entry: Entry) -> None:
    what = f"an issue has no key `{entry.name}`"
    if entry.name.lower() in _OUTCOMES:
        fix = "what became of an issue is in the ledger and never in its file; take the line out"
        draft.refuse(entry.line, what, fix)
        return
    guess = closest(entry.name, KEYS)
    draft.refuse(entry.line, what, f"it has {', '.join(KEYS)}", guess)


def title_complaint(title: str) -> str | None:
    """Why a text will not do as a title, or None."""
    unsafe = first_unsafe(title)
    if unsafe is not None:
        return f"it holds the character {named(title[unsafe])}: take it out"
    if not title.strip():
        return "it is empty: say in one line what is wanted"
    if len(title) > TITLE_MAX:
        return f"it has {len(title)} characters: keep it to {TITLE_MAX}, and put the rest below"
    return None


def _take_title(draft: _Draft, entry: Entry) -> None:
    title = entry.value.text.strip() if isinstance(entry.value, Scalar) else ""
    if not isinstance(entry.value, Scalar):
        complaint: str | None = "it must be one line of text: put it between quotes"
    elif entry.value.commented:
        complaint = 'YAML drops what follows ` #`: put the title between "quotes"'
    else:
        complaint = title_complaint(title)
    draft.title = title
    if complaint is not None:
        _refuse_value(draft, entry, complaint)


def _refuse_value(draft: _Draft, entry: Entry, complaint: str, line: int = 0) -> None:
    what, _, fix = complaint.partition(": ")
    draft.refuse(line or entry.line, f"`{entry.name}`: {what}", fix)


def _take_priority(draft: _Draft, entry: Entry) -> None:
    text = entry.value.text if isinstance(entry.value, Scalar) else ""
    if _WHOLE.fullmatch(text) and abs(int(text)) <= PRIORITY_MAX:
        draft.priority = int(text)
    else:
        what = f"`{printable(text)[:40]}` is no priority"
        _refuse_value(draft, entry, f"{what}: write a whole number, the higher first")


def _take_footprint(draft: _Draft, entry: Entry) -> None:
    items = _items(draft, entry)
    if items == ():
        complaint = "the list is empty: name the paths, or leave the key out"
        _refuse_value(draft, entry, complaint)
    for item in items or ():
        try:
            draft.footprint = (*draft.footprint, normal_pattern(item.text))
        except Misused as error:
            what = f"`{entry.name}`: {error.message}"
            draft.refuse(item.line, what, error.hint or "take it out", error.did_you_mean)


@lru_cache(maxsize=_PATTERNS_MAX)
def normal_pattern(text: str) -> str:
    """A pattern in its normal form. A long run reads the same ones again and again."""
    (pattern,) = parse_all((text,), allow_all=False)
    return pattern.text


def _take_needs(draft: _Draft, entry: Entry) -> None:
    for item in _items(draft, entry) or ():
        is_number = item.text.isascii() and item.text.isdigit()
        if not is_number or len(item.text) > _NUMBER_MAX:
            what = f"`{printable(item.text)[:40]}` is no issue's id"
            _refuse_value(draft, entry, f"{what}: write a number, such as 007", item.line)
        else:
            draft.needs = (*draft.needs, item)


def _take_labels(draft: _Draft, entry: Entry) -> None:
    items = _items(draft, entry) or ()
    for item in items:
        if not item.text.strip() or first_unsafe(item.text) is not None:
            what = f"`{printable(item.text)[:40]}` is no label"
            _refuse_value(draft, entry, f"{what}: write a word", item.line)
    draft.labels = tuple(item.text for item in items)


def _items(draft: _Draft, entry: Entry) -> tuple[Scalar, ...] | None:
    """The items of a list, or None where there is no list; nothing at all is an empty one."""
    match entry.value:
        case tuple():
            return entry.value
        case Scalar(text=""):
            return ()
        case Scalar(text=text):
            guess = ", ".join(json.dumps(each.strip()) for each in text.split(","))
            what = f"`{entry.name}` must be a list"
            draft.refuse(entry.line, what, "one item a line, or between brackets", f"[{guess}]")
            return None


_TAKES: Mapping[str, Callable[[_Draft, Entry], None]] = {
    "title": _take_title,
    "footprint": _take_footprint,
    "priority": _take_priority,
    "needs": _take_needs,
    "labels": _take_labels,
}


def _written(draft: _Draft, page: Page, number: str) -> Written:
    text = page.body.strip("\n")
    issue = Issue(
        id=number,
        title=draft.title,
        text=text,
        footprint=draft.footprint,
        priority=draft.priority,
        labels=draft.labels,
        digest=digest_of(number, draft.title, text=text, footprint=draft.footprint),
        path=draft.file,
    )
    return Written(issue=issue, needs=draft.needs)


def digest_of(number: str, title: str, *, text: str, footprint: Sequence[str]) -> str:
    """The sha256 of all that a builder is told: a new priority or label does not change it."""
    told = ["tidegate issue 1", number, title, text, list(footprint)]
    return sha256_hex(json.dumps(told, separators=(",", ":")).encode())


def written_issue(title: str, *, text: str, footprint: Sequence[str], priority: int) -> str:
    """The file for a new issue. What `read_issue` makes of it is what was given."""
    return "\n".join(["---", *_front_matter(title, footprint, priority), "---", "", text, ""])


def _front_matter(title: str, footprint: Sequence[str], priority: int) -> Iterator[str]:
    yield f"title: {title if _PLAIN.fullmatch(title) else json.dumps(title, ensure_ascii=False)}"
    if footprint:
        yield "footprint:"
        yield from (f"  - {json.dumps(pattern, ensure_ascii=False)}" for pattern in footprint)
    if priority:
        yield f"priority: {priority}"
