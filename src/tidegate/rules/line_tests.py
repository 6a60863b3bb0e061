"""What a change does to the tests of one file, told by its lines.

A file is cut into its tests and the rest. All lines that a test had must be there still, in their
order, and so must those that it stands under; lines may be added to it only where they assert
something. The rest may grow, by everything but what takes tests out of the run. Blank lines,
comments and indentation do not count.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tidegate.core.records import record
from tidegate.rules import line_additions, line_imports, line_texts
from tidegate.rules.line_patterns import CLOSING, Patterns
from tidegate.rules.python_names import is_subsequence

LINE_CHARACTERS_MAX = 400
"""How much of a line is held against patterns; all of it is compared."""

_COMMENT = re.compile(r"//(?!go:build)(?! ?\+build).*|[#*](?:\s.*)?")
_GROUP = re.compile(r"\b(?:describe|context|suite)\b")
_DECIDING = re.compile(
    r"(?:return|if|unless|while|switch|throw|#\s*if\w*)\b(?!\s*__name__)"
    r"|[\w$]+(?:\.[\w$]+|\[[^\]]*\])+\s*=(?![=>]).*"
)
_MODULE = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+")
_NOWHERE = -1
_HIDING = ("private", "protected")
"""What makes the tests below it nobody's, where a line says nothing else."""


@dataclass(slots=True)
class Segments:
    """The lines of a file: of each test, with what it stands under first, and of the rest."""

    tests: dict[str, list[str]] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)
    focused: int = 0
    """How often it says that other tests than these are not to be run."""
    shut: int = 0
    """How often something at the level of tests decides what those below it come upon."""
    hooks: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """What runs before or after each test, by what it stands under."""
    groups: set[tuple[str, ...]] = field(default_factory=set)
    """What tests stand under, outermost first."""


@record(kw_only=False)
class _Line:
    bare: str
    head: str
    indent: int
    marks: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.marks, self.bare)


def cut(text: str, patterns: Patterns, *, is_test_file: bool) -> Segments:
    """Cut a file into its tests and the rest. In a file of other code only the tests count."""
    segments = Segments()
    above: list[tuple[int, str]] = []
    current: list[str] = []
    depth = _NOWHERE
    region = 0 if is_test_file else _NOWHERE
    hidden = _NOWHERE
    for line in _lines(text, patterns):
        while above and above[-1][0] >= line.indent:
            above.pop()
        region = _region(region, line, patterns)
        if (name := _begins(line, patterns, segments)) is not None:
            current, depth = [*(said for _, said in above), *line.all], line.indent
            segments.tests[name] = current
            _note_groups(segments, above)
        elif depth != _NOWHERE and _goes_on(line, depth):
            current.extend(line.all)
            if line.indent == depth and CLOSING.fullmatch(line.bare):
                depth = _NOWHERE
        else:
            depth = _NOWHERE
            if region != _NOWHERE:
                segments.rest.extend(line.all)
        segments.focused += patterns.focus.search(line.head) is not None
        segments.shut += _shuts(line, above) or (name is not None and line.indent == hidden)
        hidden = line.indent if line.bare in _HIDING else hidden
        if any(map(patterns.hook.search, line.all)):
            segments.hooks[tuple(said for _, said in above)] += 1
        above.append((line.indent, " ".join(line.all)))
    return segments


def _lines(text: str, patterns: Patterns) -> Iterator[_Line]:
    """The lines that count, each with the marks before it; comments are dropped."""
    is_comment, marks = False, list[str]()
    read = line_texts.whole(text, ticks=patterns.ticks, heredocs=patterns.heredocs)
    for whole in read:
        bare, head = whole.strip(), whole[:LINE_CHARACTERS_MAX]
        if is_comment or patterns.block.match(head):
            is_comment = patterns.block_end.search(whole) is None
            continue
        if not bare or _COMMENT.fullmatch(bare):
            continue
        if found := patterns.mark.match(head):
            marks.append(found[0].strip())
            if not (bare := whole[found.end() :].strip()):
                continue
            head = " " * (len(whole) - len(whole.lstrip())) + bare[:LINE_CHARACTERS_MAX]
        yield _Line(bare, head, len(whole) - len(whole.lstrip()), tuple(marks))
        marks = []


def _region(region: int, line: _Line, patterns: Patterns) -> int:
    """Where the module of tests that a line stands in ends: below this indentation."""
    if region == _NOWHERE and _MODULE.match(line.bare):
        return line.indent + 1 if any(map(patterns.region.search, line.marks)) else region
    return _NOWHERE if region > line.indent else region


