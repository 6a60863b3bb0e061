"""A whole run: the controller is what is killed, its agents and jobs are not."""

import os
import sys
from collections import Counter
from pathlib import Path

from tests.cli.desk import Desk
from tests.crash.git_work import damage
from tests.crash.operation import FAULT, Facts, Operation
from tests.crash.transitions import faults
from tests.waiting import until
from tidegate.core.events import NAMES
from tidegate.ledger.sqlite import SqliteLedger

_AGENT = "echo $TIDEGATE_ATTEMPT.$TIDEGATE_TURN >> {place}/began; echo more >> part.txt"
_ONCE = ("lane_opened", "landed", "lane_ended", "run_ended")
_LIMIT_S = 30.0


def _begin(place: Path) -> None:
    """A repository with one issue, and an agent that tells when it begins."""
    desk = Desk(place)
    for folder in (place, desk.repository, place / "home"):
        folder.mkdir()
    (place / "home" / ".gitconfig").write_text(
        "[user]\n\tname = Owner\n\temail = owner@example.invalid\n", encoding="utf-8"
    )
    desk.git("init", "-q", "-b", "main", "--template=")
    desk.commit("part.txt", "first\n")
    desk.settle(_AGENT.format(place=place), width=1)
    desk.issue(1)


def _work(place: Path) -> None:
    """Become the controller: whoever traces this process traces it."""
    desk = Desk(place)
    env = {**os.environ, **desk.environment()}
    os.chdir(desk.repository)
    os.execve(sys.executable, (sys.executable, "-m", "tidegate", "run", "--json"), env)  # noqa: S606 - no shell is wanted


def _facts(place: Path) -> Facts:
    desk = Desk(place)
    until(lambda: not desk.living(), within_s=_LIMIT_S)
    facts: Facts = Counter()
    facts["an agent began"] = len(desk.lines("began"))
    facts[f"main has {(desk.repository / 'part.txt').read_text(encoding='utf-8')!r}"] = 1
    facts["a merge"] = int(desk.git("rev-list", "--count", "--merges", "main"))
    facts.update(damage(desk.ledger_folder / "hub.git"))
    facts.update(damage(desk.repository))
    facts.update(
        f"{FAULT}{path.name} is left" for path in (desk.repository / ".git").glob("*.lock")
    )
    with SqliteLedger.open_read_only(desk.ledger_folder) as ledger:
        for row in ledger.runs():
            run = str(row["run_id"])
            kinds = [NAMES[type(each.entry.event)] for each in ledger.read(run)]
            facts.update(kind for kind in kinds if kind in _ONCE)
            facts.update(faults(ledger, run))
    return facts


RUN = Operation(name="run", begin=_begin, work=_work, facts=_facts, is_timed=True)
