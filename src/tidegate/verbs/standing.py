"""The owner's standing words: open again, gated, deferred, refused. They bind all later runs."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.errors import Misused, Refused
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.core.values import Outcome
from tidegate.core.word import Word, last_words
from tidegate.playbooks.queue import kept_back
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.queue import find_issue, open_lanes, read_issues, remedy_of


@record
class Said:
    """A word that was recorded, and what follows from it."""

    issue: str
    word: str
    reason: str
    note: str


def retry(house: House, folder: str, issues: Sequence[str], *, reason: str) -> Sequence[Said]:
    """Open issues again that were stopped, refused or abandoned, or that a word keeps back.

    All of them or none: each is looked at before anything is said. Raises Misused for an unknown
    id, and Refused for an issue that landed, is under way, or is open anyway.
    """

    def look(ledger: Ledger, found: Sequence[Issue]) -> None:
        for issue in found:
            _require_closed(ledger, issue.id)

    return _speak(house, folder, issues, Word.OPEN, reason=reason.strip(), look=look)


def rule(house: House, folder: str, issue: str, word: Word, *, reason: str) -> Said:
    """Say a word on one issue. Raises Misused without a reason, or for an unknown id."""
    if not reason.strip():
        raise Misused("a word needs its reason", hint="say it: --reason TEXT")
    (said,) = _speak(house, folder, [issue], word, reason=reason.strip())
    return said


def _speak(
    house: House,
    folder: str,
    words: Sequence[str],
    word: Word,
    *,
    reason: str,
    look: Callable[[Ledger, Sequence[Issue]], None] = lambda *_: None,
) -> Sequence[Said]:
    repository = house.repositories.find(folder)
    issues = read_issues(house, repository, load(Path(repository.root)).configuration)
    found = list({issue.id: issue for issue in (find_issue(w, issues) for w in words)}.values())
    with closing(house.open_ledger(repository)) as ledger:
        look(ledger, found)
        actor, utc = _owner(house, repository), house.clock.now().utc
        is_at_work = house.controller_holder(repository.home) is not None
        return [
            Said(
                issue=issue.id,
                word=word.value,
                reason=ledger.speak(issue.id, word, reason=reason, actor=actor, utc=utc).reason,
                note=_note(ledger, issue.id, word, is_at_work=is_at_work),
            )
            for issue in found
        ]


def _owner(house: House, repository: Repository) -> str:
    """Who speaks, by the name that git knows."""
    identity = house.repositories.identity(repository)
    return identity[0] if identity else "owner"


def _require_closed(ledger: Ledger, issue: str) -> None:
    """Raise Refused where there is nothing to open again."""
    lane = _lane_of(ledger, issue)
    if lane is not None:
        raise Refused(
            f"issue {issue} is under way in lane {lane}",
            hint="let it end first, or end the whole run: `tidegate run --anew`",
        )
    if kept_back(issue, last_words(ledger.words())) is not None:
        return
    outcome = ledger.standing_outcomes().get(issue)
    if outcome is None:
        raise Refused(f"issue {issue} is open: nothing came of it yet", hint="`tidegate run`")
    if outcome[1] == Outcome.LANDED:
        raise Refused(
            f"issue {issue} landed in run {outcome[0]}", hint=remedy_of(issue, outcome[1])
        )


def _lane_of(ledger: Ledger, issue: str) -> str | None:
    return next((str(row["lane"]) for row in open_lanes(ledger) if row["issue"] == issue), None)


def _note(ledger: Ledger, issue: str, word: Word, *, is_at_work: bool) -> str:
    lane = _lane_of(ledger, issue)
    if lane is not None:
        return f"lane {lane}, which is under way, goes on: a word binds what is taken later"
    if word is not Word.OPEN:
        return f"it is not taken until you say open: `tidegate retry {issue}`"
    return "the run that is under way takes it" if is_at_work else "`tidegate run` takes it"