def _begins(line: _Line, patterns: Patterns, segments: Segments) -> str | None:
    """The name of the test that a line begins. Texts may name two tests, functions only one."""
    match = patterns.test.match(line.head)
    if match is None or not _is_marked(line, patterns):
        return None
    at = next(number for number, group in enumerate(match.groups(), 1) if group is not None)
    name = match[at]
    if line.head[match.start(at) - 1] not in "'\"`" or name not in segments.tests:
        return name
    return next(
        each
        for number in range(2, 1_000_000)
        if (each := f"{name} ({number})") not in segments.tests
    )


def _is_marked(line: _Line, patterns: Patterns) -> bool:
    if patterns.marked is None or any(map(patterns.marked.search, line.marks)):
        return True
    return "void test" in line.head


def _goes_on(line: _Line, depth: int) -> bool:
    """Whether a line belongs to the test that began at this depth."""
    is_level = line.bare[0] in "{}()]" or CLOSING.fullmatch(line.bare) is not None
    return line.indent > depth or (line.indent == depth and is_level)


def _note_groups(segments: Segments, above: list[tuple[int, str]]) -> None:
    said = tuple(said for _, said in above)
    segments.groups.update(said[:number] for number in range(len(said) + 1))


def _shuts(line: _Line, above: list[tuple[int, str]]) -> bool:
    """Whether a line at the level of tests may keep those below it from being reached."""
    is_among_tests = not above or _GROUP.search(above[-1][1]) is not None
    return is_among_tests and _DECIDING.match(line.bare) is not None


def changes(old: Segments, new: Segments, patterns: Patterns) -> Iterator[str]:
    """Say what became of the tests that both sides have, and of the rest."""
    for name, lines in old.tests.items():
        if name in new.tests and (found := change(lines, new.tests[name], patterns)):
            yield f"{name} {found}"
    (had, before), (has, after) = line_imports.parted(old.rest), line_imports.parted(new.rest)
    for name in _other_imports(had, has, after, old, new) if had != has else ():
        yield f"{name} is imported from elsewhere, or no more"
    for name in line_additions.defined_anew(before, _more(before, after), old.tests):
        yield f"{name} is defined anew"
    if not is_subsequence(before, after):
        yield "lines that tests stand on have changed or are gone"
    if before and any(_matches(patterns.skip, line) for line in _more(before, after)):
        yield "tests are skipped"
    if new.shut > old.shut:
        yield "something is added that tests are reached through"
    yield from reaching_out(old, new, patterns)


def _other_imports(
    had: list[str], has: list[str], others: list[str], old: Segments, new: Segments
) -> Iterator[str]:
    before, after = line_imports.origins(had), line_imports.origins(has)
    lines = [*others, *(line for lines in new.tests.values() for line in lines)]
    yield from line_imports.changed(before, after, lines)
    yield from line_imports.taken(before, after, line_additions.free(old.tests))


def reaching_out(old: Segments, new: Segments, patterns: Patterns) -> Iterator[str]:
    """Say what is new in a file and takes others out of the run, or ends it."""
    if new.focused > old.focused:
        yield "only some tests are run"
    known = {*old.rest, *(line for lines in old.tests.values() for line in lines)}
    if any(above in old.groups for above in (new.hooks - old.hooks)) and old.tests:
        yield "something is added that runs before or after tests that were there"
    fresh = [line for lines in (new.rest, *new.tests.values()) for line in lines]
    added = [line_texts.unquoted(line) for line in fresh if line not in known]
    # A runner gives each file its own modules: what a new one replaces there is its own.
    is_kept = not known or any(map(patterns.restore.search, fresh))
    if any(_matches(patterns.load, line) for line in added) or (
        known and any(_matches(patterns.replace, line) for line in added)
    ):
        yield "code is added that reaches further than its own tests"
    elif not is_kept and any(_matches(patterns.spy, line) for line in added):
        yield "code is added that replaces what other tests look at"


def change(old: list[str], new: list[str], patterns: Patterns) -> str | None:
    """What became of one test's lines, or None where it lost nothing."""
    if old == new:
        return None
    extra = list(_more(old, new))
    if any(_matches(patterns.skip, line) for line in extra):
        return "is skipped, or expected to fail"
    if not is_subsequence(old, new):
        is_said = any(patterns.asserts.match(line) for line in _more(new, old))
        return "asserts something else" if is_said else "does something else"
    if line_additions.only_adds(old, new, patterns):
        return None
    return "does something else"


def _more(old: Iterable[str], new: Iterable[str]) -> Iterator[str]:
    return (Counter(new) - Counter(old)).elements()


def _matches(pattern: re.Pattern[str], line: str) -> bool:
    return pattern.search(line[:LINE_CHARACTERS_MAX]) is not None
