"""Cases of a ledger: whole batches, what is read back, the chain, and texts."""
# ruff: noqa: PLR2004 - a number in an assertion is the fact under test

from dataclasses import replace

from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import IllegalTransition, IntegrityError, Misused, VersionConflict
from tidegate.core.values import Outcome, Role, Verdict
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_backend import (
    BUILD,
    Backend,
    Case,
    Desk,
    at_work,
    refusal_of,
    sit_down,
)
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History, digest

KEY = "sk-ant-api03-" + "A1b2C3d4" * 6
OTHER_RUN = "20260102-0000"


def one_bad_entry_refuses_all(backend: Backend) -> None:
    """A batch is recorded whole or not at all, its lease operations and rows included."""
    desk = at_work(backend)
    good = desk.history.opened("002")
    beat = desk.history.renewal(BUILD, 1)
    bad = replace(desk.history.checkpointed("001", BUILD), previous=State.DISPATCHED)
    worse = replace(desk.history.opened("003"), version=5)
    before = desk.snapshot()
    lease = desk.ledger.lease(RUN, BUILD)
    refusal_of(IllegalTransition, lambda: desk.write(good, bad, leases=(beat,)))
    refusal_of(VersionConflict, lambda: desk.write(good, worse, leases=(beat,)))
    assert desk.snapshot() == before
    assert desk.ledger.lease(RUN, BUILD) == lease
    desk.write(good, leases=(beat,))


def what_is_read_is_what_was_committed(backend: Backend) -> None:
    """The events come back as they were acknowledged, in order, by run, lane, place and number."""
    desk = sit_down(backend)
    made = desk.write(*desk.history.reviewed("001", BUILD), desk.history.opened("002"))
    everything = list(desk.ledger.read(RUN))
    assert everything[1:] == made
    assert [each.sequence for each in everything] == sorted(each.sequence for each in everything)
    assert list(desk.ledger.read(RUN, lane="002")) == made[-1:]
    assert list(desk.ledger.read(RUN, after=made[0].sequence, limit=2)) == made[1:3]
    assert list(desk.ledger.read(RUN, limit=0)) == []
    head = desk.ledger.head(RUN)
    assert (head.sequence, head.hash) == (made[-1].sequence, made[-1].hash)
    assert all(one.hash == two.previous_hash for one, two in zip(everything, made, strict=False))


def a_ledger_opens_again_as_it_was(backend: Backend) -> None:
    """After it was closed and opened again nothing is missing, and the chain goes on."""
    desk = at_work(backend)
    before = desk.snapshot()
    desk.ledger.close()
    desk.ledger = backend.open()
    assert desk.snapshot() == before
    desk.write(desk.history.checkpointed("001", BUILD))
    assert not backend.verify(desk.ledger, RUN)


def an_edited_event_is_found(backend: Backend) -> None:
    """The chain holds until an event is edited behind the ledger's back."""
    desk = sit_down(backend)
    made = desk.write(*desk.history.reviewed("001", BUILD))
    assert not backend.verify(desk.ledger, RUN)
    backend.damage_event(desk.ledger, made[3].sequence)
    assert backend.verify(desk.ledger, RUN)


def runs_do_not_meet(backend: Backend) -> None:
    """Two runs in one ledger have chains, versions, rows and controllers of their own."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    ledger = desk.ledger
    ledger.create_run(OTHER_RUN, RUN_STARTED, actor="owner", utc=UTC)
    other = ledger.take_over(OTHER_RUN, holder="host-2:1", utc=UTC)
    ledger.commit(other, Batch(entries=tuple(History().begun("001", BUILD))))
    desk.write(desk.history.opened("002"))
    assert [row["run_id"] for row in ledger.runs()] == [RUN, OTHER_RUN]
    assert len(list(ledger.read(OTHER_RUN))) == 4
    assert not backend.verify(ledger, RUN)
    assert not backend.verify(ledger, OTHER_RUN)


def the_newest_outcome_wins(backend: Backend) -> None:
    """An issue's outcome is that of the lane that ended last, in whatever run, however begun."""
    desk = sit_down(backend)
    ledger, newer = desk.ledger, History()
    desk.write(desk.history.opened("001"))
    ledger.create_run(OTHER_RUN, RUN_STARTED, actor="owner", utc=UTC)
    other = ledger.take_over(OTHER_RUN, holder="host-2:1", utc=UTC)
    opened = newer.opened("001")
    landed = newer.entry("001", e.LaneEnded(outcome=Outcome.LANDED, reason=""))
    ledger.commit(other, Batch(entries=(opened, landed)))
    assert ledger.outcomes() == {"issue-001": (OTHER_RUN, "landed")}
    stopped = e.LaneEnded(outcome=Outcome.STOPPED, reason="")
    desk.write(desk.history.entry("001", stopped))
    assert ledger.outcomes() == {"issue-001": (RUN, "stopped")}


def the_current_attempt_is_one_at_work(backend: Backend) -> None:
    """While a check is at work it is the lane's current attempt; after it the build is again."""
    desk = sit_down(backend)
    desk.write(*desk.history.reviewed("001", BUILD))
    check = "001-check-1"
    desk.write(desk.history.requested("001", check, role=Role.CHECK))
    assert _current(desk) == check
    desk.write(desk.history.ended("001", e.Failed(attempt=check, reason="lost", detail="")))
    assert _current(desk) == BUILD
    desk.write(desk.history.ended("001", e.Blocked(attempt=BUILD, reason="stop")))
    assert _current(desk) == check  # none is at work: the newest


