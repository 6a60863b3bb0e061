"""The commands that run something: they show its progress and end with its result."""

from collections.abc import Iterator

from tidegate.cli.output import clean, columns, show_json, show_lines
from tidegate.cli.progress import progress
from tidegate.cli.signals import Wishes, watched
from tidegate.verbs.house import House
from tidegate.verbs.run import Eyes, RunResult
from tidegate.verbs.run import run as run_verb
from tidegate.verbs.start import RunWish
from tidegate.verbs.summary import Summary


def run(house: House, folder: str, *, width: int | None, start: str | None, as_json: bool) -> int:
    """Run, and return the exit code."""
    result = _watched_run(house, folder, RunWish(width=width, base=start))
    if as_json:
        show_json(result.summary.as_json())
    else:
        show_lines(*summary_lines(result.summary))
    return result.exit_code


def _watched_run(house: House, folder: str, wish: RunWish) -> RunResult:
    shown = progress()
    wishes = Wishes(house.wake, shown.tell)
    eyes = Eyes(recorded=shown.recorded, state=shown.state, wish=wishes)
    try:
        with watched(wishes):
            return run_verb(house, folder, wish, eyes)
    finally:
        shown.close()


def summary_lines(summary: Summary) -> Iterator[str]:
    """What became of the run, for a person."""
    if summary.run is None:
        yield summary.note
        return
    yield from columns(
        [
            *(("landed", each.issue, each.commit[:10]) for each in summary.landed),
            *(("refused", each.issue, clean(each.reason)) for each in summary.refused),
            *(("stopped", each.issue, clean(each.reason)) for each in summary.stopped),
            *(("waiting", each.issue, f"for {each.waits_for}") for each in summary.waiting),
        ]
    )
    if summary.note:
        yield summary.note.rstrip()
    if summary.landed and summary.target is not None:
        branch = summary.target.ref.removeprefix("refs/heads/")
        count = len(summary.landed)
        yield f"run {summary.run}: {count} landed on {branch}; `tidegate land` takes them"
    for each in summary.stopped:
        yield f"see why: tidegate show {each.lane}"


def demo(house: House, *, keep: bool, as_json: bool) -> int:
    """Run the demo in a folder of its own, and return the exit code."""
    from tidegate.showcase.demo import run_demo  # noqa: PLC0415 - only the demo needs it

    shown = progress()
    wishes = Wishes(house.wake, shown.tell)
    eyes = Eyes(recorded=shown.recorded, state=shown.state, wish=wishes)
    try:
        with watched(wishes):
            done = run_demo(house, eyes, keep=keep, tell=shown.tell)
    finally:
        shown.close()
    if as_json:
        show_json(done.result.summary.as_json())
    else:
        show_lines(*summary_lines(done.result.summary), *done.story)
    return 0 if done.is_as_planned else 1
