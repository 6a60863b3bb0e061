"""What people ask of a run: each request becomes a command of its lane, or is refused in words.

A request is replied to when what it made is durable. A controller that dies before its reply takes
the request again: what it asks for is so already, and is refused as such.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tidegate.core import commands as c
from tidegate.core import run_words
from tidegate.core.errors import Misused, Refused, TidegateError
from tidegate.core.events import RunEvent
from tidegate.core.lane import Question
from tidegate.core.values import DEFER, About, Ruling
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish, stronger
from tidegate.ports.inbox import Reply, Request


def heed(engine: Engine) -> None:
    """Take what lies in the inbox."""
    for request in engine.ports.inbox.waiting():
        engine.replies.append((request, do(engine, request)))


def take_what_lies(engine: Engine) -> None:
    """Take what lies in the inbox and reply at once, where no tick follows that would."""
    for request in engine.ports.inbox.waiting():
        reply = do(engine, request)
        engine.book.flush()
        more = "; `tidegate run` goes on from there" if reply.is_done else ""
        engine.ports.inbox.reply(request, replace(reply, message=f"{reply.message}{more}"))


def do(engine: Engine, request: Request) -> Reply:
    """Record what is asked, or say why not. Nothing is durable yet."""
    try:
        return Reply(is_done=True, message=_do(engine, request))
    except TidegateError as error:
        return Reply(is_done=False, message=error.message, hint=error.hint)


def _do(engine: Engine, request: Request) -> str:
    _refuse_what_others_were_told(engine, request)
    if request.verb == "drain":
        asked = Wish.STOP if request.says.get("now") else Wish.DRAIN
        engine.wished = stronger(engine.wished, asked)
        return "the run is stopping" if request.says.get("now") else "the run starts nothing more"
    if request.verb in _OF_RUN:
        event, told = _OF_RUN[request.verb](engine, request)
        engine.book.record_run(event, actor=request.by)
        return told
    if request.verb not in _COMMANDS:
        raise Misused(f"nobody knows how to {request.verb}")
    lane = engine.book.lanes.get(request.lane)
    if lane is None or lane.outcome is not None:
        raise Refused(
            f"lane {request.lane} is not open in run {engine.book.run.id}",
            hint="see `tidegate status`",
        )
    command = _COMMANDS[request.verb](engine, request)
    engine.book.record(request.lane, command, actor=request.by)
    return f"lane {request.lane}: {_told(request)}"


def _refuse_what_others_were_told(engine: Engine, request: Request) -> None:
    """Raise Refused for a request that was left for a run, or a controller, that is no more."""
    run = engine.book.run.id
    if request.run != run:
        raise Refused(
            f"it was said to run {request.run or 'of no name'}, and this is run {run}",
            hint="see `tidegate status`, and say it again",
        )
    epoch = engine.book.fence.controller_epoch
    first = epoch if engine.first_epoch is None else engine.first_epoch
    if request.verb == "drain" and not first <= request.controller_epoch <= epoch:
        raise Refused(
            "the controller that was to stop has ended",
            hint="say it again where another one is to stop as well: `tidegate stop`",
        )


def _told(request: Request) -> str:
    match request.verb:
        case "veto":
            return "vetoed, and back with its builder"
        case "stop":
            return "it is stopping"
        case _:
            return f"your word is {request.says.get('answer') or request.says['ruling']}"


def _answer(engine: Engine, request: Request) -> c.Command:
    words = request.says.get("words", "")
    said = _said(request, "answer")
    question = engine.book.lanes[request.lane].question
    if question is not None and question.about is About.ISSUE and said != DEFER:
        words = _meant(engine, question, said, words)
    return c.Answer(
        question=_said(request, "question"),
        answer=said,
        by=request.by,
        words_digest=engine.ports.ledger.put_text(words) if words else None,
    )


def _meant(engine: Engine, question: Question, said: str, words: str) -> str:
    """What whoever works on the issue next must know: the answer itself is part of it."""
    asked = engine.ports.ledger.text(question.detail_digest) if question.detail_digest else ""
    lines = (f"Asked: {asked.strip()}", f"Answered: {said}", words)
    return "\n".join(line for line in lines if line)


def _said(request: Request, key: str) -> str:
    """A text that the verb wants. A request is a file that anybody may have written."""
    if key not in request.says:
        raise Misused(f"a request to {request.verb} says its {key}")
    return request.says[key]


def _rule(engine: Engine, request: Request) -> c.Command:
    """A ruling; where the lane has asked for one it is the answer."""
    said = _said(request, "ruling")
    if said not in set(Ruling):
        raise Misused(f"there is no ruling {said!r}", hint=f"it is one of {', '.join(Ruling)}")
    ruling = Ruling(said)
    question = engine.book.lanes[request.lane].question
    if question is None:
        return c.Rule(ruling=ruling, by=request.by, reason=request.says.get("reason", ""))
    says = {"question": question.id, "answer": ruling.value}
    words = {"words": request.says.get("reason", "")}
    return _answer(engine, replace(request, verb="answer", says={**says, **words}))


def _veto(engine: Engine, request: Request) -> c.Command:
    """The finding is the list, and nothing is added to it but that it has an end."""
    listed = "\n".join(f"{number}. {item}" for number, item in enumerate(request.items, 1))
    finding = f"Vetoed by {request.by}. What has to change, and nothing else:\n\n{listed}\n"
    return c.Veto(
        items=len(request.items),
        finding_digest=engine.ports.ledger.put_text(finding),
        by=request.by,
    )


def _stop(_: Engine, request: Request) -> c.Command:
    return c.AskStop(reason=request.says.get("reason", ""), by=request.by)


def _drain(engine: Engine, request: Request) -> tuple[RunEvent, str]:
    run, reason = engine.book.run, request.says.get("reason", "")
    asked = run_words.ask_drain(run, by=request.by, reason=reason)
    return asked, f"run {run.id} is drained: nothing new begins before `tidegate undrain`"


def _undrain(engine: Engine, request: Request) -> tuple[RunEvent, str]:
    run = engine.book.run
    return run_words.lift_drain(run, by=request.by), f"run {run.id} is drained no more"


def _reconcile(engine: Engine, request: Request) -> tuple[RunEvent, str]:
    receipt, outcome = _said(request, "receipt"), _said(request, "outcome")
    reason = request.says.get("reason", "")
    said = run_words.reconcile(engine.book.run, receipt, outcome, by=request.by, reason=reason)
    return said, f"{receipt} is known now: {outcome}"


_OF_RUN: Mapping[str, Callable[[Engine, Request], tuple[RunEvent, str]]] = {
    "drain_run": _drain,
    "undrain_run": _undrain,
    "reconcile": _reconcile,
}
"""What is said of the run as a whole, and recorded in its own stream."""

_COMMANDS: Mapping[str, Callable[[Engine, Request], c.Command]] = {
    "answer": _answer,
    "rule": _rule,
    "veto": _veto,
    "stop": _stop,
}
