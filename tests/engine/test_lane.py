"""One lane on its way through the engine, and two that meet."""

from pathlib import Path

from tests.engine.scene import outcomes, scene, started, told
from tests.sim.builders import BAD, BREACHES, GIVES_UP, GOOD, IDLE, Deed
from tests.sim.repositories import HUB_TARGET
from tidegate.core import events as e
from tidegate.core.values import Role, Verdict

SHARES = Deed(shares=True)


def test_a_lane_lands_the_very_commit_that_was_checked(tmp_path: Path) -> None:
    """The commit that the check ran on becomes the target, in the hub and at the user's."""
    world = scene(tmp_path, fix=[GOOD])
    result = world.run_to_end()
    assert result.exit_code == 0
    (landed,) = told(world, e.Landed)
    (check,) = [each for each in told(world, e.Requested) if each.role is Role.CHECK]
    (run,) = world.ledger.runs()
    assert landed.commit == check.commit == world.git.hub[HUB_TARGET(str(run["run_id"]))]
    assert world.git.checkout.refs[str(run["ref"])] == landed.commit


def test_a_failed_check_goes_back_word_for_word(tmp_path: Path) -> None:
    """The next turn is told what the check said: it fails twice, and its target passes it."""
    world = scene(tmp_path, fix=[BAD, GOOD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    fails = [each for each in told(world, e.Judged) if each.attempt == "fix-build-1"][:3]
    assert [(each.verdict, each.counts) for each in fails] == [
        (Verdict.FAIL, False),
        (Verdict.FAIL, False),
        (Verdict.FAIL, True),
    ]
    first, second = [each for each in told(world, e.TurnOpened) if "build" in each.attempt]
    assert first.finding_digest is None
    assert second.finding_digest == fails[1].finding_digest == fails[2].finding_digest
    assert world.ledger.text(second.finding_digest or "").startswith("$ check\n")


def test_three_fails_stop_a_lane(tmp_path: Path) -> None:
    """A builder that never gets it right has three rounds, and its lane is stopped for that."""
    result = scene(tmp_path, fix=[BAD]).run_to_end()
    (stopped,) = result.summary.stopped
    assert stopped.reason == "STOP at FAIL 3"
    assert result.exit_code == 1


def test_nothing_done_is_a_fail(tmp_path: Path) -> None:
    """An empty change is told as such, without a check, and may be mended."""
    world = scene(tmp_path, fix=[IDLE, GOOD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert told(world, e.Judged)[0].reason == "empty"
    assert started(world, "fix-check-1/") == 1


def test_an_agent_that_gives_up_is_told_its_own_last_words(tmp_path: Path) -> None:
    """An exit code other than 0 without a report is a FAIL that costs a round and no check."""
    world = scene(tmp_path, fix=[GIVES_UP, GOOD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    fail = told(world, e.Judged)[0]
    assert (fail.reason, fail.counts) == ("agent_failed", True)
    assert "exit code 3" in world.ledger.text(fail.finding_digest or "")


def test_two_lanes_that_conflict_both_land(tmp_path: Path) -> None:
    """The later one gets the conflict as a finding that is no FAIL, merges, and is checked anew."""
    world = scene(tmp_path, one=[SHARES], two=[SHARES])
    world.run_to_end()
    assert outcomes(world) == {"one": "landed", "two": "landed"}
    (conflict,) = told(world, e.Conflicted)
    assert conflict.paths == ("shared",)
    lane = world.durable.lanes[conflict.attempt.partition("-")[0]]
    assert (lane.fails, lane.conflicts) == (0, 1)
    assert "git merge" in world.ledger.text(conflict.finding_digest)
    (run,) = world.ledger.runs()
    assert (
        world.git.objects.tree(world.git.hub[HUB_TARGET(str(run["run_id"]))])["shared"] == "one two"
    )


def test_a_change_that_only_fails_with_another_is_caught_before_it_lands(tmp_path: Path) -> None:
    """Both pass alone; the later one is merged onto the first, checked as merged, and mended."""
    clash = Deed(writes="clash:x")
    world = scene(tmp_path, one=[clash, GOOD], two=[clash, GOOD])
    world.run_to_end()
    assert outcomes(world) == {"one": "landed", "two": "landed"}
    assert world.durable.lanes["two"].fails + world.durable.lanes["one"].fails == 1


def test_an_issue_waits_for_the_one_it_needs(tmp_path: Path) -> None:
    """A lane is opened only when what it stands on has landed."""
    world = scene(tmp_path, one=[GOOD], two=[GOOD])
    object.__setattr__(world.plan, "needs", {"one": ("two",)})
    world.run_to_end()
    assert [each.issue for each in told(world, e.LaneOpened)] == ["two", "one"]


def test_a_need_that_never_lands_is_named(tmp_path: Path) -> None:
    """The run ends, and says for what the issue waits."""
    world = scene(tmp_path, one=[BAD], two=[GOOD])
    object.__setattr__(world.plan, "needs", {"two": ("one",)})
    result = world.run_to_end()
    (waiting,) = result.summary.waiting
    assert (waiting.issue, waiting.waits_for) == ("two", "issue one")


def test_a_breach_of_the_boundary_stops_the_lane_and_keeps_the_workspace(tmp_path: Path) -> None:
    """Nothing takes its place without a ruling, and the evidence stays where it is."""
    world = scene(tmp_path, fix=[BREACHES])
    result = world.run_to_end()
    (stopped,) = result.summary.stopped
    assert stopped.reason == "boundary: wrote outside of its workspace"
    assert [path.split("/")[-2] for path in world.git.workspaces] == ["fix-build-1"]
