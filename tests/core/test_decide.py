"""What each command makes true of a lane, and what is refused where it does not fit."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import get_args

import pytest

from tests.core.samples import made
from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import commands as c
from tidegate.core import decide as deciding
from tidegate.core import events as e
from tidegate.core.errors import Refused
from tidegate.core.evolve import evolve
from tidegate.core.lane import Lane
from tidegate.core.policy import Limits
from tidegate.core.values import Cause, Outcome, Role, Ruling

BUILD, CHECK = "fix-build-1", "fix-check-1"
COMMANDS: tuple[type, ...] = get_args(c.Command)
NAMES_AN_ATTEMPT = [each for each in COMMANDS if "attempt" in {x.name for x in fields(each)}]


def decided(lane: Lane | None, command: c.Command) -> Sequence[str]:
    """The kinds of events that a command leads to."""
    return [e.NAMES[type(each)] for each in deciding.decide(lane, command, Limits())]


# --- the whole way ----------------------------------------------------------------------------

LANDED = """\
open_lane -> lane_opened
reserve -> reserved
request_build -> requested
dispatch -> dispatched
note_workspace -> workspace_ready
open_turn -> turn_opened
note_start -> turn_started
note_checkpoint -> checkpointed
note_end -> turn_ended
note_harvest -> harvested, artifact_staged
note_promotion -> materialized
note_candidate -> candidate_made
request_check -> requested
dispatch -> dispatched
note_workspace -> workspace_ready
open_turn -> turn_opened
note_start -> turn_started
note_end -> turn_ended, artifact_staged
note_promotion -> checkpointed, materialized, judged, accepted, judged
rule -> ruled
intend_landing -> landing_intended
note_landing -> landed, accepted, lane_ended
note_removal -> workspace_removed
note_removal -> workspace_removed
"""

CORRECTED = """\
open_turn -> turn_opened
note_start -> turn_started
note_end -> turn_ended
note_harvest -> harvested, artifact_staged
note_promotion -> corrected
note_candidate -> candidate_made
"""


def recorded(story: Story) -> Sequence[str]:
    """Each command of a story with the events that it led to, as lines of text."""
    entries = iter(story.entries)
    lines, lane = [], None
    for command in story.commands:
        kinds = decided(lane, command)
        for _ in kinds:
            lane = evolve(lane, next(entries))
        lines.append(f"{e.kind_of(type(command))} -> {', '.join(kinds)}")
    return lines


def test_a_lane_that_lands_is_these_commands_and_these_events() -> None:
    """From the issue to the landing, with nothing between that is not written down."""
    assert recorded(Story(checkpoint=[Answer.DONE]).run()) == LANDED.splitlines()


def test_a_correction_is_these_commands_and_these_events() -> None:
    """The same attempt, one turn more: no second dispatch and no second checkpoint."""
    lines = recorded(Story(check=[Answer.FAILS, Answer.FAILS]).run())
    lines = [line for line in lines if not line.startswith("note_removal")]
    at = lines.index("note_promotion -> corrected")
    assert lines[at - 4 : at + 2] == CORRECTED.splitlines()


# --- what never fits --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [each for each in COMMANDS if each is not c.OpenLane])
def test_nothing_can_be_asked_of_a_lane_that_is_not_there(kind: type) -> None:
    """Only opening it makes a lane."""
    with pytest.raises(Refused, match="no such lane"):
        decided(None, made(kind))


@pytest.mark.parametrize("kind", NAMES_AN_ATTEMPT)
def test_nothing_can_be_noted_of_an_attempt_that_is_not_there(kind: type) -> None:
    """An unknown id is refused in words, not a crash."""
    with pytest.raises(Refused, match="no attempt fix-build-9"):
        decided(Story().lane, made(kind, attempt="fix-build-9"))


TIDYING = (c.NoteRemoval, c.NoteEviction, c.NoteJobFailure)


@pytest.mark.parametrize("kind", [each for each in COMMANDS if each not in TIDYING])
def test_a_lane_that_is_over_takes_nothing_but_its_tidying_up(kind: type) -> None:
    """Late words about a lane that has landed change nothing."""
    with pytest.raises(Refused):
        decided(Story().run().lane, made(kind))


@pytest.mark.parametrize("kind", [each for each in NAMES_AN_ATTEMPT if each not in TIDYING])
def test_an_attempt_that_is_over_takes_nothing_but_its_tidying_up(kind: type) -> None:
    """A stale worker changes nothing (G2): what it still says of its attempt is refused."""
    lane = Story(build=[Answer.LOST]).run(until=lambda lane: len(lane.attempts) == 2).lane
    with pytest.raises(Refused, match="is stopped"):
        decided(lane, made(kind))


# --- what does not fit now ----------------------------------------------------------------------

At = Callable[[Lane], object]


def _has_environment(lane: Lane) -> object:
    return BUILD in lane.attempts and lane.attempts[BUILD].environment


def _has_turn(lane: Lane) -> object:
    return BUILD in lane.attempts and lane.attempts[BUILD].turn


def _has_ended(lane: Lane) -> object:
    turn = lane.attempts[BUILD].turn if BUILD in lane.attempts else None
    return turn and turn.end


def _is_harvested(lane: Lane) -> object:
    turn = lane.attempts[BUILD].turn if BUILD in lane.attempts else None
    return turn and turn.is_harvested


def _has_check(lane: Lane) -> object:
    return lane.open_judge and lane.open_judge.turn


MERGED = made(c.NoteCandidate, target="base", tip=f"{BUILD}#1")
LAND, STOP = (c.Rule(ruling=each, by="x") for each in (Ruling.LAND, Ruling.STOP))
REFUSALS: Sequence[tuple[str, At, c.Command, str]] = [
    ("a second opening", lambda lane: lane, made(c.OpenLane), "has a lane"),
    ("a second live build", lambda x: x.attempts, made(c.RequestBuild), "one live attempt"),
    ("a check of nothing", lambda x: x.attempts, c.RequestCheck(cause=None), "no candidate"),
    ("a second live check", _has_check, c.RequestCheck(cause=None), "one live attempt"),
    ("a second slot", _has_environment, made(c.Dispatch), "already"),
    ("a workspace without a slot", lambda x: x.attempts, made(c.NoteWorkspace), "waits for no"),
    ("a second workspace", _has_environment, made(c.NoteWorkspace), "waits for no"),
    ("a turn in no workspace", lambda x: x.attempts, made(c.OpenTurn), "no workspace"),
    ("a turn in a turn", _has_turn, made(c.OpenTurn), "open turn"),
    ("a turn for nothing", lambda x: x.candidate, made(c.OpenTurn), "no finding"),
    ("a start without a turn", _has_environment, made(c.NoteStart), "no open turn"),
    ("an end without a turn", _has_environment, made(c.NoteEnd), "no open turn"),
    ("a second end", _has_ended, made(c.NoteEnd), "is over"),
    ("a start after the end", _has_ended, made(c.NoteStart), "is over"),
    ("a harvest before the end", _has_turn, made(c.NoteHarvest), "nothing that is to be"),
    ("a second harvest", _is_harvested, made(c.NoteHarvest), "nothing that is to be"),
    ("a promotion of nothing", _has_turn, made(c.NotePromotion), "nothing that is about to be"),
    ("a promotion before the harvest", _has_ended, made(c.NotePromotion), "nothing that is about"),
    ("a merge of no build", lambda lane: lane, MERGED, "has no build"),
    ("a merge of nothing", _has_turn, MERGED, "does not wait"),
    ("a merge under a check", _has_check, MERGED, "does not wait"),
    ("a merge into a landing", lambda x: x.landing, MERGED, "does not wait"),
    ("a second merge", lambda x: x.candidate, MERGED, "is merged onto"),
    ("a merge of an old tip", lambda x: x.candidate, made(c.NoteCandidate), "no longer at"),
    ("a conflict of an old tip", lambda x: x.candidate, made(c.NoteConflict), "no longer at"),
    ("a ruling on no verdict", lambda x: x.candidate, LAND, "no verdict"),
    ("a second ruling", lambda x: x.ruled_utc, LAND, "already"),
    ("a stop under a turn", _has_turn, STOP, "not at rest"),
    ("a stop under a landing", lambda x: x.landing, STOP, "not at rest"),
    ("a landing without a ruling", lambda x: x.candidate, made(c.IntendLanding), "not ruled"),
    ("a second landing", lambda x: x.landing, made(c.IntendLanding), "already"),
    ("a move that nobody intended", lambda x: x.ruled_utc, c.NoteLanding(), "no landing"),
    ("a refusal of nothing", lambda x: x.ruled_utc, made(c.NoteLandingRefused), "no landing"),
    (
        "an end that only a landing can say", lambda x: x.landing,
        c.EndLane(outcome=Outcome.LANDED, reason=""), "only a landing",
    ),
    (
        "an end under a landing", lambda x: x.landing,
        c.EndLane(outcome=Outcome.ABANDONED, reason=""), "may have happened",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("at", "command", "words"),
    [pytest.param(at, command, words, id=name) for name, at, command, words in REFUSALS],
)
def test_what_does_not_fit_the_lane_is_refused(at: At, command: c.Command, words: str) -> None:
    """At this point of a lane's way the command is refused, and says why."""
    with pytest.raises(Refused, match=words):
        decided(Story().run(until=at).lane, command)


