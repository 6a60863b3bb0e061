"""What is claimed of who was at work when, and on which paths. Pure, from the log alone."""

from collections.abc import Mapping, Sequence

from acceptance.claims import Claim, Event, Log, of_kind

Covered = Mapping[str, frozenset[str]]
"""Pattern of a footprint -> the files that it covers, as git has it."""


def within_width(log: Log, width: int) -> Claim:
    """Never were more builders at work than the user allowed."""
    at_work: set[str] = set()
    most: set[str] = set()
    crowds = []
    for event in log:
        attempt = event.body.get("attempt", "")
        if event.kind == "turn_opened" and "-build-" in attempt:
            at_work.add(attempt)
        elif event.kind == "turn_ended":
            at_work.discard(attempt)
        if len(at_work) > width and event.kind == "turn_opened":
            crowds.append(f"event {event.sequence}: {', '.join(sorted(at_work))} at work")
        most = max(most, set(at_work), key=len)
    return Claim(
        name=f"at most {width} agents were at work at once",
        problems=tuple(crowds),
        evidence=f"at most {', '.join(sorted(most))}",
    )


def apart(log: Log, covered: Covered) -> Claim:
    """No two lanes ever held paths that overlap, and none was built before it held its own.

    It shows its evidence only where there is something to keep apart: two lanes whose paths
    overlap, and two that held theirs at the same time.
    """
    wanted = {e.lane: tuple(e.body["footprint"]) for e in of_kind(log, "lane_opened")}
    held: dict[str, tuple[str, ...]] = {}
    problems, most = [], set[str]()
    for event in log:
        if event.kind == "reserved":
            mine = event.body["footprint"]
            problems += [
                f"event {event.sequence}: {event.lane} and {other} both hold {sorted(shared)}"
                for other, theirs in held.items()
                if other != event.lane
                and (shared := _files(mine, covered) & _files(theirs, covered))
            ]
            held[event.lane] = mine
        elif event.kind in ("released", "lane_ended"):
            held.pop(event.lane, None)
        elif _is_build(event) and wanted.get(event.lane) and event.lane not in held:
            problems.append(f"event {event.sequence}: {event.lane} is built and holds nothing")
        most = max(most, set(held), key=len)
    rivals = _overlapping(wanted, covered)
    if not rivals or len(most) <= 1:
        problems.append(f"nothing was kept apart: {len(rivals)} pairs overlap, {sorted(most)} held")
    return Claim(
        name="no two lanes held the same path at once",
        problems=tuple(problems),
        evidence=f"{len(rivals)} pairs overlap and took turns; together {' '.join(sorted(most))}",
    )


def _is_build(event: Event) -> bool:
    return event.kind == "turn_opened" and "-build-" in event.body["attempt"]


def _files(footprint: Sequence[str], covered: Covered) -> frozenset[str]:
    return frozenset().union(*(covered.get(pattern, frozenset()) for pattern in footprint))


def _overlapping(
    wanted: Mapping[str, Sequence[str]], covered: Covered
) -> Sequence[tuple[str, str]]:
    return [
        (one, other)
        for one in wanted
        for other in wanted
        if one < other and _files(wanted[one], covered) & _files(wanted[other], covered)
    ]


def within_footprints(log: Log, strayed: Mapping[str, Sequence[str]]) -> Claim:
    """No landed commit moves a path outside of its issue's footprint.

    `strayed` is what git says: landed commit -> such paths, none of them where all is well.
    """
    landed = list(of_kind(log, "landed"))
    problems = [
        f"{e.lane}: {e.body['commit'][:10]} moves {', '.join(strayed[e.body['commit']])}"
        for e in landed
        if strayed.get(e.body["commit"])
    ]
    problems += [f"{e.lane}: nobody looked" for e in landed if e.body["commit"] not in strayed]
    return Claim(
        name="no landed commit moves a path outside of its footprint",
        problems=tuple(problems),
        evidence=f"{len(landed)} landed commits, each compared with its first parent",
    )


def replaced(log: Log, lane: str, process: int) -> Claim:
    """The builder that was killed from outside was replaced once, and nobody was blamed for it."""
    starts = {e.body["attempt"]: e.body["agent_pid"] for e in _builds(log, "turn_started", lane)}
    ends = [e.body for e in _builds(log, "turn_ended", lane)]
    asked = [e.body for e in _builds(log, "requested", lane)]
    first = asked[0]["attempt"] if asked else ""
    problems = []
    if starts.get(first) not in (process, _UNSEEN):
        problems.append(f"{first} of {lane} is {starts.get(first)} and not process {process}")
    if [(e["attempt"], e["signal"]) for e in ends if e["is_external"]] != [(first, _KILL)]:
        problems.append(f"the builders of {lane} ended so: {[dict(e) for e in ends]}")
    if [(e["supersedes"], e["cause"]) for e in asked[1:]] != [(first, "external")]:
        problems.append(f"{first} was replaced by {[dict(e) for e in asked[1:]]}")
    if not any(of_kind(log, "landed", lane=lane)):
        problems.append(f"{lane} did not land")
    return Claim(
        name="a builder that was killed from outside was replaced, at no cost",
        problems=tuple(problems),
        evidence=f"{first}, process {process}, by {asked[-1]['attempt'] if asked else 'nobody'}",
    )


_UNSEEN = 0
"""The process of a builder that was over before a controller had looked at it."""
_KILL = 9


def _builds(log: Log, kind: str, lane: str) -> Sequence[Event]:
    return [e for e in of_kind(log, kind, lane=lane) if "-build-" in e.body["attempt"]]


_CONTROLLERS = 2
"""One that was killed, and one that took over."""


def taken_up(log: Log, lane: str, process: int) -> Claim:
    """After the controller was killed another took over, and the builder at work was let go on."""
    controllers = list(of_kind(log, "controller_took_over"))
    builds = [e.body["attempt"] for e in _builds(log, "turn_opened", lane)]
    ends = _builds(log, "turn_ended", lane)
    pids = [e.body["agent_pid"] for e in _builds(log, "turn_started", lane)]
    problems = []
    if len(controllers) != _CONTROLLERS or len({e.body["holder"] for e in controllers}) == 1:
        problems.append(f"the controllers were {[e.body['holder'] for e in controllers]}")
    elif not ends or ends[0].sequence < controllers[1].sequence:
        problems.append(f"no builder of {lane} was at work when the second took over")
    if len(builds) != 1 or pids != [process] or [e.body["code"] for e in ends] != [0]:
        problems.append(f"{lane} was built by {builds}, processes {pids}, not by {process} alone")
    if not any(of_kind(log, "landed", lane=lane)):
        problems.append(f"{lane} did not land")
    return Claim(
        name="a controller that was killed was followed by another, and its builder went on",
        problems=tuple(problems),
        evidence=f"{' then '.join(e.body['holder'] for e in controllers)}; {lane} by {process}",
    )