def _current(desk: Desk) -> object:
    (row,) = desk.ledger.summary(RUN).open_lanes
    assert row == desk.ledger.lane_line(RUN, "001")
    return row["attempt_id"]


def a_finding_against_a_check_is_none(backend: Backend) -> None:
    """What a check records of its own failing counts neither as a FAIL nor as a finding."""
    desk = sit_down(backend)
    check = "001-check-1"
    desk.write(*desk.history.reviewed("001", BUILD))
    desk.write(*desk.history.reviewed("002", "002-build-1"))
    desk.write(desk.history.requested("001", check, role=Role.CHECK))
    desk.write(
        desk.history.dispatched("001", check),
        desk.history.turn_opened("001", check),
        desk.history.turn_started("001", check),
        desk.history.checkpointed("001", check),
        desk.history.materialized("001", check),
        desk.history.judged("001", check, Verdict.FAIL),
        desk.history.judged("001", BUILD, Verdict.FAIL),
    )
    line = desk.ledger.lane_line(RUN, "001")
    assert line is not None
    assert line["fails"] == 1
    assert [row["attempt_id"] for row in desk.ledger.rows("finding", RUN)] == [BUILD]


def a_glance_shows_open_lanes_and_counts(backend: Backend) -> None:
    """A summary counts, and shows each open lane with its current attempt and its FAILs."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    desk.write(desk.history.ended("001", e.Blocked(attempt=BUILD, reason="stop")))
    desk.write(desk.history.entry("001", e.LaneEnded(outcome=Outcome.STOPPED, reason="stop")))
    desk.write(*desk.history.reviewed("002", "002-build-1"), desk.history.opened("003"))
    desk.write(desk.history.judged("002", "002-build-1", Verdict.FAIL))
    desk.write(desk.history.judged("002", "002-build-1", Verdict.FAIL, counts=False))
    seen = desk.ledger.summary(RUN)
    assert seen.outcomes == {"stopped": 1}
    assert seen.attempts == {"blocked": 1, "reviewed": 1}
    assert [(row["lane"], row["attempt_id"], row["fails"]) for row in seen.open_lanes] == [
        ("002", "002-build-1", 1),
        ("003", None, 0),
    ]
    line = desk.ledger.lane_line(RUN, "001")
    assert line is not None
    assert (line["outcome"], line["state"], line["reason"]) == ("stopped", "blocked", "stop")
    assert desk.ledger.lane_line(RUN, "none") is None


def a_table_that_is_not_shown_is_refused(backend: Backend) -> None:
    """Only the tables that readers may see are shown."""
    desk = sit_down(backend)
    for table in ("lease", "event; drop table event", "sqlite_schema"):
        refusal_of(Misused, lambda table=table: desk.ledger.rows(table, RUN))  # type: ignore[misc]  # the loop's own value, bound at once


def a_text_is_kept_masked(backend: Backend) -> None:
    """A text is stored without its secrets, under the digest of what is stored."""
    ledger = backend.open()
    name = ledger.put_text(f"the key is {KEY}, keep it\n")
    assert ledger.text(name) == "the key is [masked:anthropic-key], keep it\n"
    assert ledger.put_text("the key is [masked:anthropic-key], keep it\n") == name


def an_event_is_kept_masked(backend: Backend) -> None:
    """Free words in an event are masked before they are hashed; what is returned shows it."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    reason = f"push refused for {KEY}"
    made = desk.write(desk.history.ended("001", e.Failed(attempt=BUILD, reason=reason, detail=KEY)))
    kept = list(desk.ledger.read(RUN))
    assert kept[-1] == made[-1]
    assert KEY not in repr((kept, made, desk.ledger.rows("attempt", RUN)))


def a_damaged_text_is_found(backend: Backend) -> None:
    """A text that was changed after it was stored, or is gone, is not given out."""
    ledger = backend.open()
    name = ledger.put_text("a finding\n")
    refusal_of(IntegrityError, lambda: ledger.text(digest(1)))
    refusal_of(IntegrityError, lambda: ledger.text("../ledger.db"))
    backend.damage_text(ledger, name)
    refusal_of(IntegrityError, lambda: ledger.text(name))


def any_text_comes_back(backend: Backend) -> None:
    """A text comes back as it is, of any script and length; what UTF-8 lacks is written out."""
    ledger = backend.open()
    for text in ("", "\x00\r\n", "zażółć 漢字 🌊", "x" * 3_000_000):
        assert ledger.text(ledger.put_text(text)) == text
    assert ledger.text(ledger.put_text("half \udc80")) == "half \\udc80"


CASES: tuple[Case, ...] = (
    one_bad_entry_refuses_all,
    what_is_read_is_what_was_committed,
    a_ledger_opens_again_as_it_was,
    an_edited_event_is_found,
    runs_do_not_meet,
    the_newest_outcome_wins,
    the_current_attempt_is_one_at_work,
    a_finding_against_a_check_is_none,
    a_glance_shows_open_lanes_and_counts,
    a_table_that_is_not_shown_is_refused,
    a_text_is_kept_masked,
    an_event_is_kept_masked,
    a_damaged_text_is_found,
    any_text_comes_back,
)