def test_a_merge_of_what_has_a_finding_to_answer_is_refused() -> None:
    """A candidate of a change that is to be corrected would be one too many."""
    story = Story(check=[Answer.FAILS, Answer.FAILS]).run(until=lambda lane: lane.correction)
    with pytest.raises(Refused, match="does not wait"):
        decided(story.lane, made(c.NoteConflict, tip=f"{BUILD}#1"))


def test_a_build_takes_anothers_place_for_a_cause_only() -> None:
    """A further build that names none would begin as if nothing had been."""
    story = Story(build=[Answer.LOST]).run(until=lambda x: x.attempts and x.attempts[BUILD].is_over)
    with pytest.raises(Refused, match="must say why"):
        decided(story.lane, c.RequestBuild(agent="agent", cause=None))
    assert decided(story.lane, c.RequestBuild(agent="agent", cause=Cause.OWN)) == ["requested"]


def test_a_workspace_goes_once() -> None:
    """A second removal is refused."""
    with pytest.raises(Refused, match="gone already"):
        decided(Story().run().lane, made(c.NoteRemoval))


# --- what an end leaves -------------------------------------------------------------------------


def test_the_end_of_a_lane_leaves_no_attempt_open() -> None:
    """What is still under way is blocked for the lane's reason, in the same step."""
    lane = Story().run(until=_has_check).lane
    events = deciding.decide(lane, c.EndLane(outcome=Outcome.STOPPED, reason="why"), Limits())
    assert [e.NAMES[type(each)] for each in events] == ["blocked", "blocked", "lane_ended"]
    assert {each.reason for each in events if isinstance(each, e.Blocked)} == {"why"}


