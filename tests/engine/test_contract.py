"""What the ledger keeps of a run is enough to know what was asked, seen, done and by whom."""

from pathlib import Path

import pytest

from tests.engine.scene import at, die, freeze, outcomes, runs_in, scene, started, told
from tests.sim.builders import GOOD, HANGS, Deed
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.errors import StaleEpoch
from tidegate.core.lease import Release
from tidegate.engine.engine import Engine
from tidegate.engine.places import Places
from tidegate.ports.ledger import Batch

TURN = "fix-build-1/turns/1"


def rows(world: World, table: str) -> list[dict[str, object]]:
    """The rows of the newest run in a table."""
    run = str(world.ledger.runs()[-1]["run_id"])
    return [dict(row) for row in world.ledger.rows(table, run)]


def test_every_take_over_leaves_an_anchor_and_a_time(tmp_path: Path) -> None:
    """C067, C068: the clocks as they were read, when a controller began and each time it looked."""
    world = scene(tmp_path, fix=[Deed(work_s=300.0)])
    at(world, runs_in(world, TURN), die)
    assert world.live() is None
    world.run_to_end()
    read = told(world, e.ClockReconciled)
    assert len(read) == len(told(world, e.ControllerTookOver)) == 2
    kept = rows(world, "clock")
    assert {row["boot_id"] for row in kept} == {"boot 0"}
    assert [row["read_at"] for row in kept] == sorted(str(row["read_at"]) for row in kept)
    rounds = [row for row in kept if row["next_s"] is not None]
    assert len(rounds) == len(told(world, e.MonitorRan)) >= 2


def test_the_schedule_is_in_the_ledger_and_one_controller_keeps_it(tmp_path: Path) -> None:
    """C021, C170, C173, C242: each controller observes at once, and by itself from then on."""
    world = scene(tmp_path, fix=[Deed(work_s=300.0)])
    at(world, runs_in(world, TURN), die)
    assert world.live() is None
    world.run_to_end()
    epochs = [each.controller_epoch for each in told(world, e.ControllerTookOver)]
    assert epochs == [1, 2]
    first_after = world.events().index(told(world, e.ControllerTookOver)[1])
    kinds = [type(each) for each in world.events()[first_after:]]
    assert kinds.index(e.MonitorRan) < kinds.index(e.TurnEnded)


def test_a_heartbeat_says_whose_it_is_and_what_was_done_by_then(tmp_path: Path) -> None:
    """C182: run, attempt, epoch, monotonic time, last unit, state, version."""
    world = scene(tmp_path, fix=[Deed(work_s=300.0)])
    world.run_to_end()
    beats = [row for row in rows(world, "heartbeat") if row["attempt_id"] == "fix-build-1"]
    assert beats
    for beat in beats:
        assert (beat["epoch"], beat["state"]) in {(1, "started"), (1, "checkpointed")}
        assert str(beat["last_completed_unit"]).endswith(" bytes")
        assert beat["controller_version"] == "1"
    times = [float(str(beat["beat_monotonic_s"])) for beat in beats]
    assert times == sorted(set(times))


def test_the_old_attempt_is_fenced_before_its_place_is_taken(tmp_path: Path) -> None:
    """C026, C095, C137: stale, stopped and a higher epoch are durable before the replacement is."""
    world = scene(tmp_path, fix=[HANGS, GOOD])
    freeze(world, TURN)
    world.run_to_end()
    kinds = [type(each).__name__ for each in world.events()]
    order = [kinds.index(name) for name in ("Stale", "Stopped")]
    again = [n for n, each in enumerate(world.events()) if _is_replacement(each)]
    assert order == sorted(order)
    assert order[-1] < again[0]
    (row,) = [each for each in rows(world, "attempt") if each["attempt_id"] == "fix-build-1"]
    assert (row["lease_epoch"], row["lease_token"]) == (2, None)


def _is_replacement(event: e.Event) -> bool:
    return isinstance(event, e.Requested) and event.supersedes is not None


