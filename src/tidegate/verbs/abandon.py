"""End a run that is open, though its issues are not all decided, so that another can begin.

For a person whose agent is gone or whose configuration was wrong: a run keeps the configuration
that it began with. Nothing is lost: what works is stopped and harvested first, what landed stays
landed, and the issues of the other lanes are open again.
"""

from tidegate.config.load import Configuration
from tidegate.core.commands import EndLane
from tidegate.core.errors import Refused
from tidegate.core.lane import Lane
from tidegate.core.values import Outcome
from tidegate.engine.engine import Engine
from tidegate.engine.loop import Wish, run_loop
from tidegate.engine.turns import fence_off
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.assembly import assemble
from tidegate.verbs.eyes import Eyes
from tidegate.verbs.finish import end_run
from tidegate.verbs.house import House
from tidegate.verbs.summary import Target, summarize

REASON = "a person began anew"


def abandon(
    house: House,
    repository: Repository,
    configuration: Configuration,
    ledger: Ledger,
    run_id: str,
    eyes: Eyes,
) -> None:
    """Stop, harvest and clear away what the run has open, and end it.

    Raises Refused where something of it cannot be brought to its end now: then it is left open.
    """
    engine = assemble(house, repository, configuration, ledger, run_id)
    engine.book.listener = eyes.recorded
    _come_to_rest(engine, eyes)
    for lane in list(engine.book.lanes.values()):
        if lane.outcome is None:
            engine.book.record(lane.id, EndLane(outcome=Outcome.ABANDONED, reason=REASON))
    _come_to_rest(engine, eyes)
    run = engine.book.run
    target = Target(ref=run.started.ref, commit=run.target)
    end_run(engine, summarize(ledger, run_id, target=target, waiting=(), note=""), REASON)


def _come_to_rest(engine: Engine, eyes: Eyes) -> None:
    def wish() -> Wish:
        return Wish.DETACH if eyes.wish() is Wish.DETACH else Wish.STOP

    ended = run_loop(engine, wish=wish, show=eyes.state)
    _end_what_never_began(engine)
    open_lanes = [lane for lane in engine.book.lanes.values() if lane.outcome is None]
    restless = next((lane.id for lane in open_lanes if not _is_at_rest(lane)), None)
    if ended.wish is Wish.DETACH or restless is not None:
        what = f"lane {restless} is not at rest yet" if restless else "it was left at once"
        raise Refused(
            f"run {engine.book.run.id} could not be ended: {ended.halt or what}",
            hint="try again: `tidegate run --anew`",
        )


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