@pytest.mark.parametrize(("gives_up", "kinds"), [(False, 1), (True, 2)])
def test_a_failed_job_blocks_at_its_limit_only(kinds: int, *, gives_up: bool) -> None:
    """Below the limit it is a fact and no more."""
    story = Story().run(until=lambda lane: lane.attempts)
    failure = made(c.NoteJobFailure, job="prepare", reason="disk", gives_up=gives_up)
    events = deciding.decide(story.lane, failure, Limits())
    assert [e.NAMES[type(each)] for each in events] == ["job_failed", "blocked"][:kinds]


def test_an_owner_may_stop_what_has_failed() -> None:
    """A stop of an attempt that is over blocks it: nothing takes its place."""
    story = Story(build=[Answer.FLOODS]).run(
        until=lambda x: x.attempts and x.attempts[BUILD].is_over
    )
    story.record(c.Rule(ruling=Ruling.STOP, by="owner"))
    assert story.run().outcome is Outcome.STOPPED
    assert len(story.attempts()) == 1


def test_a_check_names_the_commit_that_it_judges() -> None:
    """It is requested for what would land, and for nothing else."""
    story = Story().run(until=lambda lane: lane.open_judge)
    assert story.lane.candidate is not None
    assert story.attempts(Role.CHECK)[0].commit == story.lane.candidate.commit
