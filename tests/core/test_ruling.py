"""What may be asked, answered, ruled, vetoed and stopped: each refusal, on a lane made for it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.core.samples import attempt_in, candidate, lane_with, made
from tidegate.core import commands as c
from tidegate.core import decide as deciding
from tidegate.core import events as e
from tidegate.core.attempt import State
from tidegate.core.errors import Refused
from tidegate.core.evolve import enter
from tidegate.core.lane import Adjudication, Correction, Landing, Lane, Question, Turn
from tidegate.core.policy import Limits
from tidegate.core.ruling import OPTIONS, fails_allowed
from tidegate.core.values import DEFER, About, Outcome, Refusal, Role, Ruling, Verdict

JUDGE = attempt_in(State.ACCEPTED, id="fix-adjudicate-1", role=Role.ADJUDICATE)
BUILD = attempt_in(State.REVIEWED, tree="tree")
AT_WORK = attempt_in(State.REVIEWED, turn=Turn(number=2, epoch=2, deadline_s=1.0))
VERIFIER = attempt_in(State.STARTED, id="fix-verify-1", role=Role.VERIFY)
REFUSED = Adjudication(kind=Refusal.DONE, fixture="", report_digest="the report")
ADMITTED = Adjudication(kind=None, fixture="", report_digest="the report")
FINDING = Correction(finding_digest="the finding")
LANDING = made(Landing)
PASSED = candidate(verdict=Verdict.PASS)


def question(about: About, *, options: Sequence[str] = ("this", DEFER), **given: Any) -> Question:
    """An open question."""
    known = {"is_deferred": False, **given}
    return made(Question, id="fix-q1", about=about, options=tuple(options), **known)


def decided(lane: Lane, command: c.Command) -> Sequence[e.LaneEvent]:
    """What a command makes true."""
    return deciding.decide(lane, command, Limits())


def after(lane: Lane, command: c.Command) -> Lane:
    """The lane after it."""
    for event in decided(lane, command):
        _, lane = enter(lane, event, lane_id=lane.id, actor="test", reason="", utc="now")
    return lane


def rules(ruling: Ruling, by: str = "owner") -> c.Rule:
    """A ruling."""
    return c.Rule(ruling=ruling, by=by)


def says(answer: str, words: str | None = None, asked: str = "fix-q1") -> c.Answer:
    """An answer."""
    return c.Answer(question=asked, answer=answer, by="owner", words_digest=words)


VETO = c.Veto(items=1, finding_digest="the list", by="owner")
STOP = c.AskStop(reason="why", by="owner")

REFUSALS: Sequence[tuple[str, Lane, c.Command, str]] = [
    (
        "a question in a question",
        lane_with(BUILD, candidate=PASSED, question=question(About.LANDING)),
        c.Ask(about=About.LANDING), "already",
    ),
    ("a question of an adjudicator", lane_with(JUDGE), c.Ask(about=About.ISSUE), "adjudicator"),
    ("a question on no pass", lane_with(BUILD), c.Ask(about=About.LANDING), "no verdict"),
    (
        "a question on no finding", lane_with(BUILD, candidate=PASSED),
        c.Ask(about=About.STOP), "rounds left",
    ),
    (
        "a question on no refusal", lane_with(JUDGE, adjudication=ADMITTED, is_admitted=True),
        c.Ask(about=About.REFUSAL), "has refused",
    ),
    ("an answer to nothing", lane_with(BUILD), says("this"), "no open question"),
    (
        "an answer to another question", lane_with(JUDGE, question=question(About.ISSUE)),
        says("this", asked="fix-q2"), "no open question fix-q2",
    ),
    (
        "an answer that is none", lane_with(JUDGE, question=question(About.ISSUE)),
        says("that"), "one of this, defer",
    ),
    (
        "a second deferral",
        lane_with(BUILD, question=question(About.LANDING, is_deferred=True)),
        says(DEFER), "deferred already",
    ),
    (
        "a ruling past a question",
        lane_with(BUILD, candidate=PASSED, question=question(About.LANDING)),
        rules(Ruling.LAND), "waits for an answer",
    ),
    ("a build that nobody refused", lane_with(), rules(Ruling.BUILD), "has refused"),
    ("a refusal that nobody made", lane_with(), rules(Ruling.REFUSE), "has refused"),
    (
        "a refusal of what is admitted",
        lane_with(JUDGE, adjudication=REFUSED, is_admitted=True), rules(Ruling.REFUSE),
        "has refused",
    ),
    (
        "a landing of what failed", lane_with(BUILD, candidate=candidate(verdict=Verdict.FAIL)),
        rules(Ruling.LAND), "no verdict",
    ),
    (
        "a second landing", lane_with(BUILD, candidate=PASSED, ruled_utc="now"),
        rules(Ruling.LAND), "already",
    ),
    (
        "a landing under a judge", lane_with(BUILD, VERIFIER, candidate=PASSED),
        rules(Ruling.LAND), "still being judged",
    ),
    (
        "a landing with a finding", lane_with(BUILD, candidate=PASSED, correction=FINDING),
        rules(Ruling.LAND), "finding to answer",
    ),
    ("a further round of none", lane_with(BUILD, fails=3), rules(Ruling.AGAIN), "rounds left"),
    (
        "a further round too early", lane_with(BUILD, fails=2, correction=FINDING),
        rules(Ruling.AGAIN), "rounds left",
    ),
    (
        "a further round upon one",
        lane_with(BUILD, fails=3, rounds_granted=1, correction=FINDING),
        rules(Ruling.AGAIN), "rounds left",
    ),
    ("a stop of no build", lane_with(), rules(Ruling.STOP), "no build"),
    ("a stop under a turn", lane_with(AT_WORK), rules(Ruling.STOP), "not at rest"),
    ("a stop of a landing", lane_with(BUILD, landing=LANDING), rules(Ruling.STOP), "not at rest"),
    (
        "a stop under a judge", lane_with(BUILD, VERIFIER, candidate=PASSED),
        rules(Ruling.STOP), "still being judged",
    ),
    ("a veto of no build", lane_with(), VETO, "no build"),
    ("a veto of nothing", lane_with(BUILD), VETO, "no PASS"),
    (
        "a veto of a fail", lane_with(BUILD, candidate=candidate(verdict=Verdict.FAIL)),
        VETO, "no PASS",
    ),
    (
        "a veto of what is over", lane_with(attempt_in(State.BLOCKED), candidate=PASSED),
        VETO, "no PASS",
    ),
    (
        "a veto of a landing", lane_with(BUILD, candidate=PASSED, landing=LANDING),
        VETO, "may have happened",
    ),
    (
        "a veto under a judge", lane_with(BUILD, VERIFIER, candidate=PASSED),
        VETO, "still being judged",
    ),
    (
        "a veto of a round that is spent",
        lane_with(BUILD, candidate=PASSED, correction=FINDING), VETO, "finding to answer",
    ),
    (
        "a veto of nothing in it", lane_with(BUILD, candidate=PASSED),
        c.Veto(items=0, finding_digest="", by="owner"), "names what is wrong",
    ),
    ("a second stop", lane_with(stop_asked="why"), STOP, "stopped already"),
    ("a stop into a landing", lane_with(BUILD, landing=LANDING), STOP, "may have happened"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lane", "command", "words"),
    [pytest.param(lane, command, words, id=name) for name, lane, command, words in REFUSALS],
)
def test_what_cannot_be_ruled_is_refused(lane: Lane, command: c.Command, words: str) -> None:
    """A11, A17: nothing changes, and it is said why."""
    with pytest.raises(Refused) as raised:
        decided(lane, command)
    assert words in str(raised.value)


LANDS = {"candidate": PASSED, "ruled_utc": "now"}


@pytest.mark.parametrize(
    "given",
    [
        {"stop_asked": "why"},
        {"question": question(About.LANDING)},
        {"correction": FINDING},
        {"judge": VERIFIER},
    ],
    ids=["stopped", "asked", "found", "judged"],
)
def test_a_target_moves_for_what_nothing_speaks_against_only(given: Mapping[str, Any]) -> None:
    """A16, D26: a PASS and a ruling are not enough where a word against them stands."""
    assert decided(lane_with(BUILD, **LANDS), made(c.IntendLanding))
    known = dict(given)
    judge = [known.pop("judge")] if "judge" in known else []
    with pytest.raises(Refused):
        decided(lane_with(BUILD, *judge, **LANDS, **known), made(c.IntendLanding))


# --- what is made of it -----------------------------------------------------------------------

ASKED_OF = [
    (About.REFUSAL, lane_with(JUDGE, adjudication=REFUSED), JUDGE.id, "the report"),
    (About.LANDING, lane_with(BUILD, candidate=PASSED), BUILD.id, None),
    (About.STOP, lane_with(BUILD, fails=3, correction=FINDING), BUILD.id, "the finding"),
]


@pytest.mark.parametrize(("about", "lane", "attempt", "detail"), ASKED_OF)
def test_a_question_shows_what_it_is_about(
    about: About, lane: Lane, attempt: str, detail: str | None
) -> None:
    """The recommended ruling first, `defer` last."""
    (asked,) = decided(lane, c.Ask(about=about))
    assert isinstance(asked, e.Asked)
    assert (asked.attempt, asked.detail_digest, asked.question) == (attempt, detail, "fix-q1")
    assert asked.options == (*map(str, OPTIONS[about]), DEFER)


@pytest.mark.parametrize(("about", "lane", "attempt", "detail"), ASKED_OF)
def test_whatever_is_asked_can_be_ruled(
    about: About, lane: Lane, attempt: str, detail: str | None
) -> None:
    """G7: an answer that is on the list is never refused, so no lane waits for ever."""
    del detail
    waiting = after(lane, c.Ask(about=about))
    for ruling in OPTIONS[about]:
        answered, ruled, *_ = decided(waiting, says(str(ruling)))
        assert isinstance(answered, e.Answered)
        assert isinstance(ruled, e.Ruled)
        assert (answered.attempt, ruled.attempt) == (attempt, attempt)
        assert after(waiting, says(str(ruling))).question is None


def test_who_waits_for_the_owner_lets_go_of_its_paths() -> None:
    """What it held is free; where it held nothing there is nothing to say."""
    asks = c.Ask(about=About.LANDING)
    lane = after(lane_with(BUILD, candidate=PASSED, reserved=("src/**",)), asks)
    assert lane.is_waiting_for_owner
    assert lane.reserved is None
    assert len(decided(lane_with(BUILD, candidate=PASSED), asks)) == 1


def test_a_deferred_question_is_open() -> None:
    """Nothing is ruled."""
    lane = after(lane_with(BUILD, question=question(About.LANDING)), says(DEFER))
    assert lane.question is not None
    assert lane.question.is_deferred
    assert lane.is_waiting_for_owner


def test_an_answer_to_an_adjudicator_rules_nothing() -> None:
    """It is a word for whoever works on the issue next."""
    asked = question(About.ISSUE, options=("this", "veto", DEFER))
    lane = after(lane_with(JUDGE, question=asked), says("this", "the words"))
    assert (lane.question, lane.owner_words) == (None, ("the words",))
    lane = after(lane_with(JUDGE, question=asked), says("veto", "no more of it"))
    assert lane.owner_words == ("no more of it",), "an option may be called like that"


def test_a_refusal_is_ended_by_its_kind() -> None:
    """Where nobody gives another reason."""
    lane = lane_with(JUDGE, adjudication=REFUSED)
    assert after(lane, rules(Ruling.REFUSE)).reason == "done"
    told = c.Rule(ruling=Ruling.REFUSE, by="owner", reason="not now")
    assert after(lane, told).reason == "not now"
    assert after(lane, told).outcome is Outcome.REFUSED


def test_a_veto_is_a_fail_with_its_list() -> None:
    """A16: the round is spent, the ruling gone, the list is what the builder answers."""
    lane = after(lane_with(BUILD, fails=1, **LANDS, queued_utc="now"), VETO)
    assert lane.fails == 2
    assert lane.correction == Correction(finding_digest="the list")
    assert (lane.ruled_utc, lane.queued_utc) == (None, None)


def test_a_veto_answers_what_was_asked() -> None:
    """Its words are the finding, and no second time the owner's words."""
    waiting = lane_with(BUILD, candidate=PASSED, question=question(About.LANDING))
    assert [e.NAMES[type(each)] for each in decided(waiting, VETO)] == ["answered", "vetoed"]
    lane = after(waiting, VETO)
    assert (lane.question, lane.owner_words) == (None, ())


@pytest.mark.parametrize(("granted", "allowed"), [(0, 3), (2, 5)])
def test_each_grant_is_one_round(granted: int, allowed: int) -> None:
    """G7: upon seed 000's three."""
    assert fails_allowed(lane_with(rounds_granted=granted), Limits()) == allowed


@pytest.mark.parametrize(("by", "reason"), [("auto", "stop"), ("owner", "stopped by owner")])
def test_a_stop_says_who_ruled_it(by: str, reason: str) -> None:
    """A17."""
    lane = after(lane_with(BUILD, fails=3, correction=FINDING), rules(Ruling.STOP, by))
    assert lane.attempts[BUILD.id].reason == reason


def test_a_stop_says_why_it_was_ruled() -> None:
    """What its owner gave as the reason is told with the lane's end, and not dropped."""
    command = c.Rule(ruling=Ruling.STOP, by="owner", reason="no longer wanted")
    *_, blocked = decided(lane_with(BUILD), command)
    assert isinstance(blocked, e.Blocked)
    assert blocked.reason == "stopped by owner: no longer wanted"
