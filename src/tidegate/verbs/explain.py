"""Explain: the queue with the one reason for each place, and what comes next. It changes nothing.

The reasons are those by which a run takes issues. Where a queue role has put the open issues in an
order, the order that it gave last is shown: to look costs nothing, and asks no agent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.errors import Misused
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.core.word import Spoken
from tidegate.playbooks.queue import Facts, Place, Stand, arrange, ordered
from tidegate.playbooks.queue_role import Ranking
from tidegate.ports.ledger import Ledger, Row
from tidegate.verbs.house import House
from tidegate.verbs.near import find
from tidegate.verbs.queue import facts_of, find_issue, open_lanes, read_issues, skipped
from tidegate.verbs.ranking import last_ranking
from tidegate.verbs.reading import reading
from tidegate.verbs.stage import stage_of_row

NOTHING_NEXT_SHOWN_MAX = 3


@record
class OwnersWord:
    """The last thing that the owner said of an issue."""

    word: str
    reason: str
    actor: str
    utc: str


@record
class Explanation:
    """The one reason that an issue is, or is not, what comes next.

    `note` is the queue role's, `said` the owner's. `lane`, `stage` and `since` are of an issue
    that is under way, and `waits_for` says what has to happen before it moves.
    """

    issue: str
    title: str
    place: int
    is_next: bool
    stand: str
    reason: str
    waits_for: str = ""
    note: str = ""
    said: OwnersWord | None = None
    lane: str = ""
    stage: str = ""
    since: str = ""


@record(kw_only=False)
class _Read:
    """All that an explanation is made from."""

    issues: Sequence[Issue]
    facts: Facts
    ranking: Ranking
    lines: Sequence[Row]
    skipped: Mapping[str, str]
    """Issues that the newest run did not get from its tracker, with why."""


def queue(house: House, folder: str) -> Sequence[Explanation]:
    """Every issue of the tracker in its order, with the reason that it stands there."""
    read = _read(house, folder)
    return [_explained(place, read) for place in _places(read)]


def explain(house: House, folder: str, issue: str) -> Explanation:
    """One issue, or the issue of a lane that is under way."""
    read = _read(house, folder)
    lanes = {str(line["lane"]): str(line["issue"]) for line in read.lines}
    lane = find(issue, lanes)
    try:
        wanted = find_issue(issue, read.issues).id
    except Misused:
        if lane is None:
            raise
        wanted = lanes[lane]  # the issue's file may be gone while its lane goes on
    for place in _places(read, about=wanted):
        if place.issue.id == wanted:
            return _explained(place, read)
    return _without_file(wanted, read)


def next_issues(house: House, folder: str, count: int) -> tuple[Sequence[Explanation], str]:
    """What a run with so many free slots would take now, or why it would take nothing."""
    read = _read(house, folder)
    facts = replace(read.facts, slots=count)
    found: list[Explanation] = []
    others: list[Place] = []
    for place in arrange(ordered(read.issues, read.ranking.rank), facts):
        if place.is_next:
            found.append(_explained(place, read))
        elif place.stand is not Stand.DECIDED:
            others.append(place)
        if len(found) == count:
            break
    return found, "" if found else _nothing_next(others, facts.drained)


def _nothing_next(others: Sequence[Place], drained: str) -> str:
    """Why nothing would be taken, by the first few of the issues that are not decided.

    A drain is one reason for all of them, and told once.
    """
    if not others:
        return "nothing to do: no issue is open"
    if drained:
        return f"nothing can be taken now: {drained}"
    shown = "; ".join(f"{each.issue.id}: {each.reason}" for each in others[:NOTHING_NEXT_SHOWN_MAX])
    more = len(others) - NOTHING_NEXT_SHOWN_MAX
    return f"nothing can be taken now: {shown}" + (f"; and {more} more" if more > 0 else "")


def _read(house: House, folder: str) -> _Read:
    with reading(house, folder) as (repository, ledger):
        configuration = load(Path(repository.root)).configuration
        issues = read_issues(house, repository, configuration)
        is_carried = house.controller_holder(repository.home) is not None
        return _Read(
            issues=issues,
            facts=facts_of(ledger, is_carried=is_carried),
            ranking=last_ranking(repository.home, configuration),
            lines=_lines(ledger),
            skipped=skipped(ledger) if ledger is not None else {},
        )


def _lines(ledger: Ledger | None) -> Sequence[Row]:
    return open_lanes(ledger) if ledger is not None else ()


def _places(read: _Read, *, about: str | None = None) -> Iterator[Place]:
    return arrange(ordered(read.issues, read.ranking.rank), read.facts, about=about)


def _explained(place: Place, read: _Read) -> Explanation:
    issue = place.issue.id
    made = Explanation(
        issue=issue,
        title=place.issue.title,
        place=place.place,
        is_next=place.is_next,
        stand=place.stand.value,
        reason=place.reason,
        waits_for=place.waits_for,
        note=read.ranking.notes.get(issue, "") or read.skipped.get(issue, ""),
        said=_said(read.facts.words.get(issue)),
    )
    line = next((line for line in read.lines if line["issue"] == issue), None)
    return made if line is None else _under_way(made, line)


def _said(word: Spoken | None) -> OwnersWord | None:
    if word is None:
        return None
    return OwnersWord(word=word.word.value, reason=word.reason, actor=word.actor, utc=word.utc)


def _under_way(made: Explanation, line: Row) -> Explanation:
    """With what a lane is about, since when, and what it waits for."""
    stage = stage_of_row(line)
    moves = made.stand == Stand.UNDER_WAY or bool(line["is_waiting_for_owner"])
    attempt = str(line["attempt_id"] or "")
    waits_for = STAGE_WAITS.get(stage, stage).format(attempt=attempt) if moves else _NOBODY
    since = str(line["last_event_at"] or line["opened_at"])
    return replace(made, lane=str(line["lane"]), stage=stage, since=since, waits_for=waits_for)


_NOBODY = "a controller: `tidegate run` takes it up again"
STAGE_WAITS = {
    "preparing": "its workspace",
    "building": "the end of {attempt}'s turn",
    "adjudicating": "the adjudicator {attempt}",
    "checking": "the check {attempt}",
    "verifying": "the verifier {attempt}",
    "waits for you": "your answer: `tidegate answer`",
    "offered": "its turn in the landing queue",
    "rework": "the next turn of {attempt}, which answers the finding",
    "landing": "the move of the target",
}
"""What has to happen before a lane leaves its stage."""


def _without_file(issue: str, read: _Read) -> Explanation:
    """A lane whose issue is in the tracker no more."""
    line = next(line for line in read.lines if line["issue"] == issue)
    bare = Issue(id=issue, title=str(line["title"]), text="")
    (place,) = arrange([bare], read.facts)
    return _explained(place, read)
