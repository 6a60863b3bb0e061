"""One lane, from its first attempt to its end."""

from collections.abc import Iterator, Mapping

from tidegate.cli.output import clean, clean_text, columns, show_json, show_lines
from tidegate.verbs.house import House
from tidegate.verbs.story import LaneStory
from tidegate.verbs.story import report as report_of
from tidegate.verbs.story import show as verb


def show(house: House, folder: str, lane: str, run: str | None, *, as_json: bool) -> None:
    """One lane's whole story."""
    story = verb(house, folder, lane, run=run)
    if as_json:
        show_json(story)
    else:
        show_lines(*_story_lines(story))


def report(house: House, folder: str, lane: str, run: str | None, *, as_json: bool) -> None:
    """The lane's report, in Markdown."""
    text = report_of(house, folder, lane, run=run)
    if as_json:
        show_json({"lane": lane, "report": text})
    else:
        show_lines(clean_text(text.rstrip()))


def _story_lines(story: LaneStory) -> Iterator[str]:
    lane = story.lane
    yield from columns([(f"{lane.lane}:", clean(lane.title))], gap=1)
    where = f" as {lane.commit}" if lane.commit else ""
    why = f" ({clean(lane.reason)})" if lane.reason else ""
    yield from columns([(f"run {story.run}:", f"{lane.stage}{where}{why}")], gap=1)
    yield ""
    yield from columns(
        [
            (
                str(a["attempt_id"]),
                str(a["state"]),
                str(a["content_verdict"]),
                clean(_reason(story, a)),
            )
            for a in story.attempts
        ]
    )
    told: dict[str, str] = {}
    for number, finding in enumerate(story.findings, start=1):
        counted = "" if finding.counts else ", not counted"
        title = f"finding {number}, {finding.attempt}: {finding.reason}{counted}"
        before = told.setdefault(finding.text, f"finding {number}")
        is_new = before == f"finding {number}"
        yield from _part(title, finding.text if is_new else f"word for word as {before}")
    for trouble in story.troubles:
        yield from _part(f"{trouble.attempt}: {trouble.job} ({trouble.reason})", trouble.text)
    for name, text in story.reports:
        if text not in told:
            yield from _part(f"report of {name}", text)
    for name, path in story.prints:
        yield from _part(f"what {name} prints, and stderr beside it", path)
    if story.work is not None and not lane.commit:
        yield from _part("what it came to", story.work)


def _reason(story: LaneStory, attempt: Mapping[str, object]) -> str:
    is_of_target = attempt["attempt_id"] in story.target_checks
    said = (
        str(attempt["reason"] or ""),
        "of the target, without the change" if is_of_target else "",
    )
    return ", ".join(filter(None, said))


def _part(title: str, text: str) -> Iterator[str]:
    yield ""
    yield f"--- {clean(title)}"
    yield clean_text(text.rstrip())
