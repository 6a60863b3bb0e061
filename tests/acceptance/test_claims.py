"""Each claim of the acceptance holds for a good log, and for no bad one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from acceptance import claims
from acceptance.claims import Claim, Event, Log
from tests.acceptance.made_log import PATH, TREES, changed, made_log, without

GOOD = made_log()
FAILS_EXPECTED = {"003": (3, "exit 1")}
RIVALS = frozenset({"001", "002"})
RESULT: Mapping[str, Any] = {
    "landed": [{"issue": "002"}, {"issue": "001"}],
    "stopped": [{"issue": "003", "reason": "STOP at FAIL 3"}],
    "refused": [{"issue": "004", "reason": "unstated: by whom"}],
    "waiting": [],
}


def judged(log: Log, trees: Mapping[str, str] = TREES, chain: Sequence[str] = ()) -> list[Claim]:
    """Every claim that is made of a log."""
    return [
        claims.is_gapless(log),
        claims.base_first(log),
        claims.carried_through(log, RIVALS, PATH),
        claims.stop(log, "003", fails=3),
        claims.deserved(log, FAILS_EXPECTED),
        claims.landed_was_tested(log, trees),
        claims.chain(log, chain or ("commit-1", "commit-2")),
    ]


def wrong(log: Log) -> list[str]:
    """The names of the claims that do not hold, the wholeness of the log left out."""
    return [claim.name for claim in judged(log)[1:] if claim.problems]


def of(kind: str, lane: str) -> Any:
    """The events of a kind in a lane."""
    return lambda event: (event.kind, event.lane) == (kind, lane)


def by(check: str) -> Any:
    """The verdict that came of a check."""
    return lambda event: event.kind == "judged" and event.body["by"] == check


def end_of(attempt: str) -> Any:
    """The ends of an attempt's turns."""
    return lambda event: event.kind == "turn_ended" and event.body["attempt"] == attempt


BASE = "the base was checked before an issue was taken"
CARRIED = f"the second change to {PATH} was sent back and carried through"
STOP = "issue 003 was stopped at FAIL 3"
FAILS = "each builder got the FAILs that it deserved, and nobody else did"
TESTED = "each landed tree was a tested tree"
CHAIN = "the target consists of exactly the landed commits"


def test_every_claim_holds_for_a_good_log() -> None:
    """Each shows its evidence and has no problem."""
    for claim in judged(GOOD):
        assert claim.problems == ()
        assert claim.evidence


def test_a_log_is_read_as_it_is_printed() -> None:
    """One line of JSON is one event; what nobody looks at may be there."""
    line = {"sequence": 7, "kind": "landed", "lane": "001", "body": {"tree": "t"}, "actor": "x"}
    event = Event(sequence=7, kind="landed", lane="001", body={"tree": "t"})
    assert claims.read_log(json.dumps(line) + "\n") == [event]


@pytest.mark.parametrize("log", [[], GOOD[1:], GOOD[:3] + GOOD[4:], GOOD[:3] + GOOD[2:]])
def test_a_log_with_a_gap_is_not_whole(log: Log) -> None:
    """An empty log, a missing first event, one left out, one twice: none is whole."""
    assert claims.is_gapless(log).problems


