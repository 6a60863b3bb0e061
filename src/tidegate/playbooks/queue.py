"""The queue: which issue is taken next, and the one reason why each of the others is not.

    issues, facts -> places, in order, explained

Pure, and asked by everybody: the engine takes what `arrange` puts first, and the faces show what
it says. So an explanation can never differ from what a run does.

The order is that of a queue role where there is one, then the higher priority, then the lower id.
What keeps an issue back wins over every order: what came of it, the owner's word, what it needs,
and a lane at work whose footprint overlaps.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from enum import StrEnum

from tidegate.core.footprint import texts_overlap
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.core.values import Outcome
from tidegate.core.word import Spoken, Word


class Stand(StrEnum):
    """Why an issue stands where it does."""

    NEXT = "next"
    SLOT = "slot"
    NEEDS = "needs"
    OVERLAP = "overlap"
    UNDER_WAY = "under_way"
    HANDED_OVER = "handed_over"
    DECIDED = "decided"
    RULED = "ruled"
    OWNER = "owner"
    UNKNOWN = "unknown"
    DRAINED = "drained"
    CLAIM = "claim"
    NOT_ASKED = "not_asked"


@record
class Holder:
    """A lane that is not over, or an issue that is about to get one: it holds its footprint."""

    lane: str
    issue: str
    footprint: tuple[str, ...] = ()
    stage: str = ""
    is_carried: bool = True
    """A controller is at work on it; else it waits for one to take it up again."""
    is_asking: bool = False
    """It goes on when its owner has answered; a controller cannot help it before."""


@record
class Facts:
    """What the queue is arranged by. `outcomes` gives the run and the outcome of an issue.

    `slots` is how many lanes may begin now, and `questions` are the owner's to answer. `claims`
    says why the tracker did not give us an issue, or that it is asked.
    """

    landed: AbstractSet[str] = frozenset()
    outcomes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    words: Mapping[str, Spoken] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    claims: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    """The receipt of an issue of which nobody knows whether it was done."""
    drained: str = ""
    """Why nothing new begins in the run, and what lifts that."""
    holders: Sequence[Holder] = ()
    only: AbstractSet[str] | None = None
    slots: int = 1


@record
class Obstacle:
    """Why an issue is not taken: a sentence, and what it waits for, to stand behind "for"."""

    stand: Stand
    reason: str
    waits_for: str


@record
class Place:
    """An issue's place in the queue, counted from 1, and the one reason for it."""

    issue: Issue
    place: int
    stand: Stand
    reason: str
    waits_for: str = ""

    @property
    def is_next(self) -> bool:
        """It would be taken now."""
        return self.stand is Stand.NEXT


def ordered(issues: Iterable[Issue], rank: Mapping[str, int] | None = None) -> list[Issue]:
    """The issues in the order in which they are taken, as far as nothing keeps one back."""
    ranks = rank or {}
    return sorted(issues, key=lambda issue: (ranks.get(issue.id, len(ranks)), *_by_priority(issue)))


def _by_priority(issue: Issue) -> tuple[int, float, str]:
    number = int(issue.id) if issue.id.isdecimal() else float("inf")
    return (-issue.priority, number, issue.id)


def arrange(issues: Iterable[Issue], facts: Facts, *, about: str | None = None) -> Iterator[Place]:
    """The places of issues that are in order, one by one: who needs the first reads no further.

    What is taken holds its footprint for those behind it, as it will once it is a lane. Who asks
    `about` one alone is told of it, and of others as far as they may be taken before it.
    """
    holders = list(facts.holders)
    of_issue = {holder.issue: holder for holder in facts.holders}
    left = facts.slots
    for place, issue in enumerate(issues, start=1):
        if about is not None and left <= 0 and issue.id != about:
            continue
        met = _obstacle(issue, facts, of_issue.get(issue.id), holders)
        if met is None and facts.drained:
            met = Obstacle(stand=Stand.DRAINED, reason=facts.drained, waits_for=UNDRAINED)
        if met is None and left <= 0:
            met = _SLOT
        if met is None:
            left -= 1
            holders.append(Holder(lane="", issue=issue.id, footprint=issue.footprint))
            yield Place(issue=issue, place=place, stand=Stand.NEXT, reason=_FIRST)
        else:
            yield Place(
                issue=issue,
                place=place,
                stand=met.stand,
                reason=met.reason,
                waits_for=met.waits_for,
            )


def takeable(issues: Iterable[Issue], facts: Facts) -> Iterator[Issue]:
    """The issues that would be taken now, as many as there are slots."""
    left = facts.slots
    for each in arrange(issues, facts) if left > 0 else ():
        if each.is_next:
            yield each.issue
            left -= 1
            if left == 0:
                return


UNDRAINED = "the drain to be lifted: `tidegate undrain`"
_FIRST = "nothing is before it"
_SLOT = Obstacle(stand=Stand.SLOT, reason="it waits its turn for a slot", waits_for="a slot")


