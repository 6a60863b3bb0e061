"""What a run waits for is told once, when it has not moved for half a minute."""

from types import SimpleNamespace
from typing import cast

from tidegate.core.lane import Lane
from tidegate.core.policy import Policy
from tidegate.core.values import Outcome
from tidegate.engine.engine import Engine
from tidegate.engine.tally import Tally
from tidegate.verbs.standstill import STANDSTILL_S, Standstill, waits_for


def lane(name: str, queued_utc: str | None = None, outcome: Outcome | None = None) -> Lane:
    """An open lane; one that is offered stands in the landing queue since then."""
    return Lane(
        id=name, issue=name, title="T", issue_digest="", text_digest="", footprint=(),
        priority=0, version=1, queued_utc=queued_utc, outcome=outcome,
    )  # fmt: skip


def engine(
    *lanes: Lane, at_s: float = 0.0, is_running: bool = True, disk_note: str | None = None
) -> Engine:
    """As much of one as is looked at."""
    tally = Tally()
    for each in lanes:
        tally.note(each)
    made = SimpleNamespace(
        now=SimpleNamespace(monotonic_s=at_s),
        book=SimpleNamespace(
            lanes={each.id: each for each in lanes},
            tally=tally,
            run=SimpleNamespace(blocked={}),
        ),
        setup=SimpleNamespace(policy=Policy(), asks_owner=False, agent=lambda _: None),
        running={"a folder"} if is_running else set(),
        disk_note=disk_note,
    )
    return cast("Engine", made)


QUEUED = (lane("b", "2026-03-14T09:15:00Z"), lane("c", "2026-03-14T09:16:00Z"), lane("a"))


def test_a_landing_queue_that_stands_says_for_whom() -> None:
    """The head with its stage, and who stands behind it; one that is alone holds up nobody."""
    told = "the landing queue waits for b (preparing); behind it: c"
    assert waits_for(engine(*QUEUED)) == told
    assert waits_for(engine(QUEUED[0], QUEUED[2])) == ""


def test_a_run_with_nothing_under_way_says_so() -> None:
    """What failed is tried again after a pause, or the disk is full; what is over is no matter."""
    over = lane("d", outcome=Outcome.LANDED)
    found = waits_for(engine(lane("a"), over, is_running=False))
    assert found == "waiting: nothing is under way (a preparing)"
    assert waits_for(engine(lane("a"), disk_note="1 kB free")) == "waiting: 1 kB free"
    assert waits_for(engine(over, is_running=False)) == ""
    assert waits_for(engine(lane("a"))) == ""


def test_it_is_told_once_after_a_while() -> None:
    """G8-01, G8-02: one line for a standstill, however long it lasts and however often it ticks."""
    standstill = Standstill()
    looks = [standstill.look(engine(*QUEUED, at_s=at_s)) for at_s in range(0, 600, 3)]
    told = [(3 * number, reason) for number, reason in enumerate(looks) if reason]
    assert told == [(STANDSTILL_S, "the landing queue waits for b (preparing); behind it: c")]


def test_another_standstill_is_told_anew() -> None:
    """Something moved meanwhile: its time begins again."""
    standstill = Standstill()
    assert standstill.look(engine(*QUEUED, at_s=0.0)) is None
    assert standstill.look(engine(*QUEUED[:1], at_s=29.0)) is None
    assert standstill.look(engine(*QUEUED, at_s=31.0)) is None
    assert standstill.look(engine(*QUEUED, at_s=60.9)) is None
    assert standstill.look(engine(*QUEUED, at_s=61.0)) is not None
