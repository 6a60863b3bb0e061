"""What a person may want to name: runs, lanes, issues, questions. For a shell that completes words.

It only looks, and only at what is at hand: no tracker's command is run for it.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tidegate.config.load import load
from tidegate.core.errors import TidegateError
from tidegate.core.records import record
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.look import find_run
from tidegate.verbs.reading import reading
from tidegate.verbs.summary import open_questions
from tidegate.verbs.tracking import COMMAND, open_tracker


@record(kw_only=False)
class Name:
    """A word that may be meant, and what it stands for."""

    word: str
    meaning: str


def runs(house: House, folder: str) -> tuple[Name, ...]:
    """All runs, the newest first."""
    with reading(house, folder) as (_, ledger):
        rows = reversed(ledger.runs()) if ledger is not None else ()
        return tuple(
            Name(str(row["run_id"]), f"ended {row['ended_at']}" if row["ended_at"] else "open")
            for row in rows
        )


def lanes(house: House, folder: str, run: str | None) -> tuple[Name, ...]:
    """The lanes of the newest run, or of the one named."""
    with reading(house, folder) as (_, ledger):
        return tuple(_lanes(ledger, run)) if ledger is not None else ()


def issues(house: House, folder: str) -> tuple[Name, ...]:
    """The issues that there are files of, and those that ever had a lane."""
    with reading(house, folder) as (repository, ledger):
        had = ledger.outcomes() if ledger is not None else {}
        found = {issue: Name(issue, outcome) for issue, (_, outcome) in had.items()}
        found |= {each.word: each for each in _in_files(house, repository)}
        return tuple(found[word] for word in sorted(found))


def questions(house: House, folder: str) -> tuple[Name, ...]:
    """The questions of the newest run that wait for their owner."""
    with reading(house, folder) as (_, ledger):
        row = find_run(ledger, None) if ledger is not None else None
        if ledger is None or row is None:
            return ()
        asked = open_questions(ledger, str(row["run_id"])).values()
        return tuple(Name(str(each["question"]), f"lane {each['lane']}") for each in asked)


def _lanes(ledger: Ledger, run: str | None) -> Iterator[Name]:
    row = find_run(ledger, run)
    for lane in ledger.rows("lane", str(row["run_id"])) if row is not None else ():
        yield Name(str(lane["lane"]), str(lane["title"]))


def _in_files(house: House, repository: Repository) -> Iterator[Name]:
    with suppress(TidegateError):
        configuration = load(Path(repository.root)).configuration
        if configuration.settings.tracker.kind != COMMAND:
            for issue in open_tracker(house, repository, configuration).issues():
                yield Name(issue.id, issue.title)
