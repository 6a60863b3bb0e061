"""The end of one `run`: what became of it, and whether the run is over or is left open."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tidegate.core.drain import say_drain
from tidegate.core.errors import IntegrityError, NotReady
from tidegate.core.events import RunEnded
from tidegate.core.values import Verdict
from tidegate.engine.engine import Engine
from tidegate.engine.loop import Ended
from tidegate.engine.tracking import has_open_claims
from tidegate.engine.wish import Wish
from tidegate.playbooks.queue import Place, Stand, arrange
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.idle import waiting_of
from tidegate.verbs.land import remedy
from tidegate.verbs.summary import Summary, Target, WaitingIssue, summarize


def finish(
    house: House, repository: Repository, engine: Engine, ended: Ended
) -> tuple[Summary, int]:
    """End the run where it is over; what became of it, and the exit code."""
    run = engine.book.run
    is_over = _is_over(engine, ended)
    summary = summarize(
        engine.ports.ledger,
        run.id,
        target=Target(ref=run.started.ref, commit=run.target),
        waiting=(
            *_waiting(engine, "the next run" if is_over else "the run to go on"),
            *(
                WaitingIssue(issue=issue, waits_for=f"the next run: {skipped.reason}")
                for issue, skipped in engine.skipped.items()
                if not skipped.is_refused
            ),
        ),
        note=_note(house, repository, engine, ended),
    )
    elsewhere = {each.issue for each in summary.refused if each.kind == "claimed"}
    summary = replace(
        summary,
        is_delivered=not run.waiting,
        # A controller that came after the refusal and was to begin nothing did not ask again.
        waiting=tuple(each for each in summary.waiting if each.issue not in elsewhere),
    )
    if is_over:
        end_run(engine, summary, ended.halt or _end_of_queue(engine))
    return summary, _exit_code(summary, ended, is_over=is_over)


def end_run(engine: Engine, summary: Summary, reason: str) -> None:
    """Record that the run is over, and take away its folder for workspaces."""
    engine.book.record_run(_end(summary, reason))
    engine.book.flush()
    _tidy(engine)


def _is_over(engine: Engine, ended: Ended) -> bool:
    """Nothing is left to be done, or nothing was begun.

    What stands in the way of a run in which no lane was opened is mended in the configuration or
    in a commit, and only a run that begins anew reads those. An issue that its tracker gave to this
    run keeps it open, and so do its owner's drain and what nobody knows the end of. A delivery that
    has to wait is made when the run is taken up again.
    """
    run = engine.book.run
    if ended.wish is Wish.DETACH or run.drain is not None:
        return False
    if run.base_verdict is Verdict.FAIL:
        return True
    if has_open_claims(engine) or run.unknown:
        return False
    if not engine.ports.ledger.rows("lane", run.id):
        return True
    is_idle = not engine.book.lanes and not run.waiting and ended.halt is None
    return is_idle and (ended.wish is Wish.GO_ON or not engine.queue)


def _note(house: House, repository: Repository, engine: Engine, ended: Ended) -> str:
    """What a person should know: why nothing begins, and what is to be mended."""
    run = engine.book.run
    said = (say_drain(run.id, run.drain), _to_be_mended(house, repository, engine, ended))
    return "\n".join(filter(None, said))


def _to_be_mended(house: House, repository: Repository, engine: Engine, ended: Ended) -> str:
    run = engine.book.run
    if run.base_verdict is Verdict.FAIL:
        return _red_base(engine.ports.ledger, run.base_log)
    if ended.halt is not None:
        return _with_next_step(house.mask(ended.halt))
    if run.waiting:
        ref = run.started.ref
        todo = remedy(house, repository, run.id, ref, run.target)
        return f"{ref.removeprefix('refs/heads/')} was not moved: {run.waiting}; {todo}"
    return engine.unread


def _with_next_step(halt: str) -> str:
    """Why a run halted, and what to type once that is mended."""
    says_what_to_do = "`tidegate" in halt or "run again" in halt
    before = "\n" if "\n" in halt else "; "
    return halt if says_what_to_do else f"{halt}{before}mend that, then `tidegate run` goes on"


def _red_base(ledger: Ledger, log: str) -> str:
    return f"the check fails on the untouched base, so nothing was started:\n{ledger.text(log)}"


def _waiting(engine: Engine, otherwise: str) -> tuple[WaitingIssue, ...]:
    """What was not taken. What --max has left waits for the next run, and for nobody."""
    facts = engine.facts(0)
    places = list(arrange(engine.queue, facts))
    found = waiting_of(places, otherwise=otherwise)
    if not engine.is_at_limit:
        return found
    limited = f"{otherwise}, since --max {engine.opened_max} is reached"
    left = {each.issue for each in found if each.waits_for == otherwise}
    wished = _with_those_behind(left, places, facts.landed)
    return tuple(
        replace(
            each,
            waits_for=limited if each.issue in left else each.waits_for,
            is_wished=each.is_wished or each.issue in wished,
        )
        for each in found
    )


def _with_those_behind(
    left: AbstractSet[str], places: Sequence[Place], landed: AbstractSet[str]
) -> AbstractSet[str]:
    """What was left, and what needs nothing but that: it needs nobody either."""
    while behind := {
        each.issue.id
        for each in places
        if each.stand is Stand.NEEDS
        and each.issue.id not in left
        and left | landed >= set(each.issue.needs)
    }:
        left = left | behind
    return left


def _end_of_queue(engine: Engine) -> str:
    """Why a run that came to its end is over."""
    if engine.is_at_limit and engine.queue:
        return f"--max {engine.opened_max} is reached"
    if engine.unread:
        return "nothing was left to do, and new issues could not be read"
    return "the queue is empty" if engine.only is None else "those of --only are done"


def _end(summary: Summary, reason: str) -> RunEnded:
    return RunEnded(
        landed=len(summary.landed),
        stopped=len(summary.stopped),
        waiting=len(summary.waiting),
        reason=reason,
    )


def _tidy(engine: Engine) -> None:
    """Take away the run's folder for workspaces. What is left in it is somebody's, and stays."""
    root = Path(engine.setup.workspaces)
    for folder in (root / engine.book.run.id, root, root.parent):
        with suppress(OSError):
            folder.rmdir()


def needs_somebody(summary: Summary) -> bool:
    """Something waits that nobody wished to wait, or there is something to be known."""
    return bool(summary.note) or not all(each.is_wished for each in summary.waiting)


def _exit_code(summary: Summary, ended: Ended, *, is_over: bool) -> int:
    """130 where a wish left something undone: one that came too late interrupted nothing."""
    if ended.is_damaged:
        return IntegrityError.exit_code
    if ended.wish is not Wish.GO_ON and (summary.waiting or not is_over):
        return 130
    if ended.halt is not None:
        return NotReady.exit_code
    has_more = summary.stopped or summary.refused or summary.effects
    return 1 if has_more or needs_somebody(summary) else 0
