"""Run: take up the open run or start one, and go on until nothing is left to do by itself."""

from collections.abc import Sequence
from pathlib import Path

from tidegate.config.load import Configuration, Loaded, load
from tidegate.core.errors import NoRoom, TidegateError
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.engine.engine import Engine
from tidegate.engine.inbox import take_what_lies
from tidegate.engine.loop import run_loop
from tidegate.engine.recovery import take_stock
from tidegate.playbooks.queue import ordered, takeable
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import HUB, Repository
from tidegate.verbs.abandon import Abandoned, abandon, is_half_abandoned
from tidegate.verbs.assembly import assemble
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.filling import fill, refill, tell_unread
from tidegate.verbs.finish import finish
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.idle import idle_summary
from tidegate.verbs.open_run import find_open_run, refuse_other_base
from tidegate.verbs.queue import chosen, facts_of, read_issues, undecided
from tidegate.verbs.readiness import (
    agent_problem,
    refuse_fatal_concerns,
    require_landing_place,
    require_ready,
    target_branch,
)
from tidegate.verbs.room import Room
from tidegate.verbs.start import RunWish, start_run
from tidegate.verbs.summary import Summary

_HUB_LOST = (
    "note: the hub of earlier runs is gone, and with it what did not land; a new one was made. If "
    "you have a backup, stop now and restore it"
)


@record
class RunResult:
    """The summary, and the code that a face exits with."""

    summary: Summary
    exit_code: int


def run(house: House, folder: str, wish: RunWish, eyes: Eyes) -> RunResult:
    """Run the build playbook over the open issues of the repository that `folder` is in."""
    repository = house.repositories.find(folder)
    loaded = load(Path(repository.root))
    goes_on = _has_open_run(house, repository) and not wish.anew
    if not goes_on:
        _tell_concerns(house, repository, eyes)
    with house.lock_controller(repository.home):
        ledger = house.open_ledger(repository)
        try:
            room = Room(house, eyes, ledger, wish)
            return _go_on_with_room(house, repository, loaded, ledger, room, tells=goes_on)
        finally:
            house.runners.stand_down()
            ledger.close()


def _go_on_with_room(
    house: House,
    repository: Repository,
    loaded: Loaded,
    ledger: Ledger,
    room: Room,
    *,
    tells: bool,
) -> RunResult:
    """Run. Where room is missing, wait for it, and go on from what the ledger says (G4-07)."""
    while True:
        try:
            # Asked once more: somebody may have begun a run since, and died.
            engine = None if room.wish.anew else _taken_up(house, repository, ledger, room)
            if tells:
                tells = False
                _tell_concerns(house, repository, room.eyes)
            return _run(house, repository, loaded, ledger, room, engine)
        except NoRoom as refused:
            open_run = find_open_run(ledger)
            if open_run is None:
                raise
            if not room.wait(refused):
                return RunResult(
                    summary=Summary(run=open_run, note=f"left while it waited for room: {refused}"),
                    exit_code=130,
                )


def _has_open_run(house: House, repository: Repository) -> bool:
    """Whether a run goes on. What cannot be read is told, or mended, when it is opened to write."""
    try:
        ledger = house.open_ledger_read_only(repository)
    except TidegateError:
        return False
    if ledger is None:
        return False
    try:
        return find_open_run(ledger) is not None
    except TidegateError:
        return False
    finally:
        ledger.close()


def _tell_concerns(house: House, repository: Repository, eyes: Eyes) -> None:
    """Say what a run should know of the repository. Raises NotReady for what it would trip over."""
    for concern in refuse_fatal_concerns(house, repository):
        eyes.tell(f"note: {concern.message} ({concern.remedy})")


def _taken_up(house: House, repository: Repository, ledger: Ledger, room: Room) -> Engine | None:
    """The engine of the run that goes on, with a word on everything that was open in it.

    That comes before all else that a run looks at: leases run out meanwhile, and agents wait. None
    where no run goes on.
    """
    open_run = find_open_run(ledger)
    if open_run is None or is_half_abandoned(ledger, open_run):
        return None
    refuse_other_base(open_run, room.wish)
    engine = assemble(house, repository, frozen(ledger, open_run), ledger, open_run)
    room.carry(engine)
    room.eyes.tell(f"run {open_run} is taken up again")  # before what it found
    take_stock(engine)
    return engine


