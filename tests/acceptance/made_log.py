"""A made-up log of a run: 001 and 002 want the same lines, 003 cannot pass."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from acceptance.claims import Event, Log

PATH = "shared.py"
TREES = {"commit-1": "tree-1", "commit-2": "tree-2b"}
"""What git says of the commits that landed."""


def made_log() -> list[Event]:
    """Everything as it should be."""
    log: list[Event] = []
    _add(log, "", "base_checked", verdict="PASS")
    for lane in ("001", "002", "003"):
        _add(log, lane, "lane_opened")
        _build(log, lane, base=None)
    _check(log, "001", number=1, tree="tree-1", code=0)
    _check(log, "002", number=1, tree="tree-2a", code=0)
    _add(log, "001", "landed", commit="commit-1", tree="tree-1")
    _add(log, "002", "conflicted", paths=[PATH], target="commit-1")
    _build(log, "002", base="commit-1")
    for number in (1, 2, 3):
        _check(log, "003", number=number, tree=f"red-{number}", code=1)
    _check(log, "002", number=2, tree="tree-2b", code=0)
    _add(log, "002", "landed", commit="commit-2", tree="tree-2b")
    _add(log, "003", "lane_ended", outcome="stopped")
    return log


def _build(log: list[Event], lane: str, *, base: str | None) -> None:
    """One turn of a lane's builder."""
    build = f"{lane}-build-1"
    _add(log, lane, "turn_opened", attempt=build, base=base, turn=1)
    _add(log, lane, "turn_ended", attempt=build, how="exited", code=0)


def _check(log: list[Event], lane: str, *, number: int, tree: str, code: int) -> None:
    """One check of a lane's build, with the verdict that its exit code leads to."""
    check, verdict = f"{lane}-check-{number}", "FAIL" if code else "PASS"
    _add(log, lane, "turn_ended", attempt=check, how="exited", code=code)
    build = {"attempt": f"{lane}-build-1", "by": check, "tree": tree}
    _add(log, lane, "judged", **build, verdict=verdict, counts=True, reason=f"exit {code}")


def _add(log: list[Event], lane: str, kind: str, **body: Any) -> None:
    log.append(Event(sequence=len(log) + 1, kind=kind, lane=lane, body=body))


def without(log: Log, is_meant: Callable[[Event], bool]) -> Log:
    """The log with these events left out; it must have had one."""
    kept = [event for event in log if not is_meant(event)]
    assert len(kept) < len(log), "nothing was left out"
    return kept


def changed(log: Log, is_meant: Callable[[Event], bool], body: Mapping[str, Any]) -> Log:
    """The log with something else in the bodies of these events; it must have had one."""
    made = [replace(e, body={**e.body, **body}) if is_meant(e) else e for e in log]
    assert made != list(log), "nothing was changed"
    return made
