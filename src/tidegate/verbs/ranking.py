"""The queue role: a command of the owner's that puts the open issues in an order.

It is asked when a run starts and when issues were added, and by `run --dry-run`: to look at the
queue costs nothing. What it gave last is kept beside the ledger for those who look. A fault of it
is told, and then the order is the one that there is without it: no queue waits for a role that
fails.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tidegate.config.load import Configuration
from tidegate.core.issue import Issue
from tidegate.playbooks.queue import ordered
from tidegate.playbooks.queue_role import Fault, Ranking, question, ranking_of
from tidegate.ports.repository import Repository
from tidegate.verbs.environment import allowed
from tidegate.verbs.house import House

FILE = "queue-order.json"
OUTPUT_MAX_BYTES = 1_048_576


class _Kept(msgspec.Struct, kw_only=True):
    """The file: the command that was asked, and the order that it gave."""

    command: str
    order: list[str]
    notes: dict[str, str]


def ranking(
    house: House,
    repository: Repository,
    configuration: Configuration,
    issues: Sequence[Issue],
    tell: Callable[[str], None],
) -> Ranking:
    """Ask the role for an order of the open issues. One that fails orders nothing, and is told."""
    command = configuration.queue.command
    if not command or not issues:
        return Ranking()
    answer = house.consult(
        command,
        question(ordered(issues)),
        folder=repository.root,
        environment=allowed(house.environment, configuration.settings.env.allow),
        limit_s=configuration.queue.timeout_s,
        bytes_max=OUTPUT_MAX_BYTES,
    )
    found = Fault(answer.fault) if answer.fault else ranking_of(answer.text, issues)
    if isinstance(found, Fault):
        tell(f"the queue role gave no order, so priority decides: {found.reason}")
        return Ranking()
    return found


def keep_ranking(
    repository: Repository,
    configuration: Configuration,
    found: Ranking,
    mask: Callable[[str], str],
) -> None:
    """Keep an order for those who look, its notes masked. Not being kept changes nothing."""
    if not configuration.queue.command:
        return
    order = sorted(found.rank, key=lambda issue: found.rank[issue])
    kept = {
        "command": configuration.queue.command,
        "order": order,
        "notes": {issue: mask(note) for issue, note in found.notes.items()},
    }
    path = Path(repository.home, FILE)
    staged = path.with_name(f".{FILE}.{os.getpid()}")
    with suppress(OSError):
        staged.write_text(json.dumps(kept), encoding="utf-8")
        staged.replace(path)


def last_ranking(home: str, configuration: Configuration) -> Ranking:
    """The order that the configured role gave last; none where there is none that can be read."""
    if not configuration.queue.command:
        return Ranking()
    path = Path(home, FILE)
    try:
        if not path.is_file():
            return Ranking()
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError):
        return Ranking()
    if kept.command != configuration.queue.command:
        return Ranking()
    return Ranking(rank=_places(kept.order), notes=kept.notes)


def _places(order: Sequence[str]) -> Mapping[str, int]:
    return {issue: place for place, issue in enumerate(order)}
