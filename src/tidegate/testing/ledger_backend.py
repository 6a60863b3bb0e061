"""How a conformance suite reaches a backend without knowing it."""

from collections.abc import Callable
from dataclasses import dataclass

from tidegate.core.events import Entry, Recorded
from tidegate.core.lease import LeaseOperation
from tidegate.core.records import record
from tidegate.ports.ledger import Batch, Fence, Ledger
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History

BUILD = "001-build-1"
"""The attempt that most cases are about."""


@record
class Backend:
    """A place that is empty at first, and what the suite may do to it.

    `open` opens the ledger there, again if it is called again. `verify` is falsy where the run's
    chain holds. The two that damage do it behind the ledger's back: an event's body, and the
    content of a stored text. `opener` names, as `module:function`, how another process opens it,
    with `place` as its only argument; both are empty where no other process can.
    """

    open: Callable[[], Ledger]
    verify: Callable[[Ledger, str], object]
    damage_event: Callable[[Ledger, int], None]
    damage_text: Callable[[Ledger, str], None]
    opener: str = ""
    place: str = ""


@dataclass(slots=True)
class Desk:
    """An open ledger with a run that was taken over, and what was written into it so far."""

    ledger: Ledger
    fence: Fence
    history: History

    def write(self, *entries: Entry, leases: tuple[LeaseOperation, ...] = ()) -> list[Recorded]:
        """Commit one batch."""
        return list(self.ledger.commit(self.fence, Batch(entries=entries, leases=leases)))

    def snapshot(self) -> object:
        """All that a refused batch must leave as it was."""
        tables = ("attempt", "lane", "turn", "workspace", "heartbeat", "finding", "ruling")
        rows = [list(self.ledger.rows(table, RUN)) for table in (*tables, "receipt")]
        return rows, list(self.ledger.read(RUN)), self.ledger.head(RUN), self.ledger.runs()


def sit_down(backend: Backend) -> Desk:
    """Open the backend and start a run."""
    ledger = backend.open()
    ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
    fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
    return Desk(ledger, fence, History())


def refusal_of(error: type[Exception], act: Callable[[], object]) -> Exception:
    """The error that an act ends with; an AssertionError where it ends well."""
    try:
        act()
    except error as raised:
        return raised
    raise AssertionError(f"nothing was refused; {error.__name__} was to be raised")


def at_work(backend: Backend) -> Desk:
    """A build whose first turn has a lease and a process."""
    desk = sit_down(backend)
    desk.write(*desk.history.begun("001", BUILD))
    lease = desk.history.grant(BUILD)
    opened = desk.history.turn_opened("001", BUILD)
    desk.write(opened, desk.history.turn_started("001", BUILD), leases=(lease,))
    return desk


def state_of(desk: Desk, attempt: str = BUILD) -> object:
    """The attempt's state as its row has it."""
    rows = {row["attempt_id"]: row["state"] for row in desk.ledger.rows("attempt", RUN)}
    return rows[attempt]


Case = Callable[[Backend], None]