def _run(
    house: House,
    repository: Repository,
    loaded: Loaded,
    ledger: Ledger,
    room: Room,
    engine: Engine | None,
) -> RunResult:
    wish, eyes = room.wish, room.eyes
    must_read = engine is None or bool(wish.only)
    all_issues, unread = _issues(house, repository, loaded, eyes, must_read=must_read)
    only = chosen(wish.only, all_issues, ledger)
    left, issues = "", ordered(undecided(all_issues, ledger))
    if engine is None:
        ended = _ended_before(house, repository, loaded, ledger, wish, eyes)
        if not ended.is_over:
            return RunResult(
                summary=Summary(run=find_open_run(ledger), note=ended.note), exit_code=130
            )
        left, issues = ended.note, ordered(undecided(all_issues, ledger))
        idle = _idle(issues, ledger, only, left)
        if idle is not None:
            return idle
    configuration = loaded.configuration if engine is None else frozen(ledger, engine.book.run.id)
    run_id = engine.book.run.id if engine is not None else None
    if configuration != loaded.configuration:
        eyes.tell(
            f"the configuration has changed; run {run_id} keeps the one it began with "
            "(`tidegate run --anew` ends it and begins another)"
        )
    if left:
        eyes.tell(left)
    require_ready(house, repository, configuration, open_run=run_id)
    if engine is None:
        is_hub_lost = bool(ledger.runs()) and not Path(repository.home, HUB).is_dir()
        run_id = start_run(house, repository, loaded, ledger, wish)
        if is_hub_lost:
            eyes.tell(_HUB_LOST)
        engine = assemble(house, repository, configuration, ledger, run_id)
        room.carry(engine)
    engine.width = wish.width or configuration.settings.run.width
    engine.only, engine.unread = only, unread
    engine.opened, engine.opened_max = wish.opened, wish.opened_max
    return _go_on(house, repository, engine, configuration, issues, eyes)


def _ended_before(
    house: House,
    repository: Repository,
    loaded: Loaded,
    ledger: Ledger,
    wish: RunWish,
    eyes: Eyes,
) -> Abandoned:
    """What became of a run that is to be ended before another begins."""
    open_run = find_open_run(ledger)
    if open_run is None:
        return Abandoned(is_over=True)
    return _abandon(house, repository, loaded, ledger, open_run, wish, eyes)


def _go_on(
    house: House,
    repository: Repository,
    engine: Engine,
    configuration: Configuration,
    issues: Sequence[Issue],
    eyes: Eyes,
) -> RunResult:
    """Tick until nothing is left to do by itself, and say what became of it."""
    engine.agent_problem = lambda: agent_problem(house, configuration)
    engine.refill = lambda: refill(house, repository, engine, configuration, eyes)
    fill(house, repository, engine, configuration, issues, eyes)
    ended = run_loop(engine, wish=eyes.wish, show=eyes.state)
    take_what_lies(engine)
    summary, code = finish(house, repository, engine, ended)
    return RunResult(summary=summary, exit_code=code)


def _issues(
    house: House, repository: Repository, loaded: Loaded, eyes: Eyes, *, must_read: bool
) -> tuple[Sequence[Issue], str]:
    """All issues; or none, and why they cannot be read.

    A run that goes on has agents at work whose leases run out: it needs nothing of the tracker, and
    looks again when it has nothing left to do.
    """
    try:
        return read_issues(house, repository, loaded.configuration), ""
    except TidegateError as error:
        if must_read:
            raise
        return (), tell_unread(error, eyes)


def _idle(
    issues: Sequence[Issue], ledger: Ledger, only: frozenset[str] | None, left: str
) -> RunResult | None:
    """What to answer where no issue can be taken; None where one can."""
    facts = facts_of(ledger, only=only)
    if next(takeable(issues, facts), None) is not None:
        return None
    summary = idle_summary(issues, facts, left)
    needs_somebody = bool(left) or not all(each.is_wished for each in summary.waiting)
    return RunResult(summary=summary, exit_code=1 if needs_somebody else 0)


def _abandon(
    house: House,
    repository: Repository,
    loaded: Loaded,
    ledger: Ledger,
    open_run: str,
    wish: RunWish,
    eyes: Eyes,
) -> Abandoned:
    """End the open run, once nothing keeps another from beginning."""
    require_ready(house, repository, loaded.configuration, open_run=None)
    target_branch(house, repository, loaded.configuration)
    require_landing_place(house, repository, loaded.configuration)
    if wish.base is not None:
        house.repositories.resolve(repository, wish.base)
    kept = frozen(ledger, open_run)
    return abandon(house, repository, configuration=kept, ledger=ledger, run_id=open_run, eyes=eyes)
