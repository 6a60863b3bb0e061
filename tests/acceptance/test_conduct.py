"""Each claim of who was at work, and where, holds for a good log and for no bad one."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from acceptance import conduct
from acceptance.claims import Claim, Event, Log
from tests.acceptance.made_conduct import COVERED, KILLED, LEFT, made_log
from tests.acceptance.made_log import changed, without

GOOD = made_log()
WIDTH = "at most 2 agents were at work at once"
APART = "no two lanes held the same path at once"
WITHIN = "no landed commit moves a path outside of its footprint"
REPLACED = "a builder that was killed from outside was replaced, at no cost"
TAKEN_UP = "a controller that was killed was followed by another, and its builder went on"
CLEAN: Mapping[str, Sequence[str]] = {"commit-001": (), "commit-002": ()}


def judged(log: Log) -> list[Claim]:
    """Every claim that is made of who did what."""
    return [
        conduct.within_width(log, 2),
        conduct.apart(log, COVERED),
        conduct.within_footprints(log, CLEAN),
        conduct.replaced(log, "002", KILLED),
        conduct.taken_up(log, "001", LEFT),
    ]


def wrong(log: Log) -> list[str]:
    """The names of the claims that do not hold."""
    return [claim.name for claim in judged(log) if claim.problems]


def of(kind: str, *, lane: str = "", attempt: str = "") -> Any:
    """The events of a kind, in a lane or of an attempt."""
    return lambda event: (
        event.kind == kind
        and lane in ("", event.lane)
        and attempt in ("", event.body.get("attempt"))
    )


def moved(log: Log, is_meant: Any, *, before: Any) -> Log:
    """The log with one event put before another."""
    event = next(filter(is_meant, log))
    rest = [each for each in log if each is not event]
    place = next(index for index, each in enumerate(rest) if before(each))
    return [*rest[:place], event, *rest[place:]]


def test_every_claim_holds_for_a_good_log() -> None:
    """Each shows its evidence and has no problem."""
    for claim in judged(GOOD):
        assert claim.problems == ()
        assert claim.evidence


FIRST_END = of("turn_ended", attempt="001-build-1")
TOOK_OVER = of("controller_took_over")


@pytest.mark.parametrize(
    ("log", "names"),
    [
        (without(GOOD, of("turn_ended", attempt="002-build-1")), [WIDTH, REPLACED]),
        (without(GOOD, of("lane_ended", lane="001")), [APART]),
        (without(GOOD, of("reserved", lane="002")), [APART]),
        (moved(GOOD, of("reserved", lane="003"), before=of("landed", lane="001")), [APART]),
        (
            moved(GOOD, of("turn_opened", lane="003"), before=of("reserved", lane="003")),
            [APART],
        ),
        (changed(GOOD, of("landed", lane="002"), {"commit": "unknown"}), [WITHIN]),
        (
            changed(GOOD, of("turn_started", attempt="002-build-1"), {"agent_pid": 999}),
            [REPLACED],
        ),
        (changed(GOOD, of("turn_ended", attempt="002-build-1"), {"signal": 15}), [REPLACED]),
        (
            changed(GOOD, of("turn_ended", attempt="002-build-1"), {"is_external": False}),
            [REPLACED],
        ),
        (changed(GOOD, of("requested", attempt="002-build-2"), {"cause": "own"}), [REPLACED]),
        (without(GOOD, of("requested", attempt="002-build-2")), [REPLACED]),
        (without(GOOD, of("landed", lane="002")), [REPLACED]),
        (without(GOOD, of("requested")), [REPLACED]),
        (changed(GOOD, TOOK_OVER, {"holder": "first"}), [TAKEN_UP]),
        (without(GOOD, TOOK_OVER), [TAKEN_UP]),
        (moved(GOOD, FIRST_END, before=lambda e: e.body.get("holder") == "second"), [TAKEN_UP]),
        (changed(GOOD, FIRST_END, {"code": 1}), [TAKEN_UP]),
        (without(GOOD, FIRST_END), [TAKEN_UP]),
        (
            changed(GOOD, of("turn_started", attempt="001-build-1"), {"agent_pid": 0}),
            [TAKEN_UP],
        ),
        (without(GOOD, of("landed", lane="001")), [TAKEN_UP]),
    ],
)
def test_a_bad_log_is_called_by_name(log: Log, names: list[str]) -> None:
    """Whatever is wrong in a log makes just the claim fail that speaks of it."""
    assert wrong(_numbered(log)) == names


def _numbered(log: Log) -> Log:
    """The events with sequences in their order, as a ledger has them."""
    return [
        Event(sequence=number, kind=e.kind, lane=e.lane, body=e.body)
        for number, e in enumerate(log, start=1)
    ]


def test_a_killed_builder_that_nobody_had_seen_is_known_by_its_end() -> None:
    """It may be over before a controller looks: then its process is 0 in the log."""
    log = changed(GOOD, of("turn_started", attempt="002-build-1"), {"agent_pid": 0})
    assert conduct.replaced(log, "002", KILLED).problems == ()


def test_what_is_released_may_be_held_by_another() -> None:
    """A lane that waits for its owner lets go of its paths."""
    held = without(GOOD, of("lane_ended", lane="001"))
    place = next(i for i, e in enumerate(held) if of("reserved", lane="003")(e))
    released = Event(sequence=99, kind="released", lane="001", body={"reason": "asked"})
    assert conduct.apart([*held[:place], released, *held[place:]], COVERED).problems == ()


def test_a_commit_that_strays_is_called_by_its_lane_and_path() -> None:
    """What git says of a landed commit outweighs what was judged before."""
    claim = conduct.within_footprints(GOOD, {**CLEAN, "commit-002": ("c.py",)})
    assert claim.problems == ("002: commit-002 moves c.py",)


def test_where_nothing_overlaps_nothing_is_shown() -> None:
    """A log without two lanes that could be in each other's way proves nothing of them."""
    assert conduct.apart(GOOD, {}).problems
