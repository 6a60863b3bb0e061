"""The examiner finds each kind of damage, and nothing in a world that has none."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.showcase.proving.finished import PATH, away, finished, tampered, without
from tidegate.showcase.proving import examiner, records, trees
from tidegate.showcase.proving.examiner import Damage, Kind
from tidegate.showcase.proving.journal import Note, read_journal
from tidegate.showcase.proving.records import rows_of
from tidegate.showcase.proving.world import World, asked_git

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A run that has ended, with nothing wrong."""
    return finished(tmp_path_factory.mktemp("world"))


def note(what: str, attempt: str = "001-build-1", turn: int = 1, **more: object) -> Note:
    """A line of a builder of the first issue."""
    return Note(
        what=what, attempt=attempt, turn=turn, lane="001", role="build", at_s=1.0, more=more
    )


def kinds(damages: Sequence[Damage]) -> list[Kind]:
    """What was found, by its kind."""
    return [damage.kind for damage in damages]


def test_nothing_is_found_where_nothing_is_wrong(world: World) -> None:
    """A run without a fault leaves nothing that the examiner objects to, and it has looked."""
    found = examiner.examine(world, struck=set(), path=PATH)
    assert found.damages == ()
    assert all(found.looked_at[name] > 0 for name in found.looked_at)
    assert found.looked_at["landings"] == 2


def test_a_lost_commit_is_found(world: World) -> None:
    """A commit that an agent made and no ref of the hub reaches is lost."""
    lost = [*read_journal(world.journal), note("commit", oid="1" * 40, piece=0, kind="new")]
    assert kinds(list(examiner.commits(world, lost, PATH))) == [Kind.LOST]


def test_a_commit_is_lost_when_its_refs_are(world: World) -> None:
    """Without the refs of the hub the agents' commits count as lost, though git still has them."""
    refs = asked_git(world.hub, PATH, "for-each-ref", "--format=%(refname) %(objectname)").stdout
    named = [line.split() for line in refs.splitlines()]
    for name, _ in named:
        asked_git(world.hub, PATH, "update-ref", "-d", name)
    try:
        found = list(examiner.commits(world, read_journal(world.journal), PATH))
    finally:
        for name, oid in named:
            asked_git(world.hub, PATH, "update-ref", name, oid)
    made = [each for each in read_journal(world.journal) if each.what == "commit"]
    assert kinds(found) == [Kind.LOST] * len(made)


def test_a_turn_that_ran_twice_is_found() -> None:
    """Two processes that begin one and the same turn are one too many."""
    notes = [note("begin"), note("end"), note("begin"), note("end")]
    assert kinds(list(examiner.turns(notes))) == [Kind.DOUBLED]


def test_two_live_attempts_of_a_lane_are_found() -> None:
    """An agent that still writes after its successor has begun is a second live attempt."""
    notes = [
        note("begin"),
        note("begin", "001-build-2"),
        note("commit", oid="1" * 40, piece=0, kind="new"),
    ]
    assert kinds(list(examiner.turns(notes))) == [Kind.DOUBLED]


def test_an_agent_that_finds_another_alive_is_heard() -> None:
    """The lock that each agent holds for its lane tells of a second one, however quiet it is."""
    notes = [note("begin"), note("begin", "001-build-2"), note("overlap", "001-build-2")]
    assert kinds(list(examiner.turns(notes))) == [Kind.DOUBLED]


def test_work_done_again_is_damage_unless_its_agent_was_killed() -> None:
    """Who takes a killed agent's place may begin afresh; else no committed part is done again."""
    notes = [
        note("commit", oid="1" * 40, piece=0, kind="new"),
        note("commit", "001-build-2", oid="2" * 40, piece=0, kind="new"),
    ]
    assert kinds(list(examiner.pieces(notes, set()))) == [Kind.DOUBLED]
    assert kinds(list(examiner.pieces(notes, {("001-build-1", 1)}))) == [Kind.REDONE]
    again = [notes[0], replace(notes[0], turn=2)]
    assert kinds(list(examiner.pieces(again, {("001-build-1", 1)}))) == [Kind.DOUBLED]


def test_a_missing_artifact_is_found(world: World) -> None:
    """A promoted artifact whose file is gone is lost; one with another content is wrong."""
    path = Path(str(examiner.promoted(world)[0]["artifact_path"]))
    with away(path):
        assert kinds(list(examiner.artifacts(world))) == [Kind.LOST]
        path.write_text("another report\n", encoding="utf-8")
        assert kinds(list(examiner.artifacts(world))) == [Kind.WRONG]
        path.unlink()
    assert list(examiner.artifacts(world)) == []


def test_a_tree_that_was_not_tested_is_found(world: World) -> None:
    """A landing of a commit whose tree no check has passed is found, and so is a red tree."""
    (lane, *_) = rows_of(world.home, "lane")
    base = asked_git(world.hub, PATH, "rev-parse", f"{lane['landed_commit']}~1").stdout.strip()
    tree = asked_git(world.hub, PATH, "rev-parse", f"{base}^{{tree}}").stdout.strip()
    untested = [without(lane, landed_commit=base, landed_tree=tree)]
    assert len(list(trees.checks_of_trees(world, untested, PATH))) == 1
    wrong = [without(lane, landed_tree=tree)]
    assert len(list(trees.checks_of_trees(world, wrong, PATH))) == 2


