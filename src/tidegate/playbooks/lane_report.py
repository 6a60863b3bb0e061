"""One report for a lane, from its events alone: what was proved, and every round's finding.

Whoever rules needs to read nothing else (seed 000, lines 22 and 33). Pure: texts are asked for by
their digests, and what an agent wrote stands in a fence that it cannot close.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from tidegate.core import events as e
from tidegate.core.names import role_of
from tidegate.core.settle import TARGET_RED
from tidegate.core.values import LANDABLE, Outcome, Role, Verdict

Text = Callable[[str], str]
"""The stored text of a digest."""


def lane_report(entries: Iterable[e.Entry], text: Text, *, check_command: str) -> str:
    """The report in Markdown. The entries are those of one lane, in order, from its first."""
    events = [entry.event for entry in entries]
    parts = (
        _head(events),
        _proved(events, text, check_command),
        _rounds(events, text),
        _owner(events, text),
        _attempts(events),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _of(events: Sequence[e.Event], kind: type[e.Event]) -> list[e.Event]:
    return [event for event in events if isinstance(event, kind)]


def _head(events: Sequence[e.Event]) -> Iterator[str]:
    opened = events[0]
    assert isinstance(opened, e.LaneOpened)
    yield f"# {opened.issue}: {opened.title}"
    yield ""
    for event in events:
        match event:
            case e.Landed(commit=commit, ref=ref):
                yield f"Landed as {commit} on {ref.rpartition('refs/heads/')[2]}."
            case e.LaneEnded(outcome=outcome, reason=reason) if outcome is not Outcome.LANDED:
                yield f"{outcome.capitalize()}: {reason}."
            case _:
                pass
    if not _of(events, e.LaneEnded):
        yield "Not over yet."


def _proved(events: Sequence[e.Event], text: Text, check_command: str) -> Iterator[str]:
    """What was judged and said PASS, of the change as it was last merged."""
    made = [event for event in events if isinstance(event, e.CandidateMade)]
    candidate = made[-1] if made else None
    passes = [
        event
        for event in events
        if isinstance(event, e.Judged)
        and event.verdict in LANDABLE
        and candidate is not None
        and event.attempt == candidate.attempt
        and event.tree == candidate.tree
    ]
    yield from ("", "## What was proved", "")
    if candidate is None or not passes:
        yield "Nothing."
        return
    yield f"Of the exact tree {candidate.tree}, merged onto {candidate.target}:"
    yield ""
    for judged in passes:
        yield f"- {judged.verdict} by {judged.by}, {_how(judged, check_command)}"
    if candidate.is_carried:
        yield "- the verifier's PASS was carried over a clean merge of other paths"
    for line in candidate.surface:
        yield f"- it changes what judges it, as its footprint allows: {line}"
    yield from ("", "Not checked:", "")
    yield from _not_checked(events, passes, text)


def _how(judged: e.Judged, check_command: str) -> str:
    if role_of(judged.by) is Role.VERIFY:
        return "who tried to break it"
    return f"{judged.reason}: `{check_command}`"


def _not_checked(
    events: Sequence[e.Event], passes: Sequence[e.Judged], text: Text
) -> Iterator[str]:
    verifiers = {judged.by for judged in passes if role_of(judged.by) is Role.VERIFY}
    if not verifiers:
        yield "- whatever the check does not look at: no verifier was asked"
    for event in events:
        if isinstance(event, e.TurnEnded) and event.attempt in verifiers:
            yield f"The verifier's own words ({event.attempt}):"
            yield ""
            yield _fenced(text(event.report_digest))


def _rounds(events: Sequence[e.Event], text: Text) -> Iterator[str]:
    """Each finding that went back to the builder, and each that counted for nobody."""
    yield from ("", "## Rounds", "")
    found = [line for event in events for line in _round(event, text)]
    yield from found or ["No finding."]


def _round(event: e.Event, text: Text) -> Iterator[str]:
    match event:
        case e.Judged(verdict=Verdict.FAIL, attempt=attempt) if role_of(attempt) is Role.BUILD:
            counts = "FAIL" if event.counts else "red, not counted"
            if event.reason == TARGET_RED:
                counts = "red, and nobody's fault"
            yield f"### {counts}: {event.reason}, by {event.by}"
            digest = event.finding_digest
        case e.Conflicted(target=target, finding_digest=digest):
            yield f"### It did not merge onto {target}"
        case e.Vetoed(by=by, finding_digest=digest):
            yield f"### FAIL: vetoed by {by}"
        case e.Failed(attempt=attempt, reason=reason, detail=detail):
            yield f"### {attempt} came to nothing: {reason} {detail}".rstrip()
            digest = None
        case _:
            return
    yield ""
    if digest is not None:
        yield _fenced(text(digest))
        yield ""


def _owner(events: Sequence[e.Event], text: Text) -> Iterator[str]:
    """What was asked of the owner, answered and ruled."""
    lines = [line for event in events for line in _ruling(event, text)]
    if lines:
        yield from ("", "## Questions and rulings", "", *lines)


def _ruling(event: e.Event, text: Text) -> Iterator[str]:
    match event:
        case e.Adjudicated(kind=kind):
            yield f"- adjudicated: {'to be built' if kind is None else f'refused, {kind}'}"
        case e.Asked(question=question, about=about, options=options):
            yield f"- {question} about its {about}: {' | '.join(options)}"
        case e.Answered(question=question, answer=answer, by=by, words_digest=words):
            yield f"- {by} answered {question}: {answer}"
            if words is not None:
                yield from ("", _fenced(text(words)), "")
        case e.Ruled(ruling=ruling, by=by):
            yield f"- ruled {ruling} by {by}"
        case e.StopAsked(by=by, reason=reason):
            yield f"- {by} stopped it: {reason}"
        case _:
            return


def _attempts(events: Sequence[e.Event]) -> Iterator[str]:
    yield from ("", "## Attempts", "")
    for event in events:
        if isinstance(event, e.Requested):
            instead = f" in place of {event.supersedes}" if event.supersedes else ""
            yield f"- {event.attempt} ({event.agent}){instead}"
            for attack in event.attacks:
                yield f"  - to try: {attack}"


def _fenced(text: str) -> str:
    """The text in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"
