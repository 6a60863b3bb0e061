"""Single guards of the decisions, each on a lane that is made by hand for it."""

import pytest

from tests.core.samples import attempt_in, candidate, lane_with, made
from tidegate.core import commands as c
from tidegate.core import decide as deciding
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, Candidate, Correction, Lane, Turn
from tidegate.core.policy import Limits
from tidegate.core.values import Role, Ruling, Verdict

BUILD, CHECK = "fix-build-1", "fix-check-1"


def decided(lane: Lane, command: c.Command) -> None:
    """Decide, for the refusal alone."""
    deciding.decide(lane, command, Limits())


@pytest.mark.parametrize(
    ("verdict", "ruled_utc"), [(Verdict.PASS, None), (None, "now"), (Verdict.FAIL, "now")]
)
def test_only_a_pass_that_is_ruled_may_move_the_target(
    verdict: Verdict | None, ruled_utc: str | None
) -> None:
    """G9: neither a verdict without a ruling nor a ruling whose verdict is gone is enough."""
    judged = candidate(verdict=verdict)
    lane = lane_with(attempt_in(State.REVIEWED), candidate=judged, ruled_utc=ruled_utc)
    with pytest.raises(Refused, match="not ruled to land"):
        decided(lane, made(c.IntendLanding))


def test_nothing_lands_that_was_not_merged() -> None:
    """Without a candidate there is nothing to rule on."""
    with pytest.raises(Refused, match="no verdict"):
        decided(lane_with(attempt_in(State.REVIEWED)), c.Rule(ruling=Ruling.LAND, by="auto"))


@pytest.mark.parametrize("state", [State.BLOCKED, State.STOPPED, State.FAILED])
def test_a_build_that_is_over_is_not_merged(state: State) -> None:
    """Its merge was under way when it ended: what comes of it is too late."""
    with pytest.raises(Refused, match="does not wait"):
        decided(lane_with(attempt_in(state, tip="tip")), made(c.NoteConflict, tip="tip"))


@pytest.mark.parametrize("state", [State.BLOCKED, State.ACCEPTED])
def test_what_is_blocked_or_accepted_is_not_stopped(state: State) -> None:
    """There is no way from there to being blocked."""
    with pytest.raises(Refused, match="nothing to stop"):
        decided(lane_with(attempt_in(state)), c.Rule(ruling=Ruling.STOP, by="owner"))


@pytest.mark.parametrize(("merged", "tree"), [(candidate(), "tree"), (None, "own")])
def test_a_ruling_names_the_tree_that_it_is_about(merged: Candidate | None, tree: str) -> None:
    """What would land, or else what was made."""
    lane = lane_with(attempt_in(State.REVIEWED, tree="own"), candidate=merged)
    ruled = deciding.decide(lane, c.Rule(ruling=Ruling.STOP, by="owner"), Limits())[0]
    assert isinstance(ruled, e.Ruled)
    assert ruled.tree == tree


# --- what a turn is told ------------------------------------------------------------------------

ASKED = Correction(finding_digest="f", base="target")


def opened(lane: Lane, attempt: str = BUILD) -> tuple[str | None, str | None]:
    """The finding and the base that a turn opened now would get."""
    (event,) = deciding.decide(lane, made(c.OpenTurn, attempt=attempt), Limits())
    assert isinstance(event, e.TurnOpened)
    return event.finding_digest, event.base


def test_a_builder_is_told_the_open_finding_with_its_target() -> None:
    """Whatever its predecessor was told."""
    assert opened(lane_with(_ready(), correction=ASKED)) == ("f", "target")


def test_a_check_is_told_nothing() -> None:
    """G5: it judges without the builder's context."""
    lane = lane_with(_ready(id=CHECK, role=Role.CHECK), correction=ASKED)
    assert opened(lane, CHECK) == (None, None)


@pytest.mark.parametrize(
    ("old", "told"),
    [
        (None, (None, None)),
        (Turn(number=1, epoch=1, deadline_s=1.0), (None, None)),
        (Turn(number=2, epoch=2, deadline_s=1.0, finding_digest="f", base="b"), ("f", "b")),
    ],
)
def test_a_successor_is_told_what_its_predecessor_was(
    old: Turn | None, told: tuple[str | None, str | None]
) -> None:
    """Nothing, where that one never worked or had nothing to answer."""
    before = attempt_in(State.BLOCKED, turn=old)
    assert (
        opened(lane_with(before, _ready(id="fix-build-2", supersedes=BUILD)), "fix-build-2") == told
    )


def test_a_successor_is_told_once() -> None:
    """A further turn of it needs a finding of its own."""
    old = Turn(number=2, epoch=2, deadline_s=1.0, finding_digest="f", is_settled=True)
    lane = lane_with(
        attempt_in(State.BLOCKED, turn=old),
        _ready(id="fix-build-2", supersedes=BUILD, turn=old),
    )
    with pytest.raises(Refused, match="no finding"):
        opened(lane, "fix-build-2")


def _ready(**given: object) -> Attempt:
    return attempt_in(State.DISPATCHED, workspace="/w", environment="e", **given)


# --- what a merge carries over ------------------------------------------------------------------

VERIFIED = candidate(verdict=Verdict.PASS, is_verified=True)


@pytest.mark.parametrize(
    ("known", "is_disjoint", "is_carried"),
    [
        (VERIFIED, True, True),
        (VERIFIED, False, False),
        (candidate(verdict=Verdict.PASS), True, False),
        (candidate(verdict=Verdict.PASS, is_verified=True, tip="older"), True, False),
        (None, True, False),
    ],
)
def test_a_judgement_is_carried_for_the_same_change_beside_others_only(
    known: Candidate | None, *, is_disjoint: bool, is_carried: bool
) -> None:
    """G5: the same tip, verified, and no path of it touched by what the target has gained."""
    lane = lane_with(attempt_in(State.REVIEWED, tip="tip"), candidate=known)
    merged = made(
        c.NoteCandidate, target="newer", tip="tip", has_passed=False, is_disjoint=is_disjoint
    )
    (event,) = deciding.decide(lane, merged, Limits())
    assert isinstance(event, e.CandidateMade)
    assert event.is_carried is is_carried