def test_a_tree_that_fails_its_check_is_found(world: World, tmp_path: Path) -> None:
    """What is said to have passed is tested once more, and a red tree is told."""
    (lane, *_) = rows_of(world.home, "lane")
    clone = tmp_path / "clone"
    asked_git(tmp_path, PATH, "clone", "-q", str(world.hub), str(clone))
    asked_git(clone, PATH, "checkout", "-q", str(lane["landed_commit"]))
    (clone / "test_first.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    name = ("-c", "user.name=Owner", "-c", "user.email=owner@example.invalid")
    assert asked_git(clone, PATH, *name, "commit", "-qam", "red").returncode == 0
    red = asked_git(clone, PATH, "rev-parse", "HEAD").stdout.strip()
    brought = asked_git(world.hub, PATH, "fetch", "-q", str(clone), f"{red}:refs/tidegate/red")
    assert brought.returncode == 0, brought.stderr
    try:
        said = list(trees.checks_of_trees(world, [without(lane, landed_commit=red)], PATH))
    finally:
        asked_git(world.hub, PATH, "update-ref", "-d", "refs/tidegate/red")
    assert any("fails its check" in each for each in said)


def test_an_issue_without_an_end_or_with_two_is_found(world: World) -> None:
    """Each issue has landed once or has ended with a reason; anything else is damage."""
    one, two = rows_of(world.home, "lane")
    assert kinds(list(examiner.issues(world, [one]))) == [Kind.LOST]
    assert kinds(list(examiner.issues(world, [one, two, two]))) == [Kind.DOUBLED]
    stopped = without(two, outcome="stopped", reason="")
    assert kinds(list(examiner.issues(world, [one, stopped]))) == [Kind.LOST]
    assert list(examiner.issues(world, [one, without(stopped, reason="STOP at FAIL 3")])) == []


def test_a_landing_that_is_on_no_branch_is_found(world: World) -> None:
    """What is said to have landed and is not on the branch, or is there once more, is found."""
    one, two = rows_of(world.home, "lane")
    elsewhere = [one, without(two, landed_commit="1" * 40)]
    assert kinds(list(examiner.landings(world, elsewhere, PATH))) == [Kind.LOST]
    assert kinds(list(examiner.landings(world, [one], PATH))) == [Kind.DOUBLED]


def test_a_delivery_that_did_not_arrive_is_found(world: World) -> None:
    """The user's repository and the remote have what landed, or it is told that they have not."""
    lanes = rows_of(world.home, "lane")
    ref = str(rows_of(world.home, "run")[0]["ref"])
    tip = asked_git(world.remote, PATH, "rev-parse", ref).stdout.strip()
    asked_git(world.remote, PATH, "update-ref", ref, f"{tip}~1")
    try:
        assert kinds(list(examiner.landings(world, lanes, PATH))) == [Kind.LOST]
    finally:
        asked_git(world.remote, PATH, "update-ref", ref, tip)


def test_an_agent_that_ended_for_no_reason_is_found(world: World) -> None:
    """A turn that was lost and that nobody had struck at is damage; one that was struck is not."""
    build = next(each for each in rows_of(world.home, "turn") if "build" in str(each["attempt_id"]))
    of = (str(build["attempt_id"]), 1)
    lost = [without(build, how="lost")]
    assert kinds(list(examiner.cut_short(lost, set()))) == [Kind.LOST]
    assert list(examiner.cut_short(lost, {of})) == []
    assert list(examiner.cut_short(rows_of(world.home, "turn"), set())) == []


def test_a_broken_object_is_found(world: World) -> None:
    """Git's own check of a store is heard."""
    objects = [p for p in world.hub.glob("objects/??/*") if p.is_file()]
    with away(objects[0]):
        assert Kind.WRONG in kinds(list(examiner.stores(world, PATH)))
    assert list(examiner.stores(world, PATH)) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("update event set reason = 'x' where sequence = 5", "was changed after"),
        ("delete from event where sequence = 5", "does not follow"),
        ("update lane set outcome = 'stopped' where lane = '001'", "lane"),
        ("update attempt_fold set state = 'failed' where attempt_id = '001-build-1'", "attempt"),
        ("update turn set how = 'lost' where attempt_id = '001-build-1'", "turn"),
        ("update receipt set settled_at = null", "nobody knows"),
    ],
)
def test_a_record_that_was_tampered_with_is_found(
    world: World, tmp_path: Path, statement: str, said: str
) -> None:
    """The chain shows an edit, and rows that the events do not add up to are told."""
    with tampered(world, tmp_path, statement) as home:
        assert any(said in each for each in records.problems(home))


def test_a_process_that_is_left_is_found(world: World) -> None:
    """Whoever carries the mark of a turn when all is over was left behind."""
    assert list(examiner.leftovers(world)) == []
    mark = f"{world.home}/runs/x/attempts/001-build-1/turns/1"
    left = subprocess.Popen(
        (sys.executable, "-c", "input()"),
        env={**os.environ, "TIDEGATE_MARK": mark},
        stdin=subprocess.PIPE,
    )
    try:
        assert kinds(list(examiner.leftovers(world))) == [Kind.WRONG]
    finally:
        left.kill()
        left.communicate()
