"""The commands that run something: they show its progress and end with its result."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tidegate.cli.output import (
    OutputLost,
    clean,
    clean_text,
    columns,
    forsake_output,
    show_json,
    show_lines,
)
from tidegate.cli.progress import progress
from tidegate.cli.signals import Wishes, watched
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.house import House
from tidegate.verbs.run import run as run_verb
from tidegate.verbs.start import RunWish
from tidegate.verbs.summary import Summary


def run(house: House, folder: str, wish: RunWish, *, as_json: bool) -> int:
    """Run, and return the exit code."""
    with _looking_on(house) as eyes:
        result = run_verb(house, folder, wish, eyes)
    _answer(result.summary, as_json=as_json)
    return result.exit_code


@contextmanager
def _looking_on(house: House, *, stops_at_once: bool = False) -> Iterator[Eyes]:
    """Progress on standard error, and signals as wishes."""

    def now_s() -> float:
        return house.clock.now().monotonic_s

    shown = progress(now_s)
    wishes = Wishes(house.wake, shown.tell, now_s, stops_at_once=stops_at_once)
    try:
        with watched(wishes):
            yield Eyes(recorded=shown.recorded, state=shown.state, wish=wishes, tell=shown.tell)
    finally:
        shown.close()


def _answer(
    summary: Summary, *, as_json: bool, story: Sequence[str] = (), is_there: bool = True
) -> None:
    """Show the result. Where nobody takes it, the run has its exit code all the same."""
    try:
        if as_json:
            show_json(summary.as_json())
        else:
            advice = _advice(summary) if is_there else ()
            show_lines(*summary_lines(summary), *advice, *story)
    except OutputLost:
        forsake_output()


def summary_lines(summary: Summary) -> Iterator[str]:
    """What became of the run, for a person."""
    yield from columns(
        [
            *(("landed", each.issue, each.commit[:10]) for each in summary.landed),
            *(("refused", each.issue, clean(each.reason)) for each in summary.refused),
            *(("stopped", each.issue, clean(each.reason)) for each in summary.stopped),
            *_waiting(summary),
            *(
                (each.outcome, f"{each.kind} {each.about}", clean(each.detail))
                for each in summary.effects
            ),
        ]
    )
    if summary.note:
        yield clean_text(summary.note.rstrip())
    if summary.landed and summary.target is not None:
        branch = summary.target.ref.removeprefix("refs/heads/")
        where = f"landed on {branch}" if summary.is_delivered else f"landed, and wait for {branch}"
        yield f"run {summary.run}: {len(summary.landed)} {where}{_remedy(summary)}"


def _advice(summary: Summary) -> Iterator[str]:
    """What a person can do about what stopped."""
    for each in summary.stopped:
        yield f"see why: tidegate show {each.lane}"
    if summary.stopped:
        yield f"to try one again: tidegate retry {summary.stopped[0].issue}"


def _waiting(summary: Summary) -> Iterator[tuple[str, ...]]:
    """One row for all that waits for the same thing."""
    reasons: dict[str, list[str]] = {}
    for each in summary.waiting:
        reasons.setdefault(each.waits_for, []).append(each.issue)
    for reason, issues in reasons.items():
        yield "waiting", ", ".join(issues), f"for {clean(reason)}"


def _remedy(summary: Summary) -> str:
    """What is left for a person to do about what landed."""
    has_own_branch = summary.target is not None and summary.target.ref.endswith(
        f"/tidegate/{summary.run}"
    )
    return "; `tidegate land` takes them" if has_own_branch else ""


def stop_agents(house: House, folder: str, *, as_json: bool) -> None:
    """Stop what works without a controller, and say how much that was."""
    from tidegate.verbs.stopping import stop_agents as stop  # noqa: PLC0415 - only `stop` needs it

    with _looking_on(house, stops_at_once=True) as eyes:
        turns = stop(house, folder, eyes)
    said = f"turns that were open and are ended: {turns}" if turns else _NOBODY_WORKS
    if as_json:
        show_json({"done": True, "message": said})
    else:
        show_lines(said)


_NOBODY_WORKS = "no controller is at work, and no turn was open"


def demo(house: House, *, keep: bool, chaos: bool, as_json: bool) -> int:
    """Run the demo in a folder of its own, and return the exit code."""
    from tidegate.showcase.demo import run_demo  # noqa: PLC0415 - only the demo needs it

    with _looking_on(house, stops_at_once=True) as eyes:
        done = run_demo(house, eyes, keep=keep, tell=eyes.tell, chaos=chaos)
    _answer(done.result.summary, as_json=as_json, story=done.story, is_there=done.is_kept)
    return done.exit_code
