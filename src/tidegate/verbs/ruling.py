"""What an owner says of a run under way: answers, rulings, vetoes, stops.

Where a controller is at work it takes what is said; where none is, the run is opened for a moment,
what is said is recorded, and the next `run` goes on from there.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing

from tidegate.core.errors import Misused, NotReady, Refused, Unavailable
from tidegate.core.records import record
from tidegate.core.values import DEFER
from tidegate.engine.inbox import take_what_lies
from tidegate.ports.inbox import Inbox, Reply, Request
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
"""The one request that is about the controller at work, and no fact of a run."""

REPLY_WAIT_S = 10.0
"""A controller that is at work replies within a tick; one that is stopped or stuck does not."""


_NEXT = "`tidegate run` begins one"
_NOBODY_TO_STOP = (
    "nothing starts before `tidegate run`. Agents of one that died go on: `tidegate run` finds "
    "them, and `tidegate stop --now` stops them"
)


@record
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
        hint = f"open: {', '.join(known) or 'none'}"
        meant = near(question, known)
        raise Misused(f"there is no open question {question!r}", hint=hint, did_you_mean=meant)
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
    refuse_agents(house)
    repository = house.repositories.find(folder)
    run, epoch = under_way(house, repository)
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
    reply = _said(house, repository, request)
    if not reply.is_done:
        raise Refused(reply.message, hint=reply.hint)
    return reply


def is_carried(house: House, folder: str) -> bool:
    """Whether a controller is at work on the repository that `folder` is in."""
    return house.controller_holder(house.repositories.find(folder).home) is not None


def refuse_agents(house: House) -> None:
    """Raise Refused where it is an agent that speaks."""
    if "TIDEGATE_ATTEMPT" in house.environment:
        raise Refused("an agent at work rules nothing", hint="say it in your report")


def under_way(house: House, repository: Repository) -> tuple[str, int]:
    """The open run, and the epoch of whoever carried it last. Raises Refused where none is open."""
    ledger = house.open_ledger_read_only(repository)
    if ledger is not None:
        with closing(ledger):
            run = find_open_run(ledger)
            rows = [row for row in ledger.runs() if row["run_id"] == run]
        if run is not None:
            return run, int(str(rows[0]["controller_epoch"]))
    raise Refused("no run is under way", hint=_NEXT)


def _said(house: House, repository: Repository, request: Request) -> Reply:
    """Leave it to the controller at work; be the controller for a moment where there is none.

    The one that was at work may end without having taken it, so whether it is there is looked at
    again for as long as its reply is waited for.
    """
    home, inbox = repository.home, house.open_inbox(repository.home)
    if request.verb == DRAIN and house.controller_holder(home) is None:
        raise Refused("no controller is at work", hint=_NOBODY_TO_STOP)
    inbox.leave(request)
    until_s = house.clock.now().monotonic_s + REPLY_WAIT_S
    with ExitStack() as lock:
        while not _is_controller(house, home, lock):
            left_s = until_s - house.clock.now().monotonic_s
            reply = inbox.hear(
                request,
                wait_s=max(0.0, left_s),
                is_heard=lambda: house.controller_holder(home) is not None,
            )
            if reply is not None:
                return reply
            if left_s <= 0:
                raise NotReady(
                    f"the controller ({house.controller_holder(home)}) has not answered",
                    hint="it takes what you said when it goes on; see `tidegate status`",
                )
        return _taken(house, repository, inbox, request)


def _is_controller(house: House, home: str, lock: ExitStack) -> bool:
    """Take the controller's lock where nobody has it."""
    try:
        lock.enter_context(house.lock_controller(home))
    except Refused:
        return False
    return True


def _taken(house: House, repository: Repository, inbox: Inbox, request: Request) -> Reply:
    """Take all that lies in the inbox, this request too. What cannot be done now is taken back."""
    try:
        _take_all(house, repository, inbox)
    finally:
        reply = inbox.take_back(request)
    if reply is None:
        raise Unavailable("what you said was not recorded", hint="try again")
    return reply


def _take_all(house: House, repository: Repository, inbox: Inbox) -> None:
    """Open the run for a moment and record there what was asked of it."""
    ledger = house.open_ledger(repository)
    try:
        run = find_open_run(ledger)
        if run is not None:
            take_what_lies(assemble(house, repository, frozen(ledger, run), ledger, run))
            return
        for each in inbox.waiting():
            over = Reply(is_done=False, message=f"run {each.run} is over", hint=_NEXT)
            inbox.reply(each, over)
    finally:
        house.runners.stand_down()
        ledger.close()
