"""What is claimed of a run, each claim judged from its log alone. Pure.

A claim that does not hold says what is wrong and where; one that holds shows its evidence, so that
a reader can go and look.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """It holds where there is no problem."""

    name: str
    problems: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of `tidegate log --json`, as far as it is looked at."""

    sequence: int
    kind: str
    lane: str
    body: Mapping[str, Any]


Log = Sequence[Event]


def read_log(text: str) -> Log:
    """The events of a log that was printed as JSON, one a line."""
    lines = map(json.loads, text.splitlines())
    return [
        Event(sequence=line["sequence"], kind=line["kind"], lane=line["lane"], body=line["body"])
        for line in lines
    ]


def of_kind(log: Log, kind: str, *, lane: str | None = None) -> Iterator[Event]:
    """The events of one kind, of all lanes or of one, in order."""
    return (e for e in log if e.kind == kind and lane in (None, e.lane))


def is_gapless(log: Log) -> Claim:
    """The log is whole: its sequence starts at 1 and leaves nothing out."""
    numbers = [event.sequence for event in log]
    is_whole = bool(numbers) and numbers == list(range(1, len(numbers) + 1))
    problems = () if is_whole else (f"the sequence is {numbers}",)
    return Claim(name="the log is whole", problems=problems, evidence=f"{len(log)} events")


def base_first(log: Log) -> Claim:
    """The untouched base passed the check before any issue was taken."""
    checked = next(of_kind(log, "base_checked"), None)
    opened = next(of_kind(log, "lane_opened"), None)
    is_first = checked and opened and checked.sequence < opened.sequence
    problem = f"base_checked: {checked}; the first lane_opened: {opened}"
    holds = is_first and checked and checked.body["verdict"] == "PASS"
    return Claim(
        name="the base was checked before an issue was taken",
        problems=() if holds else (problem,),
        evidence=f"PASS at event {checked.sequence}" if checked else "",
    )


def outcomes(
    result: Mapping[str, Any], code: int, *, landed: frozenset[str], stopped: frozenset[str]
) -> Claim:
    """What `run --json` says: exactly these landed, exactly these were stopped, nothing else."""
    found = {name: sorted(each["issue"] for each in result[name]) for name in _ENDS}
    wanted = {"landed": sorted(landed), "stopped": sorted(stopped), "refused": [], "waiting": []}
    problems = [f"{n}: {found[n]}, expected {wanted[n]}" for n in _ENDS if found[n] != wanted[n]]
    if code != int(bool(stopped)):
        problems.append(f"`tidegate run` exited {code}")
    reasons = "; ".join(f"{each['issue']}: {each['reason']}" for each in result["stopped"])
    return Claim(
        name="exactly the expected issues landed and were stopped",
        problems=tuple(problems),
        evidence=f"landed {' '.join(found['landed'])}; stopped {reasons}; exit code {code}",
    )


_ENDS = ("landed", "stopped", "refused", "waiting")


def stop(log: Log, lane: str, *, fails: int) -> Claim:
    """The lane was stopped at that FAIL: each on a tree of its own, each red in a real check."""
    counted = [
        e
        for e in of_kind(log, "judged", lane=lane)
        if "-build-" in e.body["attempt"] and e.body["verdict"] == "FAIL" and e.body["counts"]
    ]
    trees = [e.body["tree"] for e in counted]
    codes = [exit_code(log, e.body["by"]) for e in counted]
    ends = [e.body["outcome"] for e in of_kind(log, "lane_ended", lane=lane)]
    problems = []
    if len(counted) != fails or len(set(trees)) != fails:
        problems.append(f"lane {lane} has {len(counted)} FAILs, on the trees {trees}")
    if None in codes or 0 in codes:
        problems.append(f"the checks behind the FAILs of lane {lane} exited {codes}")
    if ends != ["stopped"] or any(of_kind(log, "landed", lane=lane)):
        problems.append(f"lane {lane} ended {ends}")
    shown = ", ".join(f"{e.body['by']} on {e.body['tree'][:10]}" for e in counted)
    return Claim(
        name=f"issue {lane} was stopped at FAIL {fails}", problems=tuple(problems), evidence=shown
    )


