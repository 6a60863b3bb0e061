"""What an owner says of a run, and the questions that wait for it."""

from collections.abc import Iterator, Sequence

from tidegate.cli.output import clean, clean_text, show_json, show_lines
from tidegate.core.errors import Misused
from tidegate.ports.inbox import Reply
from tidegate.verbs.house import House
from tidegate.verbs.ruling import OpenQuestion, is_carried, questions, tell
from tidegate.verbs.ruling import answer as say

_ABOUT = {
    "refusal": "the adjudicator refuses it: is it built all the same?",
    "landing": "it has passed: does it land?",
    "stop": "it failed for the last time: does it stop?",
    "issue": "the adjudicator asks how it is meant:",
}


def answer(
    house: House, folder: str, question: str | None, said: str | None, words: str, *, as_json: bool
) -> None:
    """Answer a question; without one, show those that are open."""
    if question is None:
        _show(questions(house, folder), as_json=as_json)
    elif said is None:
        raise Misused(f"say your answer to {question}", hint="see `tidegate answer`")
    else:
        _told(say(house, folder, question, said, words=words), as_json=as_json)


def _show(found: Sequence[OpenQuestion], *, as_json: bool) -> None:
    if as_json:
        show_json(list(found))
        return
    if not found:
        show_lines("nothing waits for you")
    show_lines(*(line for each in found for line in _lines(each)))


def _lines(question: OpenQuestion) -> Iterator[str]:
    deferred = " (deferred)" if question.is_deferred else ""
    yield f"{question.question}  {clean(question.title)}{deferred}"
    yield f"    {_ABOUT[question.about]}"
    for line in clean_text(question.detail.rstrip()).splitlines():
        yield f"    | {line}"
    first, *others = question.options
    yield f"    tidegate answer {question.question} {first}  (recommended)"
    for option in others:
        yield f"    tidegate answer {question.question} {option}"


def veto(house: House, folder: str, lane: str, items: Sequence[str], *, as_json: bool) -> None:
    """Rule against a PASS."""
    if not items or not all(item.strip() for item in items):
        raise Misused("a veto names what is wrong", hint="give --item, once for each point")
    _told(tell(house, folder, "veto", lane, says={}, items=items), as_json=as_json)


def rule(house: House, folder: str, lane: str, ruling: str, *, reason: str, as_json: bool) -> None:
    """Rule on a lane that is under way."""
    says = {"ruling": ruling, "reason": reason}
    _told(tell(house, folder, "rule", lane, says=says), as_json=as_json)


def stop(
    house: House, folder: str, lane: str | None, reason: str, *, now: bool, as_json: bool
) -> None:
    """End a lane, or let the run at work come to its end."""
    if lane is not None and now:
        raise Misused("--now is for the whole run", hint="a lane is always stopped at once")
    if lane is not None:
        _told(tell(house, folder, "stop", lane, says={"reason": reason}), as_json=as_json)
        return
    if now and not is_carried(house, folder):
        from tidegate.cli.running import stop_agents  # noqa: PLC0415 - seldom, and a run's weight

        stop_agents(house, folder, as_json=as_json)
        return
    says = {"reason": reason, "now": "now" if now else ""}
    _told(tell(house, folder, "drain", "", says=says), as_json=as_json)


def _told(reply: Reply, *, as_json: bool) -> None:
    if as_json:
        show_json({"done": reply.is_done, "message": reply.message})
    else:
        show_lines(clean(reply.message))
