"""What is thought of a turn under way, and what is done about it."""

from dataclasses import replace

import pytest

from tidegate.core.attempt import State
from tidegate.core.liveness import (
    Action,
    Classification,
    Finding,
    Lapse,
    Signs,
    claim_key,
    classify,
    judge,
)
from tidegate.core.policy import Deadlines

LIMITS = Deadlines()
WELL = Signs(silent_s=5.0, active_s=600.0, deadline_s=1500.0)


def found(**changes: object) -> Finding:
    """What is thought of a turn that is well but for these changes."""
    return judge(replace(WELL, **changes), LIMITS)  # type: ignore[arg-type]  # what it is given is the test's affair


def test_what_gives_signs_of_life_is_active() -> None:
    """C179: however slow it is, and whatever it prints, until its deadline."""
    assert found() == Finding(classification=Classification.ACTIVE)


@pytest.mark.parametrize(
    ("changes", "lapse"),
    [
        ({"silent_s": 120.0}, None),
        ({"silent_s": 120.1}, Lapse.MISSED_BEATS),
        ({"active_s": 1530.0}, None),
        ({"active_s": 1530.1}, Lapse.ATTEMPT_DEADLINE),
        ({"active_s": 86_401.0, "deadline_s": 1e9}, None),
        ({"active_s": 86_400.0, "deadline_s": 1e9, "must_checkpoint": True}, None),
        (
            {"active_s": 86_401.0, "deadline_s": 1e9, "must_checkpoint": True},
            Lapse.CHECKPOINT_DEADLINE,
        ),
    ],
)
def test_what_lapsed_is_told_to_end(changes: dict[str, object], lapse: Lapse | None) -> None:
    """C115, C116, C136: two missed beats, a deadline that its runner did not keep, no commit."""
    finding = found(**changes)
    assert finding.lapse is lapse
    assert finding.action is (Action.STOP if lapse else Action.NONE)
    assert finding.classification is (Classification.STALE if lapse else Classification.ACTIVE)


@pytest.mark.parametrize(
    ("asked_s", "is_stopping", "action"),
    [
        (0.0, False, Action.NONE),
        (30.0, False, Action.NONE),
        (30.1, False, Action.KILL),
        (30.1, True, Action.NONE),
        (70.0, True, Action.NONE),
        (70.1, True, Action.KILL),
    ],
)
def test_a_request_to_end_is_heard_within_its_grace(
    asked_s: float,
    is_stopping: bool,  # noqa: FBT001 - a column of the table
    action: Action,
) -> None:
    """C117, C118: 30 s to say that it heard, then its agent's grace and the sweep, then force."""
    finding = found(stop_asked_s=asked_s, is_stopping=is_stopping, silent_s=500.0)
    assert finding.action is action
    assert finding.lapse is (Lapse.STOP_ACK_TIMEOUT if action is Action.KILL else None)


@pytest.mark.parametrize(
    "changes", [{"silent_s": 1e6}, {"active_s": 1e6}, {"stop_asked_s": 1e6}, {}]
)
def test_what_cannot_be_known_ends_nothing(changes: dict[str, object]) -> None:
    """G6, C185: without clocks and a disk to go by it is inconclusive, whatever the signs say."""
    finding = found(is_trusted=False, **changes)
    assert finding == Finding(classification=Classification.INCONCLUSIVE)


@pytest.mark.parametrize("state", State)
def test_what_has_no_process_is_classified_by_its_state(state: State) -> None:
    """C175: the six words, and nothing else."""
    assert classify(state) in set(Classification) - {Classification.INCONCLUSIVE}


def test_a_key_names_attempt_deadline_and_action() -> None:
    """C183: one durable key for each intervention."""
    key = claim_key("001-build-1", 2, Lapse.MISSED_BEATS, Action.STOP)
    assert key == "001-build-1/2/missed_beats/stop"
