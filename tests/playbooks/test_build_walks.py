"""A lane under whatever a world may answer: what must always hold, and that it always ends."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.playbooks.story import Story
from tests.playbooks.walks import WILD_STEPS, Walk, seeded
from tidegate.core import commands as c
from tidegate.core.errors import Refused

WALKS = 60
SEARCHED = 30
FIXED = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=SEARCHED,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""The same walks on every machine and in every run."""


@FIXED
@given(st.data())
def test_whatever_the_world_answers_the_rules_hold_and_the_lane_ends(data: st.DataObject) -> None:
    """G7, B09: every rule of `invariants` at each step, and an end in a named number of steps."""
    Walk(lambda options: data.draw(st.sampled_from(options))).run()


def test_long_walks_end_too() -> None:
    """The same, drawn evenly from a seed, which reaches further than a search for the smallest."""
    for seed in range(WALKS):
        Walk(seeded(seed)).run()


def test_whatever_is_recorded_twice_is_refused() -> None:
    """G2: a request or an observation that comes again changes nothing, wherever the lane is."""
    for seed in range(SEARCHED):
        walk = Walk(seeded(seed))
        for _ in range(WILD_STEPS):
            walk.story.step()
            _repeat(walk.story)


def _repeat(story: Story) -> None:
    last = story.commands[-1]
    if not isinstance(last, c.NoteJobFailure):  # two failures of the same kind are two failures
        with pytest.raises(Refused):
            story.decided(last)
