"""What a change does to the surface that judges it: to tests, to what they expect, to the check.

The cheapest way to turn a check green is to weaken it. So whatever a change takes from the tests
that were there is told, and so is every change to how they are run. What is added is no finding:
new tests, new files of tests, further assertions. Whether a finding stops a change is for others to
say.

A test is known by its name, over the whole change: one that moves to another file that is collected
is still there. Python is read as a syntax tree, other languages line by line (`line_patterns`). It
is a reading, not a run: what a test calls outside of the tests' own files is not followed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from tidegate.core.records import record
from tidegate.rules import check_files, line_tests, places, python_module, python_tests
from tidegate.rules.finding import ChangedFile, Finding
from tidegate.rules.line_patterns import PATTERNS, Patterns
from tidegate.rules.line_tests import Segments
from tidegate.rules.line_texts import unquoted
from tidegate.rules.places import Language
from tidegate.rules.python_module import Module

TEST_SURFACE_CHANGED = "test_surface_changed"

TEXT_CHARACTERS_MAX = 1_000_000
"""A longer text is compared by its lines alone, which takes time that grows with it and no more."""
DETAILS_MAX = 12
"""How much is told of one file; of the rest, how much it is."""

_SHARED = ("conftest.py", "__init__.py")
"""What is loaded for the tests of other files too."""
_SKIPPING = re.compile(r"\bSkipTest\b|\bpytest\.(?:skip|exit|xfail)\b|\bskip\.Exception\b")


def reads_text(path: str) -> bool:
    """Whether the texts of a changed file have to be looked at, and not only its path."""
    told = places.language(path)
    if told in (Language.PYTHON, Language.RUST) or check_files.reads_text(path):
        return True
    return told is not None and _is_of_tests(path) and not check_files.concerns(path)


def changed_surface(
    files: Iterable[ChangedFile], *, gate_files: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """Say what the changed files, all of one change, do to the surface that judges it.

    `gate_files` are the paths of what the check itself is made of, such as its script.
    """
    gates = frozenset(gate_files)
    change = _Change()
    for file in sorted(files, key=lambda file: file.path):
        if file.path in gates:
            change.say(file.path, f"a file that the check runs {_happened(file)}")
        elif file.is_unread:
            _look_at_unread(change, file)
        elif not file.old is file.new is None:
            _look(change, file)
    _settle_moves(change)
    return tuple(_findings(change.said))


@record(kw_only=False)
class _Side:
    """The tests of one file on one side of the change, however they were read."""

    path: str
    module: Module | None
    segments: Segments | None

    @property
    def names(self) -> list[str]:
        """The tests that it holds."""
        if self.module is not None:
            return list(self.module.tests)
        return list(self.segments.tests) if self.segments is not None else []


@dataclass(slots=True)
class _Change:
    """What was found so far, and the tests that left a file or came into one."""

    said: list[tuple[str, str]] = field(default_factory=list)
    left: list[tuple[str, _Side]] = field(default_factory=list)
    came: list[tuple[str, _Side]] = field(default_factory=list)

    def say(self, path: str, detail: str) -> None:
        """Add a finding."""
        self.said.append((path, detail))


def _happened(file: ChangedFile) -> str:
    if file.old is None:
        return "is new"
    return "is gone" if file.new is None else "has changed"


def _look_at_unread(change: _Change, file: ChangedFile) -> None:
    """What cannot be looked at counts as changed where it is of the surface at all."""
    is_configuration = check_files.concerns(file.path) or check_files.is_conftest(file.path)
    if is_configuration or (_is_of_tests(file.path) and file.old is not None):
        change.say(file.path, f"{_happened(file)}, and cannot be looked at")


def _look(change: _Change, file: ChangedFile) -> None:
    told = places.language(file.path)
    if check_files.concerns(file.path):
        for detail in check_files.changes(file.path, file.old, file.new):
            change.say(file.path, detail)
    elif places.is_snapshot(file.path) or places.is_test_data(file.path):
        if file.old is not None:
            kind = "a snapshot" if places.is_snapshot(file.path) else "data of tests"
            change.say(file.path, f"{kind} {_happened(file)}")
    elif told is Language.PYTHON:
        _look_at_python(change, file)
    elif told is Language.RUST or _is_of_tests(file.path):
        _look_at_lines(change, file, PATTERNS[told or Language.OTHER])


def _is_of_tests(path: str) -> bool:
    return bool(places.collectors(path)) or places.test_root(path) is not None


def _look_at_python(change: _Change, file: ChangedFile) -> None:
    if not _is_of_tests(file.path) and not check_files.is_conftest(file.path):
        before, after = (_skips(text) for text in (file.old, file.new))
        if after > before:
            change.say(file.path, "code outside of the tests skips or ends them")
        return
    old, new = (_module(text, file.path) for text in (file.old, file.new))
    if old is None or new is None:
        _look_at_lines(change, file, PATTERNS[Language.PYTHON])
        return
    if (details := _python_details(file, old, new)) is None:
        _look_at_lines(change, file, PATTERNS[Language.PYTHON])
        return
    _note_moves(change, _Side(file.path, old, None), _Side(file.path, new, None))
    for detail in details:
        change.say(file.path, detail)


def _python_details(file: ChangedFile, old: Module, new: Module) -> list[str] | None:
    """What is said of one file; None where it is nested too deeply for more than its lines."""
    if file.new is None:
        is_told = bool(places.collectors(file.path)) and bool(old.tests)
        return [] if is_told else ["a file that tests stand on is gone"]
    is_shared = file.path.rpartition("/")[2] in _SHARED
    try:
        changed = list(python_tests.test_changes(old, new))
        return changed + list(python_tests.support_changes(old, new, is_shared=is_shared))
    except RecursionError:
        return None


def _module(text: str | None, path: str) -> Module | None:
    """Read one side; an absent file is an empty one. None where only its lines can be compared."""
    if text is None:
        return python_module.EMPTY
    return None if len(text) > TEXT_CHARACTERS_MAX else python_module.read(text, path)


def _skips(text: str | None) -> int:
    """How often a file skips tests; what stands in a quotation only speaks of it."""
    return sum(
        len(_SKIPPING.findall(unquoted(line)))
        for line in (text or "").splitlines()
        if _SKIPPING.search(line)
    )


def _look_at_lines(change: _Change, file: ChangedFile, patterns: Patterns) -> None:
    is_test_file = _is_of_tests(file.path) or check_files.is_conftest(file.path)
    old, new = (
        line_tests.cut(text or "", patterns, is_test_file=is_test_file)
        for text in (file.old, file.new)
    )
    _note_moves(change, _Side(file.path, None, old), _Side(file.path, None, new))
    if file.old is None:
        details: Iterator[str] = line_tests.reaching_out(old, new, patterns)
    elif file.new is None:
        details = iter(() if old.tests or not is_test_file else ("a file of tests is gone",))
    else:
        details = line_tests.changes(old, new, patterns)
    for detail in details:
        change.say(file.path, detail)


def _note_moves(change: _Change, old: _Side, new: _Side) -> None:
    before, after = set(old.names), set(new.names)
    change.left.extend((name, old) for name in old.names if name not in after)
    change.came.extend((name, new) for name in new.names if name not in before)


def _settle_moves(change: _Change) -> None:
    """Find each test that left a file where it came up again, and hold it against what it was."""
    arrivals: dict[str, list[_Side]] = {}
    for name, side in change.came:
        arrivals.setdefault(name, []).append(side)
    for name, old in change.left:
        places_open = [side for side in arrivals.get(name, ()) if _may_take_over(name, old, side)]
        if not places_open:
            change.say(old.path, f"{name} is gone")
            continue
        verdicts = [(_what_moved(name, old, side), side) for side in places_open]
        detail, taken = min(verdicts, key=lambda verdict: verdict[0] is not None)
        arrivals[name].remove(taken)
        if detail is not None:
            change.say(old.path, f"{name} {detail}, now in {taken.path}")


def _may_take_over(name: str, old: _Side, new: _Side) -> bool:
    kinds = places.collectors(old.path)
    is_function = old.module is not None and "." not in name
    # unittest collects no plain functions, so it need not find them in their new file either.
    wanted = kinds - {"unittest"} if is_function and "pytest" in kinds else kinds
    return places.may_take_over(old.path, new.path, kinds=wanted)


def _what_moved(name: str, old: _Side, new: _Side) -> str | None:
    if old.module is not None and new.module is not None:
        try:
            return python_tests.moved_change(name, old.module, new.module)
        except RecursionError:
            return "is nested too deeply to be compared"
    if old.segments is not None and new.segments is not None:
        patterns = PATTERNS[places.language(old.path) or Language.OTHER]
        return line_tests.change(old.segments.tests[name], new.segments.tests[name], patterns)
    return "cannot be compared"


def _findings(said: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    """At most so many a file, in the order of the paths; each thing once."""
    counts: Counter[str] = Counter()
    unique = dict.fromkeys(sorted(said, key=itemgetter(0)))
    totals = Counter(path for path, _ in unique)
    for path, detail in unique:
        counts[path] += 1
        if counts[path] <= DETAILS_MAX:
            yield Finding(TEST_SURFACE_CHANGED, path, detail)
        elif counts[path] == DETAILS_MAX + 1:
            yield Finding(TEST_SURFACE_CHANGED, path, f"and {totals[path] - DETAILS_MAX} more")
