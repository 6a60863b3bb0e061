"""What git does for a run: harvest, removal, landing, delivery. By the job program, as in a run."""

import json
import random
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.crash.operation import FAULT, Facts, Operation, acknowledge, stuck
from tests.crash.transitions import faults
from tests.git.world import STAMP, World, commit, git, seed, write
from tidegate.core import events as e
from tidegate.core.values import Ruling
from tidegate.git import jobs
from tidegate.ledger.sqlite import SqliteLedger
from tidegate.ports.ledger import Batch
from tidegate.testing.ledger_history import RUN, RUN_STARTED, UTC, History, tree

ATTEMPT = "001-build-1"
REF = f"refs/heads/tidegate/{RUN}"
PIN = f"refs/tidegate/{RUN}/candidate"
NAMESPACE = f"refs/tidegate/{RUN}/{ATTEMPT}/1"
LARGE_BYTES = 20_000
"""Of a file that no compression makes smaller."""
MINE = "not in the way\n"
THEIRS = ("theirs.txt", "out.log")
"""Files of the user's, untracked and ignored."""


def job(place: Path, name: str, **order: object) -> dict[str, Any]:
    """Do a job as a runner would have it done, and return what it says."""
    path, result = place / "job.json", place / "result.json"
    result.unlink(missing_ok=True)
    order |= {"job": name, "hub": World(place).hub.path, "result": str(result)}
    path.write_text(json.dumps(order), encoding="utf-8")
    jobs.main([str(path)])
    said: dict[str, Any] = json.loads(result.read_bytes())
    if "error" in said:
        stuck(said["error"]["message"])
    return said


# --- harvest and removal --------------------------------------------------------------------


def _begin_work(place: Path) -> None:
    """A workspace with a commit of its agent's, and with work that is not committed."""
    place.mkdir()
    seed(place)
    world = World(place)
    world.prepare()
    commit(world.workspace, {"src/b.py": "better\n", "src/new.py": "new\n"}, "one")
    write(world.workspace, {"src/a.py": "mended\n", "untracked.txt": "mine\n"})
    (world.workspace / "large.bin").write_bytes(random.Random(1).randbytes(LARGE_BYTES))  # noqa: S311 - no secret


def _begin_harvested(place: Path) -> None:
    """The same, harvested; and then its agent made one change more."""
    _begin_work(place)
    _harvest(place)
    write(World(place).workspace, {"late.txt": "late\n"})


def harvest(place: Path) -> None:
    """Harvest, and say what has arrived."""
    acknowledge(f"tip {_harvest(place)}")


def _harvest(place: Path) -> str:
    world = World(place)
    said = job(
        place,
        "harvest",
        workspace=str(world.workspace),
        base=world.base,
        namespace=NAMESPACE,
        author=STAMP._asdict(),
        message="Keep what was not committed\n",
    )
    return str(said["tip"])


def _remove(place: Path) -> None:
    """Harvest, and then take the workspace away, as a lane that is over does."""
    if World(place).workspace.exists():
        harvest(place)
    remove(place)


def remove(place: Path) -> None:
    """Take the workspace away."""
    workspace = str(World(place).workspace)
    job(place, "remove", workspace=workspace, trash=f"{workspace}.trash")
    acknowledge("removed")


def _lost_in_hub(place: Path, acknowledged: Sequence[str]) -> Iterator[str]:
    world = World(place)
    yield from damage(world.hub.path)
    for line in acknowledged:
        kind, _, oid = line.partition(" ")
        if kind == "tip" and not world.kept(oid):
            yield f"the harvested commit {oid}"
    if "removed" in acknowledged and world.workspace.exists():
        yield "the removal of a workspace"


def _facts_of_hub(place: Path) -> Facts:
    facts = _facts_of_refs(place)
    folder = World(place).workspace.parent
    facts.update(
        f"in the yard: {path.name}" for path in (folder.iterdir() if folder.exists() else ())
    )
    return facts


