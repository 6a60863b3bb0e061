"""The examination: what a run left, judged by code that shares nothing with what made it.

It reads the ledger's rows by SQLite, the events as the JSON that they are, objects and refs by git,
files by their bytes and processes by /proc. It knows what the product promises, and not how the
product keeps it.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from enum import StrEnum
from itertools import chain

from tidegate.core.records import record
from tidegate.showcase.proving import records, sight
from tidegate.showcase.proving.journal import Note, read_journal
from tidegate.showcase.proving.records import Row, rows_of
from tidegate.showcase.proving.trees import checks_of_trees
from tidegate.showcase.proving.world import World, asked_git

Turn = tuple[str, int]
"""An attempt, and the number of its turn."""
NOBODY: Turn = ("", 0)


class Kind(StrEnum):
    """What a finding means to whom it happens."""

    LOST = "lost"
    DOUBLED = "done twice"
    WRONG = "wrong"
    REDONE = "written anew"
    """What a dead agent had committed is kept, and whoever took its place wrote it once more. That
    is what a replacement is: it begins afresh. It is counted, and no promise is broken by it."""


@record
class Damage:
    """Something that must not be. `at_s` is when it was done, where that is known."""

    kind: Kind
    what: str
    at_s: float | None = None
    after: Turn = NOBODY
    """The turn whose place was taken by what did this."""


@record
class Examined:
    """What was looked at, by number, and what was found."""

    looked_at: Mapping[str, int]
    damages: Sequence[Damage] = field(default_factory=tuple)


def examine(world: World, *, struck: AbstractSet[Turn], path: str) -> Examined:
    """Look at everything. `struck` are the turns that were killed, `path` is where git is found."""
    notes = read_journal(world.journal)
    lanes = rows_of(world.home, "lane")
    looked_at = {
        "issues": world.issues,
        "landings": sum(lane["outcome"] == "landed" for lane in lanes),
        "turns": len({note.of for note in notes}),
        "commits": sum(note.what == "commit" for note in notes),
        "artifacts": len(promoted(world)),
        "events": sight.number_asked(world.home, "select count(*) from event"),
    }
    return Examined(
        looked_at=looked_at,
        damages=tuple(
            chain(
                issues(world, lanes),
                turns(notes),
                commits(world, notes, path),
                pieces(notes, struck),
                cut_short(rows_of(world.home, "turn"), struck),
                artifacts(world),
                landings(world, lanes, path),
                (_wrong(said) for said in checks_of_trees(world, lanes, path)),
                stores(world, path),
                (_wrong(said) for said in records.problems(world.home)),
                leftovers(world),
            )
        ),
    )


def _wrong(what: str) -> Damage:
    return Damage(kind=Kind.WRONG, what=what)


def issues(world: World, lanes: Sequence[Row]) -> Iterator[Damage]:
    """Each issue has landed exactly once, or has ended with a reason."""
    for number in range(1, world.issues + 1):
        issue = f"{number:03}"
        mine = [lane for lane in lanes if lane["issue"] == issue]
        landed = [lane for lane in mine if lane["outcome"] == "landed"]
        if len(landed) > 1:
            yield Damage(kind=Kind.DOUBLED, what=f"issue {issue} has landed {len(landed)} times")
        if any(lane["outcome"] is None for lane in mine) or not mine:
            yield Damage(kind=Kind.LOST, what=f"nobody says what became of issue {issue}")
        elif not landed and not mine[-1]["reason"]:
            yield Damage(kind=Kind.LOST, what=f"issue {issue} has ended without a reason")


def turns(notes: Sequence[Note]) -> Iterator[Damage]:
    """No turn was begun twice, and no lane ever had two live attempts of one role."""
    begun = set[tuple[str, int]]()
    current: dict[tuple[str, str], tuple[str, int]] = {}
    for note in notes:
        who = f"turn {note.turn} of {note.attempt}"
        if note.what == "begin":
            if note.of in begun:
                yield _doubled(note, f"{who} ran twice")
            begun.add(note.of)
            current[note.lane, note.role] = note.of
        elif current.get((note.lane, note.role)) != note.of:
            yield _doubled(note, f"{who} still worked when another of its lane had begun")
        if note.what == "overlap":
            yield _doubled(note, f"{who} found another one of its lane alive")


def _doubled(note: Note, what: str) -> Damage:
    return Damage(kind=Kind.DOUBLED, what=what, at_s=note.at_s)


def cut_short(told: Sequence[Row], struck: AbstractSet[Turn]) -> Iterator[Damage]:
    """Only a blow at itself ends an agent: whatever befalls a controller, its agents live."""
    for turn in told:
        of = (str(turn["attempt_id"]), int(str(turn["turn"])))
        is_killed = turn["how"] != "exited" or turn["signal"] is not None
        if is_killed and of not in struck:
            what = f"turn {of[1]} of {of[0]} ended as {turn['how']}, and nobody had touched it"
            yield Damage(kind=Kind.LOST, what=what)


def pieces(notes: Sequence[Note], struck: AbstractSet[Turn]) -> Iterator[Damage]:
    """What one agent had committed no other one of its issue did again, unless it was killed."""
    first: dict[tuple[str, object, object], Note] = {}
    for note in notes:
        if note.what == "commit":
            key = (note.lane, note.more["piece"], note.more["kind"])
            before = first.setdefault(key, note)
            if before is not note:
                is_replacing = before.attempt != note.attempt and before.of in struck
                yield Damage(
                    kind=Kind.REDONE if is_replacing else Kind.DOUBLED,
                    what=f"{note.attempt} did part {note.more['piece']} again, which "
                    f"{before.attempt} had committed",
                    at_s=note.at_s,
                    after=before.of,
                )


def commits(world: World, notes: Sequence[Note], path: str) -> Iterator[Damage]:
    """Every commit that an agent ever made can be reached in the hub."""
    listed = asked_git(world.hub, path, "rev-list", "--all").stdout.split()
    reachable = set(listed)
    for note in notes:
        if note.what == "commit" and note.more["oid"] not in reachable:
            what = f"commit {str(note.more['oid'])[:12]} of {note.attempt} is in no ref of the hub"
            yield Damage(kind=Kind.LOST, what=what, at_s=note.at_s)


def promoted(world: World) -> Sequence[Row]:
    """The attempts whose artifact is promoted."""
    attempts = rows_of(world.home, "attempt_fold")
    return [each for each in attempts if each["artifact_status"] == "promoted"]


def artifacts(world: World) -> Iterator[Damage]:
    """Each promoted artifact is there, and is what its digest says."""
    for attempt in promoted(world):
        found = records.digest_of_file(str(attempt["artifact_path"]))
        if found is None:
            what = f"the artifact of {attempt['attempt_id']} is gone"
            yield Damage(kind=Kind.LOST, what=what)
        elif found != attempt["artifact_digest"]:
            yield _wrong(f"the artifact of {attempt['attempt_id']} is another than was promoted")


def landings(world: World, lanes: Sequence[Row], path: str) -> Iterator[Damage]:
    """What is said to have landed is on the line of its branch once; it is delivered, published."""
    for run in rows_of(world.home, "run"):
        mine = [x for x in lanes if x["run_id"] == run["run_id"] and x["outcome"] == "landed"]
        if not mine:
            continue
        ref, base = str(run["ref"]), str(run["base"])
        argv = ("rev-list", "--first-parent", f"{base}..refs/heads/tidegate/{run['run_id']}")
        line = asked_git(world.hub, path, *argv).stdout.split()
        for lane in mine:
            if line.count(str(lane["landed_commit"])) != 1:
                yield Damage(kind=Kind.LOST, what=f"what landed of {lane['lane']} is not landed")
        if len(line) != len(mine):
            what = f"the branch has {len(line)} landings, and {len(mine)} lanes landed"
            yield Damage(kind=Kind.DOUBLED, what=what)
        for where, place in (("your repository", world.repository), ("the remote", world.remote)):
            tip = asked_git(place, path, "rev-parse", "-q", "--verify", ref).stdout.strip()
            if not line or tip != line[0]:
                yield Damage(kind=Kind.LOST, what=f"{where} lacks what landed ({ref})")


def stores(world: World, path: str) -> Iterator[Damage]:
    """Git finds nothing wrong with the hub, the user's repository, or the remote."""
    for name in (world.hub, world.repository, world.remote):
        said = asked_git(name, path, "fsck", "--full", "--no-dangling", "--no-progress")
        if said.returncode:
            yield _wrong(f"git fsck of {name.name}: {(said.stderr or said.stdout).strip()[:200]}")


def leftovers(world: World) -> Iterator[Damage]:
    """No process that carries a mark of a turn is left."""
    yield from (_wrong(f"process {pid} is left of a turn") for pid in sight.marked(world.home))
