"""The demo: a real run over a made repository, and a check that it went as planned."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tidegate.core import events as e
from tidegate.core.events import Recorded
from tidegate.core.names import role_of
from tidegate.core.records import record
from tidegate.core.values import Role, Verdict
from tidegate.showcase.chaos import run_with_chaos
from tidegate.showcase.world import LONG_LOOKS, LOOKS, make_world
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.look import log
from tidegate.verbs.run import RunResult, run
from tidegate.verbs.start import RunWish


@record
class Planned:
    """How an issue must end, after how many FAILs, and why, in words for a person.

    `shows` is what its events must hold beside that.
    """

    outcome: str
    fails: int
    why: str
    shows: Callable[[Sequence[Recorded]], bool] = lambda _: True


INTERRUPTED = 130
"""What a run ends with that was interrupted."""


@record
class Demo:
    """What came of the demo. `story` is told to a person; `exit_code` to a program."""

    result: RunResult
    exit_code: int
    story: tuple[str, ...]
    is_kept: bool = False
    """Its folder is there to be looked at."""


def _of(events: Sequence[Recorded], lane: str) -> Sequence[e.Event]:
    return [recorded.entry.event for recorded in events if recorded.entry.lane == lane]


def _was_seen_at_work(events: Sequence[Recorded]) -> bool:
    """The builder of 001 was checkpointed before its process ended."""
    kinds = [type(x.entry.event) for x in events if x.entry.attempt == "001-build-1"]
    at_work = kinds[: kinds.index(e.TurnEnded)] if e.TurnEnded in kinds else kinds
    return e.Checkpointed in at_work


def _has_waited(events: Sequence[Recorded]) -> bool:
    """005 held its file only when 004 was over."""
    over = [x.sequence for x in events if x.entry.lane == "004" and _is_end(x)]
    held = [
        x.sequence
        for x in events
        if x.entry.lane == "005" and isinstance(x.entry.event, e.Reserved)
    ]
    return bool(over and held) and over[0] < held[0]


def _is_end(recorded: Recorded) -> bool:
    return isinstance(recorded.entry.event, e.LaneEnded)


def _found(lane: str, reason: str) -> Callable[[Sequence[Recorded]], bool]:
    """A FAIL of the lane gave this reason."""

    def holds(events: Sequence[Recorded]) -> bool:
        judged = [event for event in _of(events, lane) if isinstance(event, e.Judged)]
        return any(reason in event.reason for event in judged)

    return holds


def _is_critical(events: Sequence[Recorded]) -> bool:
    ends = [event for event in _of(events, "009") if isinstance(event, e.LaneEnded)]
    return bool(ends) and "outside" in ends[0].reason


PLANNED: Mapping[str, Planned] = {
    "001": Planned(
        outcome="landed", fails=0, why="seen at work, passed at once", shows=_was_seen_at_work
    ),
    "002": Planned(
        outcome="landed", fails=1, why="failed its check, got the finding word for word, passed"
    ),
    "003": Planned(
        outcome="stopped", fails=3, why="failed three times: nobody has to watch it burn"
    ),
    "004": Planned(outcome="landed", fails=0, why="held ranges.py, passed"),
    "005": Planned(
        outcome="landed", fails=0, why="wanted ranges.py too, and waited", shows=_has_waited
    ),
    "006": Planned(
        outcome="refused", fails=0, why="nothing says what it wants: refused before it was built"
    ),
    "007": Planned(
        outcome="landed",
        fails=1,
        why="strayed out of its footprint, was caught, took it back",
        shows=_found("007", "out_of_scope"),
    ),
    "008": Planned(
        outcome="landed",
        fails=1,
        why="skipped a test to be green, was caught, did it honestly",
        shows=_found("008", "test_surface_changed"),
    ),
    "009": Planned(
        outcome="stopped",
        fails=0,
        why="wrote outside of its workspace: stopped as critical",
        shows=_is_critical,
    ),
}


def run_demo(
    house: House, eyes: Eyes, *, keep: bool, tell: Callable[[str], None], chaos: bool = False
) -> Demo:
    """Run the demo. Its folder is removed unless it is to be kept, or something went wrong.

    With `chaos` its controller is killed in the middle, and started again.
    One that is interrupted must stop its agents and not leave them: its folder goes, too.
    """
    folder = Path(tempfile.mkdtemp(prefix="tidegate-demo-"))
    is_kept = True
    try:
        tell(f"a small repository with tests and nine issues: {folder}/repository")
        done = _demo(house, eyes, folder, chaos=chaos)
        is_kept = keep or done.exit_code not in {0, INTERRUPTED}
        if not is_kept:
            return replace(done, story=(*done.story, _AGAIN))
        return replace(done, story=(*done.story, *_where(folder)), is_kept=True)
    except KeyboardInterrupt:
        eyes.wish()  # from here on a signal is only noted, and ends no clearing up half-way
        is_kept = keep  # it came before anything was under way
        tell("the demo was interrupted before it began")
        raise
    finally:
        eyes.wish()  # here too
        if not is_kept:
            shutil.rmtree(folder)


def _demo(house: House, eyes: Eyes, folder: Path, *, chaos: bool) -> Demo:
    looks = LONG_LOOKS if chaos else LOOKS
    repository = make_world(folder, house.environment, looks=looks)
    before = _files(repository)
    told: Sequence[str] = ()
    if chaos:
        result, told = run_with_chaos(house, folder, eyes)
    else:
        result = run(house, str(repository), RunWish(), eyes)
    if result.exit_code == INTERRUPTED:
        words = ("the demo was interrupted",)
        return Demo(result=result, exit_code=INTERRUPTED, story=words)
    events = log(house, str(repository), run=None, lane=None, last=None)
    problems = (*_problems(events), *_touched(before, repository))
    is_fine = not problems and result.exit_code in {0, 1}
    story = (*_story(events), *problems, *(told if is_fine else ()))
    return Demo(result=result, exit_code=0 if is_fine else 1, story=story)


def _files(repository: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(repository)): path.read_bytes()
        for path in repository.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def _touched(before: dict[str, bytes], repository: Path) -> Sequence[str]:
    return () if _files(repository) == before else ("wrong: your checkout was touched",)


def _problems(events: Sequence[Recorded]) -> Sequence[str]:
    return [
        f"wrong: issue {issue} ended {_outcome(events, issue)} after {_fails(events, issue)} "
        f"FAILs, and was to be: {planned.outcome}, {planned.why}"
        for issue, planned in PLANNED.items()
        if (_outcome(events, issue), _fails(events, issue)) != (planned.outcome, planned.fails)
        or not planned.shows(events)
    ]


def _outcome(events: Sequence[Recorded], issue: str) -> str:
    for recorded in events:
        match recorded.entry:
            case e.Entry(lane=lane, event=e.LaneEnded(outcome=outcome)) if lane == issue:
                return str(outcome)
    return "never"


def _fails(events: Sequence[Recorded], issue: str) -> int:
    return sum(
        isinstance(event := recorded.entry.event, e.Judged)
        and recorded.entry.lane == issue
        and role_of(event.attempt) is Role.BUILD
        and event.verdict is Verdict.FAIL
        and event.counts
        for recorded in events
    )


def _story(events: Sequence[Recorded]) -> Sequence[str]:
    """What happened to each issue, and why."""
    rows = [
        (issue, _outcome(events, issue), planned.why if planned.shows(events) else "not as planned")
        for issue, planned in PLANNED.items()
    ]
    return (
        "",
        *(f"{issue}  {outcome:<8}  {why}" for issue, outcome, why in rows),
        "",
        "What landed is, tree for tree, what was tested.",
    )


_AGAIN = "Its folder is gone. To look around in one: tidegate demo --keep"


def _where(folder: Path) -> Sequence[str]:
    return (f"kept: cd {folder}/repository && git log --graph --oneline --all",)
