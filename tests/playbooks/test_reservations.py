"""Reservations order and never refuse: who waits for whom, and that somebody can always go on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.samples import attempt_in, lane_with, made
from tidegate.core.attempt import State
from tidegate.core.footprint import overlap, parse
from tidegate.core.lane import Correction, Lane, Question
from tidegate.core.policy import Limits
from tidegate.core.values import Outcome, Role
from tidegate.playbooks.landing_queue import head_of
from tidegate.playbooks.reservations import held_by, waits_for_paths

FIXED = settings(derandomize=True, database=None, deadline=None, max_examples=60)
QUESTION = made(Question, is_deferred=True)
JUDGE = attempt_in(State.STARTED, id="judge", role=Role.ADJUDICATE)


def lane(name: str, *footprint: str, **given: Any) -> Lane:
    """A lane that expects to change these paths."""
    judges = [given.pop("judge")] if "judge" in given else []
    return lane_with(*judges, id=name, footprint=footprint, **given)


def holder(name: str, *footprint: str, **given: Any) -> Lane:
    """A lane that holds what it expects to change."""
    return lane(name, *footprint, reserved=footprint, **given)


A_HOLDS, B_WAITS = holder("a", "src/**"), lane("b", "src/one")


def test_who_holds_a_path_is_waited_for() -> None:
    """A10: by real path semantics, and wherever in the order it stands."""
    assert held_by(B_WAITS, [A_HOLDS, B_WAITS]) == "a"
    assert held_by(B_WAITS, [B_WAITS, A_HOLDS]) == "a"
    assert held_by(lane("c", "lib/**"), [A_HOLDS]) is None


def test_what_is_held_counts_and_not_what_was_expected() -> None:
    """An adjudicator's later word changes no reservation."""
    other = lane("a", "src/**", reserved=("lib/**",))
    assert held_by(B_WAITS, [other, B_WAITS]) is None
    assert held_by(lane("c", "lib/x"), [other]) == "a"


def test_the_first_that_waits_goes_first() -> None:
    """First come, first served: a later lane does not overtake one that waits for longer."""
    first, second = lane("a", "src/**"), lane("b", "src/**")
    assert held_by(first, [first, second]) is None
    assert held_by(second, [first, second]) == "a"


def test_a_lane_that_waits_for_another_holds_up_who_comes_after_it() -> None:
    """Else a row of narrow lanes would starve a wide one."""
    wide, narrow = lane("b", "src/**"), lane("c", "src/two")
    lanes = [holder("a", "src/one"), wide, narrow]
    assert held_by(wide, lanes) == "a"
    assert held_by(narrow, lanes) == "b"


@pytest.mark.parametrize(
    "given",
    [
        {"outcome": Outcome.LANDED},
        {"outcome": Outcome.STOPPED},
        {"question": QUESTION, "reserved": None},
    ],
    ids=["landed", "stopped", "asks its owner"],
)
def test_who_is_over_or_waits_for_its_owner_is_in_nobodys_way(given: dict[str, Any]) -> None:
    """Neither by what it held nor by its place in the row; and it waits for nothing itself."""
    other = replace(A_HOLDS, **given)
    assert held_by(B_WAITS, [other, B_WAITS]) is None
    assert not waits_for_paths(other)
    assert held_by(other, [B_WAITS, other]) is None


def test_a_lane_that_is_still_adjudicated_is_in_nobodys_way() -> None:
    """Its footprint may become another, and it may never be built."""
    judged = lane("a", "src/**", judge=JUDGE)
    assert held_by(B_WAITS, [judged, B_WAITS]) is None
    assert held_by(B_WAITS, [replace(judged, attempts={}), B_WAITS]) == "a"


def test_a_lane_without_a_footprint_waits_for_nobody() -> None:
    """What it changes meets the others at the merge."""
    assert not waits_for_paths(lane("c"))
    assert held_by(lane("c"), [A_HOLDS]) is None
    assert held_by(B_WAITS, [lane("a"), B_WAITS]) is None


def test_who_holds_its_paths_waits_for_nobody() -> None:
    """All are taken at once."""
    assert held_by(A_HOLDS, [holder("z", "src/one"), A_HOLDS]) is None


