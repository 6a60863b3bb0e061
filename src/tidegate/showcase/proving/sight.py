"""What can be seen from outside: live turns, who watches whom, and a few rows of the ledger.

Nothing of the product is asked. A turn is a folder, a process is what /proc shows of it, and the
ledger is opened by SQLite for reading only, one short statement at a time.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

from tidegate.core.records import record

MARK = b"TIDEGATE_MARK="
_BUSY_S = 5.0


@record
class Turn:
    """An agent at work under its runner."""

    attempt: str
    number: int
    folder: Path
    runner: int
    agent: int

    @property
    def of(self) -> tuple[str, int]:
        """Its name: the attempt, and its number."""
        return (self.attempt, self.number)

    @property
    def is_over(self) -> bool:
        """Its runner wrote how it ended."""
        return (self.folder / "exit.json").exists()


def live_turns(home: Path) -> Sequence[Turn]:
    """The builders' turns that have begun and are not over, and whose runner lives."""
    folders = home.glob("runs/*/attempts/*-build-*/turns/*")
    turns = (_turn(folder) for folder in folders)
    return [each for each in turns if each is not None and not each.is_over and lives(each.runner)]


def _turn(folder: Path) -> Turn | None:
    try:
        beat = json.loads((folder / "beat.json").read_bytes())
    except (OSError, ValueError):
        return None
    return Turn(
        attempt=folder.parent.parent.name,
        number=int(folder.name),
        folder=folder,
        runner=int(beat["runner_pid"]),
        agent=int(beat["agent_pid"]),
    )


def state_of(pid: int) -> str:
    """What a process is doing, by the kernel's letter: R, S, D, T, Z; empty where it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    return stat[stat.rindex(b")") + 2 :][:1].decode()


def lives(pid: int) -> bool:
    """Whether there is such a process, and it is not over."""
    return state_of(pid) not in {"", "Z", "X"}


def watched_by(pid: int) -> set[int]:
    """The processes whose end another one waits for: those that it holds a pidfd of."""
    watched = set[int]()
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/fdinfo").iterdir():
            with suppress(OSError):
                text = entry.read_bytes()
                if b"\nPid:\t" in text:
                    watched.add(int(text.partition(b"\nPid:\t")[2].split()[0]))
    return watched


def marked(folder: Path) -> Iterator[int]:
    """The processes that carry a mark of something in this folder."""
    return _that_have("environ", MARK + os.fsencode(folder) + b"/")


def of_folder(folder: Path) -> Iterator[int]:
    """The processes whose command line names this folder: controllers, runners, agents, checks."""
    return _that_have("cmdline", os.fsencode(folder) + b"/")


def _that_have(name: str, words: bytes) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and lives(int(entry.name)):
            with suppress(OSError):
                if words in (entry / name).read_bytes():
                    yield int(entry.name)


def asked(home: Path, question: str, *values: object) -> Sequence[tuple[object, ...]]:
    """The rows that the ledger has for a question; none where there is no ledger yet."""
    path = home / "ledger.db"
    if not path.exists():
        return ()
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_S)
    with closing(connection):
        try:
            return connection.execute(question, values).fetchall()
        except sqlite3.OperationalError:
            return ()  # it is being made, or made anew


def number_asked(home: Path, question: str, *values: object) -> int:
    """The number that the ledger has for a question; 0 where it has none."""
    rows = asked(home, question, *values)
    return int(str(rows[0][0])) if rows and rows[0][0] is not None else 0


def expired_leases(home: Path, utc: str, attempt: str | None = None) -> int:
    """How many leases are held that have run out by this time."""
    question = "select count(*) from lease where token is not null and expiry_utc < ?"
    if attempt is None:
        return number_asked(home, question, utc)
    return number_asked(home, f"{question} and attempt_id = ?", utc, attempt)


def newest_sequence(home: Path) -> int:
    """The sequence of the newest event."""
    return number_asked(home, "select max(sequence) from event")
