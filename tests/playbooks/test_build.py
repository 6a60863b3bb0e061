"""The build playbook's answers to single questions. What a plan leads to is told in stories."""

from typing import Any

import pytest

from tests.core.samples import attempt_in, candidate, lane_with, made
from tests.playbooks.answers import Answer
from tests.playbooks.story import Story
from tidegate.core import commands as c
from tidegate.core import effects as f
from tidegate.core.attempt import State
from tidegate.core.lane import Correction, End, Landing, Lane, Turn
from tidegate.core.policy import Deadlines, Limits, Policy
from tidegate.core.values import Outcome, Role
from tidegate.playbooks import build as playbook
from tidegate.playbooks.landing_queue import head_of, queue_order

BUILD = "fix-build-1"


def test_a_plan_is_a_function_of_facts() -> None:
    """Asked twice it says the same, and asking changes nothing."""
    story = Story()
    for _ in range(20):
        before = story.lane
        assert story.plan() == story.plan()
        assert story.lane is before
        story.step()


def test_lanes_land_in_the_order_in_which_they_were_offered() -> None:
    """Of two that were offered at the same time the one with the lower id goes first."""
    first, second, third = (
        lane_with(queued_utc=utc, id=name) for utc, name in (("1", "z"), ("2", "a"), ("2", "b"))
    )
    assert sorted([third, second, first], key=queue_order) == [first, second, third]


def test_the_head_is_the_first_of_those_that_are_queued() -> None:
    """A lane that works on its change, or is over, is not in the queue."""
    working, over = lane_with(id="a"), lane_with(id="b", queued_utc="1", outcome=Outcome.LANDED)
    assert head_of([working, over], Limits(), is_ruled_first=False) is None
    waiting = lane_with(id="c", queued_utc="2")
    assert head_of([working, over, waiting], Limits(), is_ruled_first=False) == "c"


@pytest.mark.parametrize("begun", [{"landing": made(Landing)}, {"candidate": candidate()}])
def test_what_is_begun_at_the_head_stays_there(begun: dict[str, Any]) -> None:
    """Whatever the wall clock was set back to when the others were offered."""
    early, head = lane_with(id="a", queued_utc="1"), lane_with(id="b", queued_utc="2", **begun)
    assert head_of([early, head], Limits(), is_ruled_first=False) == "b"


ANSWERING = Correction(finding_digest="f", base="newer")
AT_WORK = attempt_in(State.REVIEWED, turn=Turn(number=2, epoch=2, deadline_s=1.0, base="newer"))


@pytest.mark.parametrize(
    ("overtaken", "is_head"),
    [
        (lane_with(id="z", conflicts=2, correction=ANSWERING), True),
        (lane_with(AT_WORK, id="z", conflicts=2), True),
        (lane_with(id="z", conflicts=2, queued_utc="9"), True),
        (lane_with(id="z", conflicts=1, correction=ANSWERING), False),
        (lane_with(id="z", conflicts=2, correction=Correction(finding_digest="f")), False),
        (lane_with(id="z", conflicts=2, correction=ANSWERING, outcome=Outcome.STOPPED), False),
    ],
    ids=["told", "at work", "offered again", "first conflict", "a fail", "over"],
)
def test_the_queue_waits_for_a_lane_that_was_overtaken(overtaken: Lane, *, is_head: bool) -> None:
    """G7 the other way round: no change is stopped because others were quicker."""
    other = lane_with(id="a", queued_utc="1")
    assert head_of([other, overtaken], Limits(), is_ruled_first=False) == ("z" if is_head else "a")


def test_a_turn_has_the_deadline_of_its_role() -> None:
    """Builds and checks have a deadline each, and the wall labels that go with it."""
    policy = Policy(deadlines=Deadlines(build_s=11, check_s=22))
    story = Story(policy=policy).run()
    turns = [step for step in story.steps if isinstance(step, c.OpenTurn)]
    assert [(turn.deadline_s, turn.deadline_utc) for turn in turns] == [
        (11, "in 11 s"),
        (22, "in 22 s"),
    ]


def test_a_builder_is_looked_at_for_its_first_commit_only() -> None:
    """Once it has one, and in its corrections, nobody looks; a check has none."""
    story = Story(
        checkpoint=[Answer.NOT_YET, Answer.DONE], check=[Answer.FAILS, Answer.FAILS]
    ).run()
    looks = [step for step in story.steps if isinstance(step, f.Checkpoint)]
    assert looks == [f.Checkpoint(BUILD)]


def test_a_workspace_is_named_by_run_and_attempt() -> None:
    """C071: no two attempts share one."""
    story = Story(build=[Answer.LOST]).run()
    places = [step.workspace for step in story.steps if isinstance(step, c.Dispatch)]
    assert places == [f"/w/run/{each}/work" for each in (BUILD, "fix-build-2", "fix-check-1")]


@pytest.mark.parametrize(
    ("given", "is_removable"),
    [
        ({}, True),
        ({"workspace": None}, False),
        ({"is_removed": True}, False),
        ({"state": State.STARTED}, False),
        ({"removals_failed": 3}, False),
        ({"reason": "boundary: a file outside"}, False),
        ({"is_harvested": False}, False),
        ({"is_harvested": False, "how": "not_started"}, True),
        ({"is_harvested": False, "how": "fenced"}, True),
        ({"is_harvested": False, "how": "lost"}, False),
        ({"is_harvested": False, "role": Role.CHECK}, True),
    ],
)
def test_a_workspace_is_removed_when_nothing_is_lost_with_it(
    given: dict[str, Any], *, is_removable: bool
) -> None:
    """Over, harvested or never used, no evidence in it, and not tried too often (G1)."""
    known: dict[str, Any] = {"workspace": "/w", "state": State.STOPPED, "is_harvested": True}
    known |= {"how": "exited", **given}
    end = made(End, how=known.pop("how"))
    turn = Turn(
        number=1, epoch=1, deadline_s=1.0, end=end,
        is_harvested=bool(known.pop("is_harvested")), is_settled=True,
    )  # fmt: skip
    attempt = attempt_in(known.pop("state"), turn=turn, **known)
    assert playbook.is_removable(lane_with(attempt), attempt, Limits()) is is_removable


def test_no_workspace_goes_while_a_turn_is_open_in_it() -> None:
    """Not even where the lane is over."""
    turn = Turn(number=1, epoch=1, deadline_s=1.0)
    attempt = attempt_in(State.STARTED, workspace="/w", turn=turn)
    lane = lane_with(attempt, outcome=Outcome.STOPPED)
    assert playbook.plan(lane, Story().view, playbook.Now(label=str)) == ()