def damage(repository: Path | str) -> Iterator[str]:
    """What git finds broken in what refs lead to."""
    done = subprocess.run(
        ("git", "fsck", "--connectivity-only", "--no-dangling"),
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        yield f"{FAULT}git fsck: {done.stderr.strip() or done.stdout.strip()}"


# --- landing --------------------------------------------------------------------------------


def _begin_landing(place: Path) -> None:
    """A change that was harvested, and a ledger in which it has passed."""
    _begin_work(place)
    (place / "tip").write_text(_harvest(place), encoding="utf-8")
    with SqliteLedger.open(place / "ledger") as ledger:
        ledger.create_run(RUN, RUN_STARTED, actor="owner", utc=UTC)
        fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
        ledger.commit(fence, Batch(entries=tuple(History().reviewed("001", ATTEMPT))))


def land(place: Path) -> None:
    """Build what would land, record the intent, move the ref, record the outcome.

    Whoever comes later reads in the ledger how far it came, as the engine does.
    """
    with SqliteLedger.open(place / "ledger") as ledger:
        fence = ledger.take_over(RUN, holder="host-1:1", utc=UTC)
        kinds = [type(each.entry.event) for each in ledger.read(RUN)]
        made = candidate(place)
        history = History()
        list(history.reviewed("001", ATTEMPT))
        intent, landed = _intent(history, World(place).base, made), _landed(history, made)
        if e.LandingIntended not in kinds:
            ledger.commit(fence, Batch(entries=intent))
        if e.Landed not in kinds:
            move(place, made["commit"])
            ledger.commit(fence, Batch(entries=landed))
        acknowledge(f"landed {made['commit']}")


def candidate(place: Path) -> dict[str, Any]:
    """Build what would land. It is the same commit each time."""
    stamp, tip = STAMP._asdict(), (place / "tip").read_text(encoding="utf-8")
    part = {"tip": tip, "message": "Mend it", "trailers": {"Tidegate-Run": RUN}}
    return job(
        place,
        "candidate",
        target=World(place).base,
        parts=[part],
        style="merge",
        author=stamp,
        committer=stamp,
        pin=PIN,
    )


def move(place: Path, new: str) -> None:
    """Move the hub's ref, which is made by that."""
    said = job(place, "move", ref=REF, old=None, new=new)
    if said["kind"] != "moved":
        stuck(f"{FAULT}the ref is at {said['actual']}")


def land_in_hub(place: Path) -> None:
    """Build what would land and move the ref, with no ledger whose syncs would help."""
    made = candidate(place)
    move(place, made["commit"])
    acknowledge(f"moved {made['commit']}")


def _lost_move(place: Path, acknowledged: Sequence[str]) -> Iterator[str]:
    hub = World(place).hub
    yield from damage(hub.path)
    at = git(hub.path, "rev-parse", "-q", "--verify", REF, check=False)
    yield from (f"the move to {line}" for line in acknowledged if line != f"moved {at}")


def _facts_of_refs(place: Path) -> Facts:
    hub = World(place).hub
    facts = Counter(git(hub.path, "for-each-ref").splitlines())
    facts.update(damage(hub.path))
    return facts


def _intent(history: History, base: str, made: Mapping[str, str]) -> tuple[e.Entry, ...]:
    new, tree_id = made["commit"], made["tree"]
    events = (
        e.CandidateMade(attempt=ATTEMPT, target=base, tip=tree(3), commit=new, tree=tree_id),
        e.Ruled(attempt=ATTEMPT, ruling=Ruling.LAND, by="auto", tree=tree_id),
        e.LandingIntended(attempt=ATTEMPT, ref=REF, old=base, new=new, tree=tree_id),
    )
    return tuple(history.entry("001", event) for event in events)


def _landed(history: History, made: Mapping[str, str]) -> tuple[e.Entry, ...]:
    event = e.Landed(attempt=ATTEMPT, ref=REF, commit=made["commit"], tree=made["tree"])
    return (history.entry("001", event),)


def _lost_landing(place: Path, acknowledged: Sequence[str]) -> Iterator[str]:
    """A ref at its old place, or at the new one; at the new one where the ledger says it landed."""
    hub = World(place).hub
    yield from damage(hub.path)
    at = git(hub.path, "rev-parse", "-q", "--verify", REF, check=False)
    said = {line.removeprefix("landed ") for line in acknowledged}
    with SqliteLedger.open_read_only(place / "ledger") as ledger:
        events = [each.entry.event for each in ledger.read(RUN)]
    intended = {event.new for event in events if isinstance(event, e.LandingIntended)}
    landed = {event.commit for event in events if isinstance(event, e.Landed)}
    if at and at not in intended:
        yield f"{FAULT}the ref is at {at}, which was not intended"
    yield from (f"the landing of {oid}" for oid in (said | landed) - {at})
    yield from (f"the record of the landing of {oid}" for oid in said - landed)


def _facts_of_landing(place: Path) -> Facts:
    hub, facts = World(place).hub, _facts_of_refs(place)
    facts.update(f"moved to {line}" for line in _moves(hub.path, REF))
    with SqliteLedger.open_read_only(place / "ledger") as ledger:
        facts.update(type(each.entry.event).__name__ for each in ledger.read(RUN))
        facts.update(faults(ledger, RUN))
    return facts


def _moves(repository: Path | str, ref: str) -> set[str]:
    """Where the ref was. Git notes a move before it makes it, and so may a killed one have done."""
    said = git(repository, "reflog", "show", "--format=%H %gs", ref, "--", check=False)
    return set(said.splitlines())


# --- delivery -------------------------------------------------------------------------------


def _begin_delivery(place: Path) -> None:
    """A landing that the user's checkout has not got, and work of theirs that is in no way."""
    _begin_landing(place)
    made = candidate(place)
    move(place, made["commit"])
    (place / "landed").write_text(made["commit"], encoding="utf-8")
    write(World(place).root, dict.fromkeys(THEIRS, MINE))


def deliver(place: Path) -> None:
    """Bring the landing into the user's checkout."""
    root, new = str(World(place).root), (place / "landed").read_text(encoding="utf-8")
    said = job(place, "deliver", repository=root, ref="refs/heads/main", old=None, new=new)
    if said["kind"] != "delivered":
        stuck(f"{said['kind']}: {said['reason']} {said.get('paths')}")
    acknowledge("delivered")


def _lost_delivery(place: Path, acknowledged: Sequence[str]) -> Iterable[str]:
    world = World(place)
    yield from damage(world.root)
    at, new = git(world.root, "rev-parse", "main"), (place / "landed").read_text(encoding="utf-8")
    if at not in (world.base, new):
        yield f"{FAULT}the branch is at {at}"
    if "delivered" in acknowledged and at != new:
        yield "the delivery"
    for name in THEIRS:
        if (world.root / name).read_text(encoding="utf-8") != MINE:
            yield f"the user's own {name}"


def _facts_of_delivery(place: Path) -> Facts:
    root = World(place).root
    facts = Counter(_moves(root, "main"))
    facts.update(f"status {line}" for line in git(root, "status", "--porcelain").splitlines())
    facts.update(damage(root))
    left = (*(root / ".git").rglob("*.lock"), *(root / ".git").glob("tidegate-*"))
    facts.update(f"{FAULT}{path.name} is left" for path in left)
    facts.update(f"{name} is the user's" for name in THEIRS)
    return facts


HARVEST = Operation(
    name="harvest", begin=_begin_work, work=harvest, facts=_facts_of_hub, lost=_lost_in_hub
)
REMOVE = Operation(
    name="remove", begin=_begin_harvested, work=_remove, facts=_facts_of_hub, lost=_lost_in_hub
)
LAND = Operation(
    name="land",
    begin=_begin_landing,
    work=land,
    facts=_facts_of_landing,
    lost=_lost_landing,
)
MOVE = Operation(
    name="move",
    begin=_begin_landing,
    work=land_in_hub,
    facts=_facts_of_refs,
    lost=_lost_move,
)
DELIVER = Operation(
    name="deliver",
    begin=_begin_delivery,
    work=deliver,
    facts=_facts_of_delivery,
    lost=_lost_delivery,
)
