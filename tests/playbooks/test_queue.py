"""The queue by tables: an order, and one reason a place. What a run takes is what it says."""

from collections.abc import Mapping
from typing import Any

import pytest

from tidegate.core.issue import Issue
from tidegate.core.word import Spoken, Word, last_words
from tidegate.playbooks.queue import (
    Facts,
    Holder,
    Place,
    Stand,
    arrange,
    landed_of,
    lane_name,
    ordered,
    takeable,
)


def issue(number: int, **more: Any) -> Issue:
    """An issue with little in it."""
    return Issue(id=f"{number:03}", title=f"Do {number}", text="", **more)


def word(issue_id: str, said: Word, reason: str = "so it is") -> Mapping[str, Spoken]:
    """The words of an owner who spoke once."""
    spoken = Spoken(
        sequence=1, issue=issue_id, word=said, reason=reason, actor="o", utc="", after_sequence=0
    )
    return {issue_id: spoken}


def stands(facts: Facts, *issues: Issue) -> list[tuple[str, Stand]]:
    """Each issue with how it stands, in order."""
    return [(each.issue.id, each.stand) for each in arrange(ordered(issues), facts)]


def only(facts: Facts, one: Issue) -> Place:
    """The place of a single issue."""
    (place,) = arrange([one], facts)
    return place


@pytest.mark.parametrize(
    ("issues", "rank", "expected"),
    [
        ([issue(2), issue(1)], {}, ["001", "002"]),
        ([issue(1), issue(2, priority=1), issue(3, priority=-1)], {}, ["002", "001", "003"]),
        ([issue(1, priority=9), issue(2), issue(3)], {"003": 0, "002": 1}, ["003", "002", "001"]),
        ([issue(3), issue(1, priority=1), issue(2)], {"003": 0}, ["003", "001", "002"]),
    ],
)
def test_the_order_is_the_roles_then_priority_then_the_id(
    issues: list[Issue], rank: dict[str, int], expected: list[str]
) -> None:
    """B05: what a queue role names goes first, in its order; the rest keeps its own order."""
    assert [each.id for each in ordered(issues, rank)] == expected


def test_ids_are_numbers() -> None:
    """Issue 9 goes before issue 010, however the files spell them."""
    nine, ten = (Issue(id=name, title="x", text="") for name in ("9", "010"))
    assert ordered([ten, nine]) == [nine, ten]


def test_an_issue_is_next_where_nothing_keeps_it_back() -> None:
    """One is next; the others wait for a slot, and each has its place."""
    places = list(arrange([issue(1), issue(2), issue(3)], Facts()))
    assert [(p.place, p.stand) for p in places] == [
        (1, Stand.NEXT),
        (2, Stand.SLOT),
        (3, Stand.SLOT),
    ]
    assert [p.is_next for p in places] == [True, False, False]
    assert places[0].reason == "nothing is before it"


ONE = issue(1, footprint=("src/dates/**",), needs=("009",))
OURS = Holder(lane="001", issue="001", stage="building")
AFAR = Holder(lane="004", issue="004", footprint=("src/dates/parse.py",))
UNKNOWN = (
    "nobody knows whether r-001-close was done, and nothing of it goes on before:"
    " `tidegate reconcile r-001-close done` or `failed` says it"
)
REASONS = [
    (Facts(landed={"009"}), Stand.NEXT, "nothing is before it"),
    (Facts(landed={"009"}, slots=0), Stand.SLOT, "it waits its turn for a slot"),
    (Facts(), Stand.NEEDS, "it needs issue 009"),
    (Facts(outcomes={"009": ("r", "stopped")}), Stand.NEEDS, "it needs issue 009 (stopped)"),
    (Facts(words=word("009", Word.GATED)), Stand.NEEDS, "it needs issue 009 (ruled gated)"),
    (
        Facts(landed={"009"}, holders=[AFAR]),
        Stand.OVERLAP,
        "its footprint overlaps that of lane 004",
    ),
    (Facts(holders=[OURS]), Stand.UNDER_WAY, "it is under way in lane 001: building"),
    (
        Facts(holders=[Holder(lane="001", issue="001", stage="checking", is_carried=False)]),
        Stand.HANDED_OVER,
        "it is handed over in lane 001 (checking): `tidegate run` takes it up again",
    ),
    (
        Facts(holders=[Holder(lane="001", issue="001", is_carried=False, is_asking=True)]),
        Stand.HANDED_OVER,
        "it waits for your answer in lane 001: `tidegate answer`",
    ),
    (
        Facts(holders=[Holder(lane="001", issue="001", is_asking=True)]),
        Stand.UNDER_WAY,
        "it waits for your answer in lane 001: `tidegate answer`",
    ),
    (Facts(outcomes={"001": ("r", "stopped")}), Stand.DECIDED, "stopped in run r"),
    (
        Facts(outcomes={"001": ("r", "stopped")}, words=word("001", Word.REFUSED, "no")),
        Stand.DECIDED,
        "stopped in run r; the owner ruled it refused: no",
    ),
    (
        Facts(words=word("001", Word.DEFERRED, "after May")),
        Stand.RULED,
        "the owner ruled it deferred: after May",
    ),
    (
        Facts(questions={"001": "which form?"}),
        Stand.OWNER,
        "it waits for the owner's answer: which form?",
    ),
    (Facts(claims={"001": "somebody has it"}), Stand.CLAIM, "somebody has it"),
    (Facts(unknown={"001": "r-001-close"}), Stand.UNKNOWN, UNKNOWN),
    (Facts(unknown={"001": "r-001-close"}, holders=[OURS]), Stand.UNKNOWN, UNKNOWN),
    (
        Facts(unknown={"001": "r-001-close"}, outcomes={"001": ("r", "landed")}),
        Stand.DECIDED,
        "landed in run r",
    ),
    (Facts(landed={"009"}, drained="run r is drained"), Stand.DRAINED, "run r is drained"),
    (Facts(drained="run r is drained"), Stand.NEEDS, "it needs issue 009"),
    (
        Facts(drained="run r is drained", holders=[OURS]),
        Stand.UNDER_WAY,
        "it is in lane 001 (building), and run r is drained",
    ),
    (Facts(only={"002"}), Stand.NOT_ASKED, "it is not among those that --only names"),
]


