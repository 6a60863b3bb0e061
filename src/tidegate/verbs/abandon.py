"""End a run that is open, though its issues are not all decided, so that another can begin.

For a person whose agent is gone or whose configuration was wrong: a run keeps the configuration
that it began with. Nothing is lost: what works is stopped and harvested first, what landed stays
landed, and the issues of the other lanes are open again. One that is cut short is finished by the
next `run`, whoever asks for it: half of a run's lanes cannot go on.
"""

from collections.abc import Callable
from dataclasses import replace

from tidegate.config.load import Configuration
from tidegate.core.commands import EndLane
from tidegate.core.errors import IntegrityError, Refused, TidegateError
from tidegate.core.lane import Lane
from tidegate.core.records import record
from tidegate.core.values import Outcome
from tidegate.engine.engine import Engine
from tidegate.engine.loop import run_loop
from tidegate.engine.turns import fence_off
from tidegate.engine.wish import Wish
from tidegate.ports.agents import Agent, Brief, Place, Result, RoleSettings, Start
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.ports.runners import Exit
from tidegate.verbs.assembly import assemble
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.finish import end_run
from tidegate.verbs.house import House
from tidegate.verbs.land import remedy
from tidegate.verbs.summary import Target, summarize

REASON = "a person began anew"


@record(kw_only=False)
class Abandoned:
    """Whether the run is over, and what is left for a person to know."""

    is_over: bool
    note: str = ""


def is_half_abandoned(ledger: Ledger, run_id: str) -> bool:
    """Whether an open run has lanes that were abandoned: its end was cut short."""
    return any(row["outcome"] == Outcome.ABANDONED for row in ledger.rows("lane", run_id))


def abandon(
    house: House,
    repository: Repository,
    *,
    configuration: Configuration,
    ledger: Ledger,
    run_id: str,
    eyes: Eyes,
) -> Abandoned:
    """Stop, harvest and clear away what the run has open, and end it; not where it was left.

    Raises Refused where something of it cannot be brought to its end now: then it is left open.
    """
    engine = assemble(forgiving(house), repository, configuration, ledger, run_id)
    engine.book.listener = eyes.recorded
    if not _come_to_rest(engine, eyes):
        return Abandoned(is_over=False, note=f"run {run_id} was left open")
    for lane in list(engine.book.lanes.values()):
        if lane.outcome is None:
            engine.book.record(lane.id, EndLane(outcome=Outcome.ABANDONED, reason=REASON))
    engine.tracking.give_up()
    if not _come_to_rest(engine, eyes):
        return Abandoned(is_over=False, note=f"run {run_id} is to be ended yet")
    run = engine.book.run
    target = Target(ref=run.started.ref, commit=run.target)
    end_run(engine, summarize(ledger, run_id, target=target, waiting=(), note=""), REASON)
    if not run.waiting:
        return Abandoned(is_over=True)
    todo = remedy(house, repository, run_id, run.started.ref, run.target)
    branch = run.started.ref.removeprefix("refs/heads/")
    note = f"what landed in run {run_id} is not on {branch}: {run.waiting}; {todo}"
    return Abandoned(is_over=True, note=note)


def forgiving(house: House) -> House:
    """The house for whoever starts nothing: an agent that is not installed any more is no error."""
    return replace(house, load_agent=lambda name: _load_agent(house.load_agent, name))


def _come_to_rest(engine: Engine, eyes: Eyes) -> bool:
    """Stop what works and hear its end; False where the person left before."""

    def wish() -> Wish:
        return Wish.DETACH if eyes.wish() is Wish.DETACH else Wish.STOP

    ended = run_loop(engine, wish=wish, show=eyes.state)
    if ended.wish is Wish.DETACH:
        return False
    if ended.is_damaged:
        raise IntegrityError(
            f"run {engine.book.run.id} could not be ended: {ended.halt}",
            hint="mend that first; nothing is tried again before",
        )
    _end_what_never_began(engine)
    open_lanes = [lane for lane in engine.book.lanes.values() if lane.outcome is None]
    restless = next((lane.id for lane in open_lanes if not _is_at_rest(lane)), None)
    if restless is not None:
        why = ended.halt or f"lane {restless} is not at rest yet"
        raise Refused(
            f"run {engine.book.run.id} could not be ended: {why}",
            hint="try again: `tidegate run --anew`",
        )
    return True


def _end_what_never_began(engine: Engine) -> None:
    """A turn may have been opened by a controller that died before it could start its runner."""
    for lane in list(engine.book.lanes.values()):
        for attempt in lane.attempts.values():
            if attempt.turn is not None and attempt.turn.end is None:
                ended = fence_off(engine, attempt, attempt.turn)
                if ended is not None:
                    engine.book.record(lane.id, ended)
    engine.book.flush()


def _is_at_rest(lane: Lane) -> bool:
    """Nothing of it is under way, and what its agents did is in the hub."""
    is_quiet = not any(attempt.has_open_turn for attempt in lane.attempts.values())
    return is_quiet and lane.landing is None


class _GoneAgent:
    """Stands for an agent that is not installed any more: it starts nothing."""

    name = "gone"

    def preflight(self, settings: RoleSettings, *, path: str) -> str | None:
        """It can never start."""
        del path
        return f"the agent {settings.agent} is not installed"

    def start(self, brief: Brief, place: Place, settings: RoleSettings) -> Start:
        """Refuse: nothing starts while a run is being ended."""
        del place
        raise Refused(f"the agent {settings.agent} of {brief.attempt} is not installed")

    def result(self, place: Place, exit: Exit, *, tail: str) -> Result:  # noqa: A002 - the port's word
        """Nobody can say any more what it meant, and nothing depends on it."""
        del place, exit
        return Result(report=tail, failure=None, is_external=True)


def _load_agent(load: Callable[[str], Agent], name: str) -> Agent:
    try:
        return load(name)
    except TidegateError:
        return _GoneAgent()