def test_what_takes_its_place_has_an_id_and_a_staging_of_its_own(tmp_path: Path) -> None:
    """C078, C140, C198: no id is used again, and no place; the old one is not changed."""
    world = scene(tmp_path, fix=[HANGS, GOOD])
    freeze(world, TURN)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    old, new = [e for e in rows(world, "attempt") if e["role"] == "build"]
    assert (old["state"], new["state"]) == ("stopped", "accepted")
    assert new["supersedes_attempt_id"] == old["attempt_id"]
    places = Places(home="/home", run="r")
    turns = [places.turn(str(row["attempt_id"]), n) for row in (old, new) for n in (1, 2)]
    assert len(set(turns)) == len(turns)


def test_a_dispatch_is_no_progress(tmp_path: Path) -> None:
    """C008, C013, C237: what an attempt is worth is said by verdicts, and by no state of it."""
    world = scene(tmp_path, fix=[GOOD])
    seen: list[dict[str, object]] = []

    def look(_: Engine) -> None:
        seen.extend(row for row in rows(world, "attempt") if row["role"] == "build")

    world.at_tick.append(look)
    world.run_to_end()
    early = [row for row in seen if row["state"] in {"dispatched", "started", "checkpointed"}]
    assert early
    fields = ("content_verdict", "evidence_verdict", "readiness_verdict", "authorization_status")
    worth = {tuple(str(row[name]) for name in fields) for row in early}
    assert worth == {("unknown", "unknown", "unknown", "none")}


def test_six_fields_stand_beside_a_state(tmp_path: Path) -> None:
    """C074, C244: artifact, independence, content, evidence, readiness and authorization."""
    world = scene(tmp_path, fix=[GOOD])
    world.run_to_end()
    (build,) = [row for row in rows(world, "attempt") if row["role"] == "build"]
    assert build["artifact_status"] == "promoted"
    assert build["content_verdict"] == "meets"
    assert build["authorization_status"] == "granted"
    assert build["evidence_verdict"] == "unknown"
    assert started(world, "/attempts/fix-build-") == 1


def test_expiry_counts_only_by_clocks_that_are_reconciled(tmp_path: Path) -> None:
    """C097: when the wall clock is set by a day a lease runs out, and nobody is dead for it."""
    world = scene(tmp_path, fix=[Deed(work_s=300.0)])

    def step(_: Engine) -> None:
        world.timeline.wall_offset_s += 86_400

    at(world, lambda _: bool(told(world, e.TurnStarted)), step)
    world.run_to_end()
    assert [str(each.trust) for each in told(world, e.ClockReconciled)] == ["trusted", "stepped"]
    assert len(told(world, e.Regranted)) == 1
    assert started(world, "/attempts/fix-build-") == 1
    assert outcomes(world) == {"fix": "landed"}


def test_what_carries_an_old_epoch_is_refused_and_recorded(tmp_path: Path) -> None:
    """C090: somebody fences a turn; what is told of it then changes nothing, and is on record."""
    world = scene(tmp_path, fix=[GOOD])

    def fence(engine: Engine) -> None:
        lease = world.ledger.lease(engine.book.run.id, "fix-build-1")
        taken = Release(
            run_id=lease.run_id, attempt_id=lease.attempt_id, epoch=lease.epoch, fence=True
        )
        world.ledger.commit(engine.book.fence, Batch(leases=(taken,)))

    at(world, lambda _: bool(told(world, e.TurnStarted)), fence)
    world.durable.check_rows = print  # type: ignore[assignment,method-assign]  # no event says it
    with pytest.raises(StaleEpoch):
        world.run_to_end()
    refused = told(world, e.StaleWriteRefused)
    assert {(each.attempt, each.epoch, each.granted) for each in refused} == {("fix-build-1", 1, 2)}
    assert len(refused) == 4  # [limits] infra_max of this world
    assert not told(world, e.TurnEnded)


def test_waiting_records_nothing_but_one_observation_an_interval(tmp_path: Path) -> None:
    """G8: while an agent works nothing is decided, and no model is there that could be asked."""
    world = scene(tmp_path, fix=[Deed(work_s=550.0, commits="never")])
    world.run_to_end()
    events = world.events()
    began = events.index(told(world, e.TurnStarted)[0])
    ended = events.index(told(world, e.TurnEnded)[0])
    kinds = {type(each) for each in events[began + 1 : ended]}
    assert kinds <= {e.Observed, e.MonitorRan}
    assert ended - began <= 4