@pytest.mark.parametrize(("facts", "stand", "reason"), REASONS)
def test_each_issue_has_one_reason(facts: Facts, stand: Stand, reason: str) -> None:
    """D17, D18: what is claimed, handed over, decided, ruled or asked is passed over, and why."""
    place = only(facts, ONE)
    assert (place.stand, place.reason) == (stand, reason)
    assert bool(place.waits_for) is not place.is_next


def test_every_stand_is_in_the_table() -> None:
    """A new way to stand in the queue needs its row."""
    assert {stand for _, stand, _ in REASONS} == set(Stand)


@pytest.mark.parametrize("said", [Word.GATED, Word.DEFERRED, Word.REFUSED])
def test_a_word_keeps_an_issue_back_until_open_is_said(said: Word) -> None:
    """D18: gated, deferred and refused issues are skipped; the last word on an issue counts."""
    spoken = [*word("001", said).values(), *word("001", Word.OPEN).values()]
    assert stands(Facts(words=last_words(spoken[:1])), issue(1), issue(2)) == [
        ("001", Stand.RULED),
        ("002", Stand.NEXT),
    ]
    assert only(Facts(words=last_words(spoken)), issue(1)).is_next
    assert not only(Facts(words=last_words(reversed(spoken))), issue(1)).is_next


def test_an_overlap_lets_those_behind_go_first() -> None:
    """An issue whose footprint overlaps a lane's waits; the next one that does not is taken."""
    lane = Holder(lane="009", issue="009", footprint=("src/a/**",))
    issues = (issue(1, footprint=("src/a/x.py",)), issue(2, footprint=("src/b/",)), issue(3))
    assert stands(Facts(holders=[lane]), *issues) == [
        ("001", Stand.OVERLAP),
        ("002", Stand.NEXT),
        ("003", Stand.SLOT),
    ]


def test_issues_that_begin_together_do_not_overlap() -> None:
    """What takes the first slot holds its footprint when the second one is given away."""
    issues = (issue(1, footprint=("src/",)), issue(2, footprint=("src/x.py",)), issue(3))
    facts = Facts(slots=2)
    places = list(arrange(issues, facts))
    assert [place.is_next for place in places] == [True, False, True]
    assert places[1].reason == "its footprint overlaps that of issue 001, which is before it"
    assert [each.id for each in takeable(issues, facts)] == ["001", "003"]


@pytest.mark.parametrize("slots", [0, 1, 2, 9])
def test_one_alone_is_told_what_it_is_told_among_all(slots: int) -> None:
    """Those before it are looked at as far as they may be taken: what they hold, it waits for."""
    issues = [
        issue(1, footprint=("a/**",)),
        issue(2, footprint=("a/x",)),
        issue(3, footprint=("b/**",)),
        issue(4, footprint=("b/y", "c/**")),
        issue(5, needs=("004",)),
        issue(6, footprint=("c/z",)),
    ]
    facts = Facts(slots=slots, holders=[Holder(lane="L", issue="009", footprint=("c/z",))])
    whole = {place.issue.id: place for place in arrange(issues, facts)}
    for each in issues:
        told = {place.issue.id: place for place in arrange(issues, facts, about=each.id)}
        assert told[each.id] == whole[each.id]


def test_no_footprint_overlaps_nothing() -> None:
    """An issue or a lane that names no path holds nobody up, and is held up by nobody."""
    wide = Holder(lane="009", issue="009", footprint=("src/",))
    bare = Holder(lane="008", issue="008")
    assert only(Facts(holders=[wide]), issue(1)).is_next
    assert only(Facts(holders=[bare]), issue(1, footprint=("src/",))).is_next


def test_nothing_is_taken_where_there_is_no_slot() -> None:
    """With no slot free not even the first is taken, and nothing is looked at."""
    assert list(takeable(iter([issue(1)]), Facts(slots=0))) == []


def test_taking_reads_no_further_than_it_must() -> None:
    """Who wants the first issue does not pay for the three thousand behind it."""
    read: list[str] = []

    def told() -> Any:
        for number in range(1, 100):
            read.append(f"{number}")
            yield issue(number)

    assert [each.id for each in takeable(told(), Facts(slots=2))] == ["001", "002"]
    assert len(read) == 2


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        (set(), "001"),
        ({"002", "001-2"}, "001"),
        ({"001"}, "001-2"),
        ({"001", "001-2", "001-3"}, "001-4"),
        ({"001", "001-3"}, "001-2"),
    ],
)
def test_an_issue_that_was_opened_again_gets_a_further_lane(taken: set[str], name: str) -> None:
    """A lane is never used twice: the issue's second lane in a run has a number behind it."""
    assert lane_name("001", taken) == name


def test_only_what_landed_can_be_stood_upon() -> None:
    """An issue that stopped or was refused gives nothing to those that need it."""
    outcomes = {"1": ("r", "landed"), "2": ("r", "stopped"), "3": ("r", "refused")}
    assert landed_of(outcomes) == {"1"}