@pytest.mark.parametrize(
    ("log", "names"),
    [
        (without(GOOD, of("base_checked", "")), [BASE]),
        (changed(GOOD, of("base_checked", ""), {"verdict": "FAIL"}), [BASE]),
        (without(GOOD, of("conflicted", "002")), [CARRIED]),
        (changed(GOOD, of("conflicted", "002"), {"paths": [PATH, "other.py"]}), [CARRIED]),
        (changed(GOOD, of("conflicted", "002"), {"target": "elsewhere"}), [CARRIED]),
        (without(GOOD, of("turn_opened", "002")), [CARRIED]),
        (without(GOOD, of("landed", "002")), [CARRIED, CHAIN]),
        (without(GOOD, by("003-check-2")), [STOP, FAILS]),
        (changed(GOOD, by("003-check-2"), {"tree": "red-1"}), [STOP]),
        (changed(GOOD, by("003-check-2"), {"counts": False}), [STOP, FAILS]),
        (changed(GOOD, by("002-check-1"), {"verdict": "FAIL"}), [FAILS]),
        (changed(GOOD, by("003-check-1"), {"reason": "out of scope"}), [FAILS]),
        (changed(GOOD, by("003-check-2"), {"by": "controller"}), [STOP]),
        (changed(GOOD, of("lane_ended", "003"), {"outcome": "refused"}), [STOP]),
        (without(GOOD, by("002-check-2")), [TESTED]),
        (changed(GOOD, by("002-check-2"), {"verdict": "FAIL"}), [FAILS, TESTED]),
        (changed(GOOD, by("002-check-2"), {"tree": "tree-2a"}), [TESTED]),
        (changed(GOOD, by("002-check-2"), {"by": "controller"}), [TESTED]),
        (changed(GOOD, of("landed", "002"), {"tree": "tree-2a"}), [TESTED]),
        (changed(GOOD, of("landed", "002"), {"commit": "commit-3"}), [TESTED, CHAIN]),
    ],
)
def test_a_bad_log_is_called_by_name(log: Log, names: list[str]) -> None:
    """Whatever is wrong in a log makes just the claim fail that speaks of it."""
    assert wrong(log) == names


def test_a_base_checked_too_late_does_not_count() -> None:
    """The base has to pass before the first issue is taken, not after."""
    late = [*GOOD[1:], Event(sequence=99, kind="base_checked", lane="", body={"verdict": "PASS"})]
    assert claims.base_first(late).problems


def test_a_check_after_the_landing_proves_nothing() -> None:
    """The verdict must be older than the landing that rests on it."""
    verdict = next(event for event in GOOD if by("002-check-2")(event))
    later = Event(sequence=99, kind="judged", lane="002", body=verdict.body)
    log = [*without(GOOD, by("002-check-2")), later]
    assert claims.landed_was_tested(log, TREES).problems


@pytest.mark.parametrize("end", [{"code": 1}, {"how": "deadline", "code": None}])
def test_a_verdict_without_a_check_that_passed_proves_nothing(end: Mapping[str, Any]) -> None:
    """PASS is believed only where the check's process ended by itself with exit code 0."""
    log = changed(GOOD, end_of("002-check-2"), end)
    assert claims.landed_was_tested(log, TREES).problems


def test_a_commit_of_another_tree_is_seen() -> None:
    """What git says of a commit outweighs what the log says."""
    assert claims.landed_was_tested(GOOD, {**TREES, "commit-2": "tree-x"}).problems
    assert claims.landed_was_tested(GOOD, {}).problems


def test_the_first_conflict_must_be_after_the_first_landing() -> None:
    """A lane that was sent back before the other landed was sent back for nothing."""
    log = without(GOOD, of("landed", "001"))
    late = [*log, Event(sequence=99, kind="landed", lane="001", body={"commit": "commit-1"})]
    assert claims.carried_through(late, RIVALS, PATH).problems


@pytest.mark.parametrize(
    "chain", [["commit-2", "commit-1"], ["commit-1"], ["commit-1", "x", "commit-2"]]
)
def test_a_chain_is_compared_commit_by_commit(chain: list[str]) -> None:
    """Another order, one too few and one too many are all seen."""
    assert claims.chain(GOOD, chain).problems


def red_first(**red: Any) -> Log:
    """The good log with a check before 001's that is red for no reason, but for what is changed."""
    verdict = next(event for event in GOOD if by("001-check-1")(event))
    body = {**verdict.body, "by": "001-check-0", "verdict": "FAIL", "counts": False, **red}
    flaky = changed(GOOD, by("001-check-1"), {"verdict": "FLAKY"})
    later = [replace(event, sequence=event.sequence + 1) for event in flaky]
    return [Event(sequence=1, kind="judged", lane="001", body=body), *later]


