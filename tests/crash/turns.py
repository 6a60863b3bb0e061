"""A runner and the record of its turn.

A runner that died leaves a turn that is lost: the next controller fences it, ends what is left of
it, and opens another. It is never begun again in the same folder.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.crash.operation import FAULT, Facts, Operation, acknowledge
from tidegate.ports.runners import Over
from tidegate.runner import program
from tidegate.runner.local import LocalRunners

_AGENT = "echo $$ >> {folder}/began; echo said"
FIRST, SECOND = "turn-1", "turn-2"


def _begin(place: Path) -> None:
    place.mkdir()
    _order(place, FIRST, epoch=1)


def _order(place: Path, name: str, *, epoch: int) -> None:
    folder = place / name
    folder.mkdir(exist_ok=True)
    spec = {
        "folder": str(folder),
        "argv": ["/bin/sh", "-c", _AGENT.format(folder=folder)],
        "cwd": str(place),
        "mark": f"crash-{folder}",
        "epoch": epoch,
        "deadline_s": 30.0,
        "output_max_bytes": 1_000_000,
        "grace_s": 1.0,
        "beat_s": 30.0,
        "stdin_path": None,
    }
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")


def _work(place: Path) -> None:
    _turn(place, FIRST)


def _turn(place: Path, name: str) -> None:
    if program.main(str(place / name / "spec.json")) == 0:
        acknowledge(f"over {name}")


def _recover(place: Path) -> None:
    """What the next controller does. A runner that comes too late finds the turn given up."""
    runners = LocalRunners()
    try:
        if isinstance(runners.look(str(place / FIRST)), Over):
            return
        assert runners.declare_lost(str(place / FIRST), epoch=2)
        assert not runners.sweep(f"crash-{place / FIRST}", grace_s=0.0)
    finally:
        runners.close()
    program.main(str(place / FIRST / "spec.json"))
    _order(place, SECOND, epoch=2)
    _turn(place, SECOND)


def _lost(place: Path, acknowledged: Sequence[str]) -> Iterator[str]:
    over = place / FIRST / "exit.json"
    if over.exists() and json.loads(over.read_bytes())["code"] != 0:
        yield f"{FAULT}a record that is not how the turn ended"
    if f"over {FIRST}" in acknowledged and not over.exists():
        yield "the record of the turn"


def _facts(place: Path) -> Facts:
    """One turn in the end has a record, and in no folder an agent was started twice."""
    facts: Facts = Counter()
    for name in (FIRST, SECOND):
        folder = place / name
        record = folder / "exit.json"
        is_over = record.exists() and json.loads(record.read_bytes())["reason"] == "exited"
        facts["a turn with a record"] += is_over
        began = folder / "began"
        times = len(began.read_text(encoding="utf-8").splitlines()) if began.exists() else 0
        if times > 1:
            facts[f"an agent started again in {name}"] = times - 1
    return facts


TURN = Operation(name="turn", begin=_begin, work=_work, recover=_recover, facts=_facts, lost=_lost)
