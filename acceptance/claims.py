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


def outcomes(result: Mapping[str, Any], code: int, ends: Mapping[str, frozenset[str]]) -> Claim:
    """What `run --json` says: each issue ended as it had to, and there is no other.

    `ends` says of each way to end which issues do: "landed", "stopped", "refused".
    """
    found = {name: sorted(each["issue"] for each in result[name]) for name in _ENDS}
    wanted = {name: sorted(ends.get(name, ())) for name in _ENDS}
    problems = [f"{n}: {found[n]}, expected {wanted[n]}" for n in _ENDS if found[n] != wanted[n]]
    if code != int(any(ends.get(name) for name in ("stopped", "refused"))):
        problems.append(f"`tidegate run` exited {code}")
    reasons = "; ".join(
        f"{name} {each['issue']}: {each['reason']}"
        for name in ("stopped", "refused")
        for each in result[name]
    )
    return Claim(
        name="exactly the expected issues landed, were stopped and were refused",
        problems=tuple(problems),
        evidence=f"landed {' '.join(found['landed'])}; {reasons}; exit code {code}",
    )


_ENDS = ("landed", "stopped", "refused", "waiting")


def deserved(log: Log, expected: Mapping[str, tuple[int, str]]) -> Claim:
    """Each lane has the FAILs that it deserved and no more, and none is on a tree that landed.

    `expected` says how many, and what is the reason of each.
    """
    found = dict.fromkeys(expected, 0)
    landed = {e.body["tree"] for e in of_kind(log, "landed")}
    problems = []
    for event in _counted(log):
        found[event.lane] = found.get(event.lane, 0) + 1
        reason = event.body["reason"]
        if reason != expected.get(event.lane, (0, reason))[1]:
            problems.append(f"{event.lane}: FAIL at event {event.sequence} for {reason!r}")
        if event.body["tree"] in landed:
            problems.append(f"{event.lane}: FAIL at event {event.sequence} on a tree that landed")
    problems += [
        f"{lane}: {number} FAILs, expected {expected.get(lane, (0, ''))[0]}"
        for lane, number in found.items()
        if number != expected.get(lane, (0, ""))[0]
    ]
    shown = ", ".join(
        f"{lane} {number} ({expected[lane][1]})"
        for lane, number in found.items()
        if number and lane in expected
    )
    return Claim(
        name="each builder got the FAILs that it deserved, and nobody else did",
        problems=tuple(problems),
        evidence=f"FAILs: {shown or 'none'}",
    )


def _counted(log: Log, lane: str | None = None) -> Iterator[Event]:
    """The FAILs of builders that count."""
    return (
        e
        for e in of_kind(log, "judged", lane=lane)
        if "-build-" in e.body["attempt"] and e.body["verdict"] == "FAIL" and e.body["counts"]
    )


def red_checks(log: Log) -> Sequence[tuple[str, str, int]]:
    """Of each FAIL that counts and came of a check: the check, the build, the turn before it."""
    turns: dict[str, int] = {}
    found = []
    for event in log:
        if event.kind == "turn_opened":
            turns[event.body["attempt"]] = event.body["turn"]
        elif event in _counted([event]) and "-check-" in event.body["by"]:
            build = event.body["attempt"]
            found.append((event.body["by"], build, turns[build]))
    return found


def word_for_word(told: Mapping[str, tuple[str, str]]) -> Claim:
    """What a red check said is in the finding of the next turn, each line as it was.

    `told` says of each check what it printed, and which finding its builder had next.
    """
    problems = [
        f"{check}: the finding lacks {line!r}"
        for check, (printed, finding) in told.items()
        for line in printed.splitlines()
        if line.strip() and line not in finding
    ]
    problems += [f"{check} printed nothing" for check, (said, _) in told.items() if not said]
    if not told:
        problems.append("nothing was red")
    return Claim(
        name="a builder hears of a red check word for word",
        problems=tuple(problems[:5]),
        evidence=", ".join(f"{len(said)} characters of {c}" for c, (said, _) in told.items()),
    )


def looked_again(log: Log) -> Claim:
    """Where a check was red for no reason it was run again on the same tree, and called FLAKY."""
    reds = [
        e
        for e in of_kind(log, "judged")
        if "-build-" in e.body["attempt"] and e.body["verdict"] == "FAIL" and not e.body["counts"]
    ]
    flaky = {
        e.body["tree"]: e.sequence
        for e in of_kind(log, "judged")
        if _is_pass(e) and e.body["verdict"] == "FLAKY"
    }
    problems = [
        f"{e.lane}: {e.body['by']} was red at event {e.sequence}, and its tree is not called FLAKY"
        for e in reds
        if flaky.get(e.body["tree"], 0) < e.sequence
    ]
    if not reds:
        problems.append("no check was red for no reason")
    return Claim(
        name="a check that was red for no reason was run again, and nobody was blamed",
        problems=tuple(problems),
        evidence=", ".join(f"{e.body['by']} red, then green" for e in reds),
    )


def _is_pass(event: Event) -> bool:
    """What may land: a check was green on it, be it after a red one (then it is FLAKY)."""
    return event.body["verdict"] in ("PASS", "FLAKY") and "-build-" in event.body["attempt"]


def stop(log: Log, lane: str, *, fails: int) -> Claim:
    """The lane was stopped at that FAIL: each on a tree of its own, each red in a real check."""
    counted = list(_counted(log, lane))
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
        if e.sequence < before and e.body["tree"] == tree and _is_pass(e)
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
