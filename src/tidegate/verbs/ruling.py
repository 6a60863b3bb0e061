"""What an owner says of a run under way: answers, rulings, vetoes, stops.

Where a controller is at work it takes what is said; where none is, the run is opened for a moment,
what is said is recorded, and the next `run` goes on from there.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from tidegate.core.errors import Misused, NotReady, Refused
from tidegate.core.values import DEFER
from tidegate.engine.wishes import do
from tidegate.ports.inbox import Reply, Request
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import Repository
from tidegate.verbs.assembly import assemble
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.near import near
from tidegate.verbs.open_run import find_open_run
from tidegate.verbs.summary import open_questions

OWNER = "owner"
"""Who speaks where a person does: there is one owner, whoever has the shell."""

DRAIN = "drain"
"""The one wish that is about the controller at work, and no fact of a run."""

REPLY_WAIT_S = 10.0
"""A controller that is at work replies within a tick; one that is stopped or stuck does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that waits for its owner: the recommended option first, `defer` last."""

    question: str
    issue: str
    title: str
    about: str
    options: tuple[str, ...]
    detail: str
    asked_at: str
    is_deferred: bool


def questions(house: House, folder: str) -> tuple[OpenQuestion, ...]:
    """The open questions of the run under way; none where no run is."""
    repository = house.repositories.find(folder)
    ledger = house.open_ledger_read_only(repository)
    if ledger is None:
        return ()
    with closing(ledger):
        run = find_open_run(ledger)
        if run is None:
            return ()
        lanes = {str(row["lane"]): row for row in ledger.rows("lane", run)}
        asked = open_questions(ledger, run)
        return tuple(
            _shown(ledger, lanes[lane], row)
            for lane, row in asked.items()
            if lanes[lane]["outcome"] is None
        )


def _shown(ledger: Ledger, lane: Row, row: Row) -> OpenQuestion:
    digest = row["detail_digest"]
    return OpenQuestion(
        question=str(row["question"]),
        issue=str(lane["issue"]),
        title=str(lane["title"]),
        about=str(row["about"]),
        options=tuple(json.loads(str(row["options"]))),
        detail=ledger.text(str(digest)) if digest is not None else "",
        asked_at=str(row["asked_at"]),
        is_deferred=row["answer"] == DEFER,
    )


def answer(house: House, folder: str, question: str, said: str, *, words: str) -> Reply:
    """Answer an open question."""
    lane, mark, _ = question.rpartition("-q")
    known = [each.question for each in questions(house, folder)]
    if not mark or question not in known:
        hint = near(question, known) or f"open: {', '.join(known) or 'none'}"
        raise Misused(f"there is no open question {question!r}", hint=hint)
    says = {"question": question, "answer": said, "words": words}
    return tell(house, folder, "answer", lane, says=says)


def tell(
    house: House,
    folder: str,
    verb: str,
    lane: str,
    *,
    says: Mapping[str, str],
    items: Sequence[str] = (),
) -> Reply:
    """Say it to the controller at work, or record it where there is none. Raises Refused."""
    if "TIDEGATE_ATTEMPT" in house.environment:
        raise Refused("an agent at work rules nothing", hint="say it in your report")
    repository = house.repositories.find(folder)
    run, epoch = _under_way(house, repository)
    now = house.clock.now().utc.replace(":", "").replace(".", "")
    request = Request(
        id=f"{now}-{os.getpid()}",
        run=run,
        controller_epoch=epoch,
        verb=verb,
        by=OWNER,
        lane=lane,
        says=dict(says),
        items=tuple(items),
    )
    reply = _handed_over(house, repository, request)
    if reply is None and verb == DRAIN:
        raise Refused("no controller is at work", hint="nothing starts before `tidegate run`")
    if reply is None:
        reply = _recorded(house, repository, request)
    if not reply.is_done:
        raise Refused(reply.message, hint=reply.hint)
    return reply


def _under_way(house: House, repository: Repository) -> tuple[str, int]:
    """The open run, and the epoch of whoever carried it last. Raises Refused where none is open."""
    ledger = house.open_ledger_read_only(repository)
    if ledger is not None:
        with closing(ledger):
            run = find_open_run(ledger)
            rows = [row for row in ledger.runs() if row["run_id"] == run]
        if run is not None:
            return run, int(str(rows[0]["controller_epoch"]))
    raise Refused("no run is under way", hint="`tidegate run` begins one")


def _handed_over(house: House, repository: Repository, request: Request) -> Reply | None:
    """What the controller says; None where there is no controller."""
    holder = house.controller_holder(repository.home)
    if holder is None:
        return None
    reply = house.open_inbox(repository.home).hand_over(request, wait_s=REPLY_WAIT_S)
    if reply is not None:
        return reply
    raise NotReady(
        f"the controller ({holder}) has not answered",
        hint="it takes what you said when it goes on; see `tidegate status`",
    )


def _recorded(house: House, repository: Repository, request: Request) -> Reply:
    """Open the run for a moment and record it there."""
    with house.lock_controller(repository.home):
        ledger = house.open_ledger(repository)
        try:
            run = find_open_run(ledger)
            if run is None:
                raise Refused("no run is under way", hint="`tidegate run` begins one")
            engine = assemble(house, repository, frozen(ledger, run), ledger, run)
            reply = do(engine, request)
            engine.book.flush()
        finally:
            house.runners.stand_down()
            ledger.close()
    if not reply.is_done:
        return reply
    return Reply(is_done=True, message=f"{reply.message}; `tidegate run` goes on from there")