def test_a_red_check_that_passes_again_blames_nobody() -> None:
    """It is run again on the very tree, and shown."""
    claim = claims.looked_again(red_first())
    assert claim.problems == ()
    assert "001-check-0 red, then green" in claim.evidence
    assert claims.landed_was_tested(red_first(), TREES).problems == ()
    assert claims.deserved(red_first(), FAILS_EXPECTED).problems == ()


@pytest.mark.parametrize(
    "log",
    [
        GOOD,
        red_first(tree="another"),
        [event for event in red_first() if not by("001-check-1")(event)],
        [*GOOD, Event(sequence=99, kind="judged", lane="001", body=red_first()[0].body)],
        [red_first()[0], *(replace(event, sequence=event.sequence + 1) for event in GOOD)],
    ],
)
def test_a_red_check_without_a_green_one_after_it_is_a_problem(log: Log) -> None:
    """So is one whose tree is not called FLAKY, and a log in which nothing was ever red."""
    assert claims.looked_again(log).problems


def test_each_red_check_is_known_with_the_turn_that_it_judged() -> None:
    """So that what it printed can be compared with the finding of the turn after."""
    reds = [(f"003-check-{number}", "003-build-1", 1) for number in (1, 2, 3)]
    assert list(claims.red_checks(GOOD)) == reds


@pytest.mark.parametrize(
    ("told", "holds"),
    [
        ({"c": ("one\n\ntwo\n", "It failed:\n\none\n\ntwo\n")}, True),
        ({"c": ("one\ntwo\n", "It failed:\none\n")}, False),
        ({"c": ("one two\n", "one\ntwo\n")}, False),
        ({"c": ("", "It failed")}, False),
        ({}, False),
    ],
)
def test_a_finding_has_every_line_of_the_check(
    told: Mapping[str, tuple[str, str]], *, holds: bool
) -> None:
    """A line that is left out or broken in two is not word for word; silence proves nothing."""
    assert (claims.word_for_word(told).problems == ()) is holds


def test_a_fail_on_a_tree_that_landed_is_a_problem() -> None:
    """It was deserved by number, and blamed somebody who was right."""
    log = changed(GOOD, by("003-check-2"), {"tree": "tree-2b"})
    assert any("landed" in problem for problem in claims.deserved(log, FAILS_EXPECTED).problems)


def outcome(code: int = 1, **change: Any) -> Claim:
    """The claim of the outcomes, with something changed in the result."""
    ends = {
        "landed": frozenset({"001", "002"}),
        "stopped": frozenset({"003"}),
        "refused": frozenset({"004"}),
    }
    return claims.outcomes({**RESULT, **change}, code, ends)


def test_the_expected_outcomes_hold_in_any_order() -> None:
    """Ends are compared as sets; the evidence says why one was stopped or refused."""
    assert outcome().problems == ()
    assert "stopped 003: STOP at FAIL 3" in outcome().evidence
    assert "refused 004: unstated" in outcome().evidence


def test_a_refusal_alone_needs_a_person() -> None:
    """The run exits with 1 where something did not land, whichever way."""
    result, ends = {**RESULT, "stopped": []}, {"landed": frozenset({"001", "002"})}
    refused = {**ends, "refused": frozenset({"004"})}
    assert claims.outcomes(result, 1, refused).problems == ()
    assert claims.outcomes(result, 0, refused).problems
    assert claims.outcomes({**result, "refused": []}, 0, ends).problems == ()


@pytest.mark.parametrize(
    "claim",
    [
        outcome(code=0),
        outcome(code=130),
        outcome(landed=[{"issue": "001"}]),
        outcome(landed=[*RESULT["landed"], {"issue": "002"}]),
        outcome(stopped=[]),
        outcome(refused=[]),
        outcome(refused=[*RESULT["refused"], {"issue": "005", "reason": "done"}]),
        outcome(waiting=[{"issue": "005"}]),
    ],
)
def test_any_other_outcome_is_a_problem(claim: Claim) -> None:
    """One too few, one too many, one twice, and an exit code that does not fit."""
    assert claim.problems
