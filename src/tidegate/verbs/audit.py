"""Audit: replay what is really recorded, and hold each event to every rule of a lawful history.

It goes over a copy of the ledger, made while others may write, and asks nothing of a controller.
The rules are `core.invariants`; one more is asked of the hub, where there is one.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from tidegate.core.history import Breach
from tidegate.core.invariants import FOLLOWS, INVARIANTS, Watch
from tidegate.core.records import record
from tidegate.engine.places import hub_ref
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import HUB
from tidegate.verbs.house import House
from tidegate.verbs.look import find_run

IN_HUB = "what landed is on the hub's ref"
BREACHES_SHOWN_MAX = 100
"""How many breaches are told one by one; all are counted."""


@record
class Line:
    """One rule: of how many events it was asked, and how many break it."""

    invariant: str
    checked: int
    violations: int


@record
class Audited:
    """What came of it. `not_followed` are events of a lane behind one that does not follow."""

    runs: int
    events: int
    not_followed: int
    lines: tuple[Line, ...]
    breaches: tuple[Breach, ...]
    elapsed_s: float
    """What reading and replaying took, without what git was asked."""

    @property
    def is_lawful(self) -> bool:
        """No rule is broken."""
        return not any(each.violations for each in self.lines)

    @property
    def events_a_second(self) -> int:
        """How fast it was, for whoever has a large ledger."""
        return round(self.events / self.elapsed_s) if self.elapsed_s else 0


class _Tally:
    """Counts over all runs."""

    def __init__(self) -> None:
        self.events = self.not_followed = 0
        self.checked = dict.fromkeys((FOLLOWS, *(each.name for each in INVARIANTS), IN_HUB), 0)
        self.broken = dict.fromkeys(self.checked, 0)
        self.shown: list[Breach] = []

    def take(self, breach: Breach) -> None:
        self.broken[breach.invariant] += 1
        if len(self.shown) < BREACHES_SHOWN_MAX:
            self.shown.append(breach)

    def add(self, watch: Watch) -> None:
        self.events += watch.events
        self.not_followed += watch.not_followed
        for name, count in watch.checked.items():
            self.checked[name] += count


def audit(house: House, folder: str, run: str | None) -> Audited:
    """All runs, or the one that is named. Raises NotReady where there is no ledger yet."""
    repository = house.repositories.find(folder)
    examiner = house.examiner.ledger
    with tempfile.TemporaryDirectory(prefix="tidegate-audit-") as moment:
        examiner.copy(repository.home, moment)
        with closing(examiner.open(moment)) as ledger:
            return _audited(house, repository.home, ledger, run)


def _audited(house: House, home: str, ledger: Ledger, run: str | None) -> Audited:
    rows = ledger.runs() if run is None else [found for found in (find_run(ledger, run),) if found]
    elapsed_s, tally = 0.0, _Tally()
    for row in rows:
        run_id = str(row["run_id"])
        began_s, watch = time.perf_counter(), Watch(run_id)
        for breach in watch.all(ledger.read(run_id)):
            tally.take(breach)
        elapsed_s += time.perf_counter() - began_s
        for breach in _outside(house, home, watch, tally):
            tally.take(breach)
        tally.add(watch)
    return Audited(
        runs=len(rows),
        events=tally.events,
        not_followed=tally.not_followed,
        lines=_lines(tally.checked, tally.broken),
        breaches=tuple(tally.shown),
        elapsed_s=elapsed_s,
    )


def _lines(checked: Mapping[str, int], broken: Mapping[str, int]) -> tuple[Line, ...]:
    return tuple(
        Line(invariant=name, checked=count, violations=broken[name])
        for name, count in checked.items()
    )


def _outside(house: House, home: str, watch: Watch, tally: _Tally) -> Iterator[Breach]:
    """What landed is held by the run's ref: it never goes back, and never leaves the line."""
    landed, ref = watch.past.landed, hub_ref(watch.past.run_id)
    if not landed or not Path(home, HUB).is_dir():
        return
    tally.checked[IN_HUB] += len(landed)
    hub = house.examiner.hub
    at = hub.refs(home).get(ref)
    held = set() if at is None else {each for each in landed if hub.is_before(home, each, at)}
    for commit in landed:
        if commit not in held:
            yield Breach(
                invariant=IN_HUB,
                run=watch.past.run_id,
                sequence=0,
                lane="",
                about=f"{commit} is not on {ref}, which is {f'at {at}' if at else 'gone'}",
            )
