"""The demo: a real run over a made repository, and a check that it went as planned."""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tidegate.core import events as e
from tidegate.core.events import Recorded
from tidegate.core.values import Verdict
from tidegate.showcase.world import make_world
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.look import log
from tidegate.verbs.run import RunResult, run
from tidegate.verbs.start import RunWish

PLANNED = {"001": ("landed", 0), "002": ("landed", 1), "003": ("stopped", 3)}
"""How each issue ends, and after how many FAILs."""


INTERRUPTED = 130
"""What a run ends with that was interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What came of the demo. `story` is told to a person; `exit_code` to a program."""

    result: RunResult
    exit_code: int
    story: tuple[str, ...]
    is_kept: bool = False
    """Its folder is there to be looked at."""


def run_demo(house: House, eyes: Eyes, *, keep: bool, tell: Callable[[str], None]) -> Demo:
    """Run the demo. Its folder is removed unless it is to be kept, or something went wrong.

    One that is interrupted must stop its agents and not leave them: its folder goes, too.
    """
    folder = Path(tempfile.mkdtemp(prefix="tidegate-demo-"))
    is_kept = True
    try:
        tell(f"a small repository with tests and three issues: {folder}/repository")
        done = _demo(house, eyes, folder)
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


def _demo(house: House, eyes: Eyes, folder: Path) -> Demo:
    repository = make_world(folder, house.environment)
    before = _files(repository)
    result = run(house, str(repository), RunWish(), eyes)
    if result.exit_code == INTERRUPTED:
        story = ("the demo was interrupted",)
        return Demo(result=result, exit_code=INTERRUPTED, story=story)
    events = log(house, str(repository), run=None, lane=None, last=None)
    problems = (*_problems(events), *_touched(before, repository))
    is_fine = not problems and result.exit_code in {0, 1}
    return Demo(result=result, exit_code=0 if is_fine else 1, story=(*_story(events), *problems))


def _files(repository: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(repository)): path.read_bytes()
        for path in repository.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def _touched(before: dict[str, bytes], repository: Path) -> Sequence[str]:
    return () if _files(repository) == before else ("wrong: your checkout was touched",)


def _problems(events: Sequence[Recorded]) -> Sequence[str]:
    problems = [
        f"wrong: issue {issue} ended {_outcome(events, issue)} after {_fails(events, issue)} FAILs"
        for issue, planned in PLANNED.items()
        if (_outcome(events, issue), _fails(events, issue)) != planned
    ]
    if not _was_seen_at_work(events):
        problems.append("wrong: the first commit of issue 001 was not seen while it worked")
    return problems


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
        and "-build-" in event.attempt
        and event.verdict is Verdict.FAIL
        and event.counts
        for recorded in events
    )


def _was_seen_at_work(events: Sequence[Recorded]) -> bool:
    """The builder of 001 was checkpointed before its process ended."""
    kinds = [
        type(recorded.entry.event) for recorded in events if recorded.entry.attempt == "001-build-1"
    ]
    at_work = kinds[: kinds.index(e.TurnEnded)] if e.TurnEnded in kinds else kinds
    return e.Checkpointed in at_work


def _story(events: Sequence[Recorded]) -> Sequence[str]:
    return (
        "",
        "001 was seen checkpointed while it worked, passed, and landed."
        if _was_seen_at_work(events)
        else "001 was not seen at work.",
        "002 failed its check, got the finding word for word, and passed.",
        "003 failed three times and was stopped: nobody has to watch it burn.",
        "What landed is, tree for tree, what was tested.",
    )


_AGAIN = "Its folder is gone. To look around in one: tidegate demo --keep"


def _where(folder: Path) -> Sequence[str]:
    return (f"kept: cd {folder}/repository && git log --graph --oneline --all",)