def test_the_queue_does_not_wait_for_a_lane_that_waits_for_paths() -> None:
    """G7: whoever holds them may have to land first, and each would wait for the other."""
    asked = Correction(finding_digest="f", base="newer")
    overtaken = lane("a", "src/**", conflicts=2, correction=asked)
    queued = holder("b", "src/one", queued_utc="1")
    lanes = [overtaken, queued]
    assert held_by(overtaken, lanes) == "b"
    assert head_of(lanes, Limits(), is_ruled_first=False) == "b"
    held = replace(overtaken, reserved=overtaken.footprint)
    assert head_of([held, queued], Limits(), is_ruled_first=False) == "a"


def test_what_is_not_ruled_yet_is_not_the_head() -> None:
    """Where a change is ruled first: its verification may take long, and others land meanwhile."""
    early, ruled = lane("a", queued_utc="1"), lane("b", queued_utc="2", ruled_utc="3")
    assert head_of([early, ruled], Limits(), is_ruled_first=True) == "b"
    assert head_of([early], Limits(), is_ruled_first=True) is None


def test_who_waits_for_its_owner_is_not_the_head() -> None:
    """G7: a question that nobody answers blocks no other lane."""
    asked = lane("a", queued_utc="1", question=QUESTION, conflicts=2)
    assert head_of([asked, lane("b", queued_utc="2")], Limits(), is_ruled_first=False) == "b"


# --- any number of lanes ------------------------------------------------------------------------

PATHS = ("src/**", "src/one", "src/two/*", "lib/**", "lib/x", "docs/a.md", "**/x")
STATES: Sequence[dict[str, Any]] = (
    {},
    {},
    {"question": QUESTION},
    {"outcome": Outcome.LANDED},
    {"judge": JUDGE},
    {"is_holder": True},
)


@st.composite
def rows_of_lanes(draw: st.DrawFn) -> list[Lane]:
    """Lanes in the order in which they were opened; who holds paths got them by the rules."""
    lanes: list[Lane] = []
    for number in range(draw(st.integers(1, 7))):
        footprint = draw(st.lists(st.sampled_from(PATHS), max_size=3, unique=True))
        state = dict(draw(st.sampled_from(STATES)))
        is_holder = state.pop("is_holder", False)
        new = lane(f"l{number}", *footprint, **state)
        if is_holder and footprint and not any(_meet(new, x) for x in lanes if x.reserved):
            new = replace(new, reserved=new.footprint)
        lanes.append(new)
    return lanes


def _meet(one: Lane, other: Lane) -> bool:
    first, second = ([parse(each) for each in x.footprint] for x in (one, other))
    return overlap(first, second)


@FIXED
@given(rows_of_lanes())
def test_no_circle_of_waits_can_form(lanes: list[Lane]) -> None:
    """G7: from each lane that waits the way ends at one that does not."""
    waits = {each.id: held_by(each, lanes) for each in lanes}
    for start, first in waits.items():
        seen, at = {start}, first
        while at is not None:
            assert at not in seen, waits
            seen.add(at)
            at = waits[at]


@FIXED
@given(rows_of_lanes())
def test_whoever_is_waited_for_can_go_on(lanes: list[Lane]) -> None:
    """G7: the end of each way holds its paths, or may take them now; it waits for no owner."""
    by_id = {each.id: each for each in lanes}
    for each in lanes:
        other = held_by(each, lanes)
        if other is not None:
            assert by_id[other].outcome is None
            assert not by_id[other].is_waiting_for_owner
    waiting = [each for each in lanes if waits_for_paths(each)]
    holders = [each for each in lanes if each.outcome is None and each.reserved is not None]
    if waiting and not holders:
        assert any(held_by(each, lanes) is None for each in waiting)


@FIXED
@given(rows_of_lanes(), st.data())
def test_in_whatever_order_lanes_go_on_all_come_to_their_end(
    lanes: list[Lane], data: st.DataObject
) -> None:
    """No two hold overlapping paths, and nobody is left over."""
    lanes = [replace(each, attempts={}, question=None) for each in lanes]
    for _ in range(2 * len(lanes)):
        free = [n for n, x in enumerate(lanes) if waits_for_paths(x) and not held_by(x, lanes)]
        over = [n for n, x in enumerate(lanes) if x.outcome is None and not waits_for_paths(x)]
        if not free and not over:
            break
        chosen = data.draw(st.sampled_from([*free, *over]))
        if chosen in free:
            lanes[chosen] = replace(lanes[chosen], reserved=lanes[chosen].footprint)
        else:
            lanes[chosen] = replace(lanes[chosen], outcome=Outcome.LANDED)
        held = [x for x in lanes if x.outcome is None and x.reserved]
        assert not any(_meet(x, y) for n, x in enumerate(held) for y in held[:n])
    assert all(each.outcome is not None for each in lanes)