def exit_code(log: Log, attempt: str) -> int | None:
    """With which code an attempt's last turn ended by itself; None where it never did."""
    ends = [e.body for e in of_kind(log, "turn_ended") if e.body["attempt"] == attempt]
    return ends[-1]["code"] if ends and ends[-1]["how"] == "exited" else None


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


def carried_through(log: Log, rivals: frozenset[str], path: str) -> Claim:
    """Of two changes to the same lines the second was sent back once, onto the first, and landed.

    No other lane was in anybody's way.
    """
    name = f"the second change to {path} was sent back and carried through"
    conflicts = list(of_kind(log, "conflicted"))
    shown = [f"{e.lane}: {e.body['paths']} at event {e.sequence}" for e in conflicts]
    if len(conflicts) != 1 or conflicts[0].lane not in rivals:
        return Claim(name=name, problems=(f"conflicts: {shown or 'none'}",), evidence="")
    conflict = conflicts[0]
    first = next(iter(rivals - {conflict.lane}))
    ahead = next(of_kind(log, "landed", lane=first), None)
    after = next(of_kind(log, "landed", lane=conflict.lane), None)
    problems = []
    if list(conflict.body["paths"]) != [path]:
        problems.append(f"the conflict was in {conflict.body['paths']}")
    if ahead is None or ahead.sequence > conflict.sequence:
        problems.append(f"{first} had not landed before {conflict.lane} was sent back")
    if after is None or after.sequence < conflict.sequence:
        problems.append(f"{conflict.lane} did not land after it was sent back")
    turns = _turns_onto(log, conflict)
    if turns != 1:
        problems.append(f"{turns} turns were opened onto {conflict.body['target']}")
    return Claim(
        name=name,
        problems=tuple(problems),
        evidence=f"{first} landed, {conflict.lane} in conflict at event {conflict.sequence}, "
        f"landed at event {after.sequence if after else '?'}",
    )


def _turns_onto(log: Log, conflict: Event) -> int:
    """How many turns of the lane were to bring its change onto the target of this conflict."""
    return sum(
        e.body["base"] == conflict.body["target"] and e.sequence > conflict.sequence
        for e in of_kind(log, "turn_opened", lane=conflict.lane)
    )


def landed_was_tested(log: Log, trees: Mapping[str, str]) -> Claim:
    """Each landed tree had passed in a check that exited 0, before; and git has that very tree.

    `trees` is what git says: commit -> its tree.
    """
    problems, shown = [], []
    for event in of_kind(log, "landed"):
        tree, commit = event.body["tree"], event.body["commit"]
        checks = [c for c in _passed(log, tree, before=event.sequence) if exit_code(log, c) == 0]
        if not checks:
            problems.append(
                f"{event.lane}: no check passed on {tree} before event {event.sequence}"
            )
        if trees.get(commit) != tree:
            problems.append(f"{event.lane}: {commit} has the tree {trees.get(commit)}, not {tree}")
        shown.append(f"{event.lane} {tree[:10]} by {checks[0] if checks else 'nobody'}")
    if not shown:
        problems.append("nothing landed")
    return Claim(
        name="each landed tree was a tested tree",
        problems=tuple(problems),
        evidence=", ".join(shown),
    )


def _passed(log: Log, tree: str, *, before: int) -> list[str]:
    return [
        e.body["by"]
        for e in of_kind(log, "judged")
        if e.sequence < before
        and e.body["tree"] == tree
        and e.body["verdict"] == "PASS"
        and "-build-" in e.body["attempt"]
    ]


def chain(log: Log, first_parents: Sequence[str]) -> Claim:
    """From the base on, the target consists of exactly the landed commits, in their order."""
    landed = [event.body["commit"] for event in of_kind(log, "landed")]
    is_same = bool(landed) and list(first_parents) == landed
    problems = () if is_same else (f"git has {list(first_parents)}, the log has {landed}",)
    return Claim(
        name="the target consists of exactly the landed commits",
        problems=problems,
        evidence=" <- ".join(commit[:10] for commit in first_parents),
    )
