"""What it costs to judge a merged change: its scope, its tests, its names, in a large tree.

One side builds the candidate as the job does: merge, look at every changed path, commit, pin. The
other merges, commits and pins the same, and looks at nothing. Both call git from this process, so
that the start of a Python, which forked jobs do not pay for, is in neither.
"""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import AT_MOST, Goal, Kind, Row, Table
from tidegate.core.footprint import Pattern, parse_all
from tidegate.git import candidate
from tidegate.git.candidate import Candidate, Order, Part, Style
from tidegate.git.commits import Stamp, commit_tree
from tidegate.git.hub import Hub
from tidegate.git.merge import Merged, merge

FILES = 50_000
CHANGED = 20
"""So many modules, and so many files of tests, does a change touch; half as many tests are new."""
GOAL = Goal(AT_MOST, 100.0)

_FOLDERS = 500
_LIMIT_S = 600
_STAMP = Stamp("Bench", "bench@example.invalid", 1_700_000_000)
_PIN = "refs/tidegate/bench/candidate"


def measure(folder: Path, *, rounds: int, files: int = FILES) -> Table:
    """Both sides in alternating rounds: a change within its footprint, and one that strays."""
    hub = Hub(str(_repository(folder / "hub.git", files)))
    inside = parse_all(["src/**", "tests/**"], allow_all=False)
    outside = parse_all(["docs/**"], allow_all=False)
    rows = [
        _row(f"a change of {_changed_files()} files, all in its footprint", hub, inside, rounds),
        _row(f"a change of {_changed_files()} files, none in its footprint", hub, outside, rounds),
    ]
    return Table(
        name="scope",
        title=f"To judge a merged change in a tree of {files:,} files, beside the merge alone",
        ours="merged and judged",
        other="merged",
        rows=rows,
    )


def _changed_files() -> int:
    return 2 * CHANGED + CHANGED // 2


def _row(what: str, hub: Hub, footprint: tuple[Pattern, ...], rounds: int) -> Row:
    pairs = [_round(hub, footprint, is_ours_first=number % 2 == 0) for number in range(rounds)]
    return Row(
        what=what,
        unit="ms",
        ours=[ours for ours, _ in pairs],
        other=[other for _, other in pairs],
        kind=Kind.DIFFERENCE,
        goal=GOAL,
    )


def _round(hub: Hub, footprint: tuple[Pattern, ...], *, is_ours_first: bool) -> tuple[float, float]:
    if is_ours_first:
        ours = _judged_ms(hub, footprint)
        return ours, _merged_ms(hub)
    other = _merged_ms(hub)
    return _judged_ms(hub, footprint), other


def _judged_ms(hub: Hub, footprint: tuple[Pattern, ...]) -> float:
    part = Part("refs/heads/side", "Land\n", (), footprint, ("scripts/check.sh",))
    order = Order("refs/heads/main", (part,), Style.MERGE, _STAMP, _STAMP, _PIN)
    start = time.perf_counter()
    built = candidate.build(hub, order)
    took_ms = 1000 * (time.perf_counter() - start)
    is_clean = isinstance(built, Candidate) and not built.steps[0].findings
    if is_clean is not footprint[0].matches("src/x.py"):
        raise RuntimeError(f"the change was not judged as it should be: {built}")
    return took_ms


def _merged_ms(hub: Hub) -> float:
    start = time.perf_counter()
    merged = merge(hub, "refs/heads/main", "refs/heads/side")
    if not isinstance(merged, Merged):
        raise RuntimeError(f"the change does not merge: {merged}")  # noqa: TRY004 - no type is wrong
    made = commit_tree(
        hub.git,
        merged.tree,
        parents=("refs/heads/main", "refs/heads/side"),
        message="Land\n",
        author=_STAMP,
        committer=_STAMP,
    )
    hub.pin({_PIN: made})
    return 1000 * (time.perf_counter() - start)


def _repository(path: Path, files: int) -> Path:
    """A bare repository: a base, a branch that changes code and tests, and one that moved on."""
    _git(path.parent, "init", "-q", "--bare", "--template=", str(path))
    paths = list(_paths(files))
    base = {each: _text(each) for each in paths} | {"scripts/check.sh": "exec pytest\n"}
    code = [each for each in paths if each.startswith("src/")]
    tests = [each for each in paths if each.startswith("tests/")]
    side = {each: _text(each) + "\n\nMORE = 1\n" for each in code[:CHANGED]}
    side |= {each: _text(each) + _new_test() for each in tests[:CHANGED]}
    side |= {f"tests/new/test_{number}.py": _new_test() for number in range(CHANGED // 2)}
    others = {each: _text(each) + "\n\nOTHER = 1\n" for each in code[CHANGED : 2 * CHANGED]}
    stream = b"".join(
        [
            _commit("refs/heads/base", base, parent=None),
            _commit("refs/heads/side", side, parent="refs/heads/base"),
            _commit("refs/heads/main", others, parent="refs/heads/base"),
        ]
    )
    _git(path, "fast-import", "--quiet", stdin=stream)
    return path


def _paths(files: int) -> Iterator[str]:
    for number in range(files):
        top, name = ("tests", "test_") if number % 5 == 0 else ("src", "module_")
        yield f"{top}/part_{number % _FOLDERS:03}/{name}{number:05}.py"


def _text(path: str) -> str:
    """A module of a few functions, or of a few tests of them."""
    kind = "test_" if path.startswith("tests/") else ""
    functions = (
        f"def {kind}step_{number}(start=1):\n    found = start + {number}\n    assert found\n"
        for number in range(12)
    )
    return f'"""About {path}."""\n\nimport math\n\n\n' + "\n\n".join(functions)


def _new_test() -> str:
    return "\n\ndef test_what_is_new():\n    assert 1 + 1 == 2\n"


def _commit(ref: str, files: dict[str, str], *, parent: str | None) -> bytes:
    who = f"committer {_STAMP.name} <{_STAMP.email}> {_STAMP.at_s} +0000"
    head = f"commit {ref}\n{who}\ndata 5\nwork\n\n"
    start = f"from {parent}\n" if parent else ""
    rows = (f"M 100644 inline {path}\ndata {len(text)}\n{text}\n" for path, text in files.items())
    return (head + start + "".join(rows)).encode("ascii")


def _git(cwd: Path, *args: str, stdin: bytes = b"") -> None:
    argv = ("git", *args)
    subprocess.run(argv, cwd=cwd, input=stdin, check=True, capture_output=True, timeout=_LIMIT_S)
