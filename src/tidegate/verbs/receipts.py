"""Receipts: what a run did outside, what of it is unknown, and the owner's word that settles it.

The word goes to the controller at work, or is recorded without one. Of a run that is over nobody
carries the stream any more: then it is opened and ended again in one batch, with its end as it was.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing

from tidegate.core.errors import Misused, Refused
from tidegate.core.policy import Limits
from tidegate.core.records import record
from tidegate.core.run_words import DONE, FAILED, reconcile
from tidegate.engine.book import open_book
from tidegate.ports.inbox import Reply
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import Repository
from tidegate.verbs.assembly import took_over
from tidegate.verbs.house import House
from tidegate.verbs.near import near
from tidegate.verbs.reading import reading
from tidegate.verbs.ruling import OWNER, refuse_agents, tell
from tidegate.verbs.summary import is_unknown, outcome_of, say_reconcile

UNDER_WAY = "under way"


@record
class Receipt:
    """One thing outside. `todo` says what to do about it, where nobody knows how it ended.

    `outcome` is what holds now, `recorded` what was recorded at first; `by` is who said otherwise.
    """

    receipt: str
    run: str
    kind: str
    about: str
    outcome: str
    recorded: str
    detail: str
    intended_at: str
    settled_at: str | None
    by: str = ""
    todo: str = ""


def receipts(house: House, folder: str, *, every: bool) -> Sequence[Receipt]:
    """Those of the newest run and all that are unknown; with `every` those of all runs."""
    with reading(house, folder) as (_, ledger):
        return () if ledger is None else tuple(map(_shown, _rows(ledger, every=every)))


def _rows(ledger: Ledger, *, every: bool) -> Iterator[Row]:
    runs = ledger.runs()
    for row in runs:
        is_shown = every or row is runs[-1]
        found = ledger.rows("receipt", str(row["run_id"]))
        yield from (each for each in found if is_shown or _blocks(each, row))


def _blocks(receipt: Row, run: Row) -> bool:
    """What is unknown of an issue blocks it for ever; a push that a run left is made no more."""
    return is_unknown(receipt) and (bool(receipt["issue"]) or not run["ended_at"])


def _shown(row: Row) -> Receipt:
    branch = str(row["ref"]).removeprefix("refs/heads/")
    remote = f"{row['remote']} " if row["remote"] else ""
    return Receipt(
        receipt=str(row["receipt"]),
        run=str(row["run_id"]),
        kind=str(row["kind"]),
        about=str(row["issue"] or f"{remote}{branch}"),
        outcome=outcome_of(row) if row["settled_at"] else UNDER_WAY,
        recorded=str(row["outcome"]),
        detail=str(row.get("reconciled_reason") or row["detail"]),
        intended_at=str(row["intended_at"]),
        settled_at=str(row["settled_at"]) if row["settled_at"] else None,
        by=str(row.get("reconciled_by") or ""),
        todo=say_reconcile(row) if is_unknown(row) else "",
    )


def settle(house: House, folder: str, receipt: str, outcome: str, *, reason: str) -> Reply:
    """Say how something outside ended. Raises Misused for a receipt or an outcome there is not.

    Raises Refused where it is known already.
    """
    if outcome not in (DONE, FAILED):
        raise Misused(f"a receipt is not {outcome!r}", hint=f"say {DONE} or {FAILED}")
    refuse_agents(house)
    repository = house.repositories.find(folder)
    run, is_ended = _run_of(house, repository, receipt)
    if not is_ended:
        says = {"receipt": receipt, "outcome": outcome, "reason": reason}
        return tell(house, folder, "reconcile", "", says=says)
    with closing(house.open_ledger(repository)) as ledger:
        _settle_ended(house, ledger, run, receipt, outcome, reason)
    return Reply(is_done=True, message=f"{receipt} is known now: {outcome}")


def _run_of(house: House, repository: Repository, receipt: str) -> tuple[str, bool]:
    """The run that has the receipt, and whether it is over."""
    ledger = house.open_ledger_read_only(repository)
    known: list[str] = []
    if ledger is not None:
        with closing(ledger):
            for run in ledger.runs():
                for row in ledger.rows("receipt", str(run["run_id"])):
                    if row["receipt"] == receipt:
                        _require_unknown(row)
                        return str(run["run_id"]), bool(run["ended_at"])
                    known.append(str(row["receipt"]))
    raise Misused(
        f"there is no receipt {receipt!r}",
        hint="see them: `tidegate receipts`",
        did_you_mean=near(receipt, known),
    )


def _require_unknown(row: Row) -> None:
    if not row["settled_at"]:
        raise Refused(
            f"{row['receipt']} is under way: its end is not known yet",
            hint="`tidegate run` goes on with it",
        )
    if not is_unknown(row):
        raise Refused(f"{row['receipt']} is known: {outcome_of(row)}", hint="nothing is to be said")


def _settle_ended(
    house: House, ledger: Ledger, run: str, receipt: str, outcome: str, reason: str
) -> None:
    now = house.clock.now()
    fence = ledger.take_over(run, holder=house.holder, utc=now.utc)
    book = open_book(ledger, fence, Limits())  # nothing of a lane is decided
    ended = book.run.ended
    assert ended is not None
    book.utc = now.utc
    said = reconcile(book.run, receipt, outcome, by=OWNER, reason=reason)
    book.record_run(took_over(house, now, fence.controller_epoch))
    book.record_run(said, actor=OWNER)
    book.record_run(ended)
    book.flush()