def _obstacle(
    issue: Issue, facts: Facts, own: Holder | None, holders: Sequence[Holder]
) -> Obstacle | None:
    """What keeps an issue back; of several the one that nothing else would mend."""
    unknown = _unknown(issue, facts)
    if own is not None:
        return unknown or (_asking(own) if own.is_asking else _lane(own, facts.drained))
    if issue.id in facts.outcomes:
        return _decided(issue, facts)
    if (word := kept_back(issue.id, facts.words)) is not None:
        return _ruled(word)
    if unknown is not None:
        return unknown
    if (question := facts.questions.get(issue.id)) is not None:
        return Obstacle(
            stand=Stand.OWNER,
            reason=f"it waits for the owner's answer: {question}",
            waits_for="the owner's answer",
        )
    if (claim := facts.claims.get(issue.id)) is not None:
        return Obstacle(stand=Stand.CLAIM, reason=claim, waits_for="its tracker")
    if facts.only is not None and issue.id not in facts.only:
        return Obstacle(
            stand=Stand.NOT_ASKED,
            reason="it is not among those that --only names",
            waits_for="a run without --only",
        )
    return _needs(issue, facts) or _overlap(issue, holders)


def kept_back(issue: str, words: Mapping[str, Spoken]) -> Spoken | None:
    """The owner's word that keeps the issue from being taken, if there is one."""
    word = words.get(issue)
    return None if word is None or word.word is Word.OPEN else word


def _unknown(issue: Issue, facts: Facts) -> Obstacle | None:
    receipt = facts.unknown.get(issue.id)
    if receipt is None:
        return None
    return Obstacle(
        stand=Stand.UNKNOWN,
        reason=f"nobody knows whether {receipt} was done, and nothing of it goes on before:"
        f" `tidegate reconcile {receipt} done` or `failed` says it",
        waits_for=f"receipt {receipt} to be reconciled",
    )


def _lane(own: Holder, drained: str) -> Obstacle:
    if drained:
        held = f"it is in lane {own.lane} ({own.stage}), and {drained}"
        stand = Stand.UNDER_WAY if own.is_carried else Stand.HANDED_OVER
        return Obstacle(stand=stand, reason=held, waits_for=UNDRAINED)
    if own.is_carried:
        said = f"it is under way in lane {own.lane}: {own.stage}"
        return Obstacle(stand=Stand.UNDER_WAY, reason=said, waits_for="the run to go on")
    said = f"it is handed over in lane {own.lane} ({own.stage}): `tidegate run` takes it up again"
    return Obstacle(stand=Stand.HANDED_OVER, reason=said, waits_for="the run to go on")


def _asking(own: Holder) -> Obstacle:
    stand = Stand.UNDER_WAY if own.is_carried else Stand.HANDED_OVER
    said = f"it waits for your answer in lane {own.lane}: `tidegate answer`"
    return Obstacle(stand=stand, reason=said, waits_for="the owner's answer")


def _decided(issue: Issue, facts: Facts) -> Obstacle:
    run, outcome = facts.outcomes[issue.id]
    word = kept_back(issue.id, facts.words)
    ruled = f"; {_ruling(word)}" if word is not None else ""
    reason = f"{outcome} in run {run}{ruled}"
    return Obstacle(stand=Stand.DECIDED, reason=reason, waits_for="the owner's word")


def _ruled(word: Spoken) -> Obstacle:
    waits_for = f"the owner's word (it is {word.word})"
    return Obstacle(stand=Stand.RULED, reason=_ruling(word), waits_for=waits_for)


def _ruling(word: Spoken) -> str:
    return f"the owner ruled it {word.word}: {word.reason}"


def _needs(issue: Issue, facts: Facts) -> Obstacle | None:
    missing = [need for need in issue.needs if need not in facts.landed]
    if not missing:
        return None
    shown = ", ".join(_need(need, facts) for need in missing)
    return Obstacle(
        stand=Stand.NEEDS,
        reason=f"it needs issue {shown}",
        waits_for=f"issue {', '.join(missing)}",
    )


def _need(issue: str, facts: Facts) -> str:
    """A needed issue, with why it will not land by itself."""
    if issue in facts.outcomes:
        return f"{issue} ({facts.outcomes[issue][1]})"
    word = kept_back(issue, facts.words)
    return issue if word is None else f"{issue} (ruled {word.word})"


def _overlap(issue: Issue, holders: Sequence[Holder]) -> Obstacle | None:
    if not issue.footprint:
        return None
    for holder in holders:
        if holder.footprint and texts_overlap(issue.footprint, holder.footprint):
            held = f"lane {holder.lane}" if holder.lane else f"issue {holder.issue}"
            return Obstacle(
                stand=Stand.OVERLAP,
                reason=f"its footprint overlaps that of {held}"
                + ("" if holder.lane else ", which is before it"),
                waits_for=held,
            )
    return None


def lane_name(issue: str, taken: AbstractSet[str]) -> str:
    """The id of an issue's lane: the issue's own, with a number where the run had one before."""
    names = (f"{issue}-{number}" for number in range(2, len(taken) + 2))
    return next((name for name in names if name not in taken), "") if issue in taken else issue


def landed_of(outcomes: Mapping[str, tuple[str, str]]) -> set[str]:
    """The issues that others may stand on."""
    return {issue for issue, (_, outcome) in outcomes.items() if outcome == Outcome.LANDED}
