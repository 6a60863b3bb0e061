"""The door to the hub: what is not whole, or lies about itself, does not come in."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.git.world import STAMP, World, codes, commit, git, run_job, write
from tidegate.git.control import Control
from tidegate.git.errors import GitFailed, HubDamaged
from tidegate.git.harvest import Order, harvest
from tidegate.git.hub import Hub
from tidegate.git.workspace import prepare


def test_a_commit_whose_objects_are_gone_is_told_and_stops_no_other(world: World) -> None:
    """A deleted object breaks the commit that needs it; the rest is harvested."""
    world.prepare()
    good = commit(world.workspace, {"good": "1"})
    git(world.workspace, "checkout", "-q", "-b", "bad")
    bad = commit(world.workspace, {"bad": "some content\n"})
    blob = git(world.workspace, "rev-parse", f"{bad}:bad")
    (world.workspace / ".git/objects" / blob[:2] / blob[2:]).unlink()
    git(world.workspace, "checkout", "-q", "tidegate/one", check=False)
    harvest = world.harvest()
    assert (harvest.tip, codes(harvest.violations)) == (good, {"history_incomplete"})
    assert world.kept(good)
    assert world.hub.commit(bad) is None
    git(world.hub.path, "fsck", "--full", "--strict")


def test_a_commit_of_which_the_hub_has_a_part_is_no_tip(world: World) -> None:
    """Commit and tree alone, as a crash may leave them, do not make up for a lost file."""
    world.prepare()
    bad = commit(world.workspace, {"bad": "some content\n"})
    oids = git(world.workspace, "rev-parse", bad, f"{bad}^{{tree}}", f"{bad}:bad").split()
    paths = [f"objects/{oid[:2]}/{oid[2:]}" for oid in oids]
    for path in paths[:2]:
        target = Path(world.hub.path, path)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(world.workspace / ".git" / path, target)
    (world.workspace / ".git" / paths[2]).unlink()
    harvest = world.harvest()
    assert harvest.tip is None
    assert codes(harvest.violations) == {"history_incomplete", "no_head"}


def test_a_base_that_the_hub_lacks_is_no_fault_of_the_agents(world: World) -> None:
    """The hub has lost what was in it: an error of ours and no violation."""
    world.prepare()
    commit(world.workspace, {"a": "1"})
    with pytest.raises(HubDamaged):
        world.harvest(base="1" * 40)


@pytest.mark.parametrize("damage", ["config", "refs"])
def test_a_hub_that_cannot_be_read_is_no_fault_of_the_agents(world: World, damage: str) -> None:
    """Whoever broke it, the next lane did not."""
    world.prepare()
    commit(world.workspace, {"a": "1"})
    if damage == "refs":
        shutil.rmtree(Path(world.hub.path, "refs"))
    else:
        Path(world.hub.path, "config").write_text("[core\n", encoding="utf-8")
    with pytest.raises(HubDamaged, match="cannot be read"):
        world.harvest()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace makes the system call fail")
def test_a_disk_that_cannot_take_the_pack_is_no_fault_of_the_agents(world: World) -> None:
    """When the pack cannot be written the harvest fails, to be tried again, and blames nobody."""
    world.prepare()
    head = commit(world.workspace, {"a": "1"})
    job: dict[str, object] = {
        "job": "harvest",
        "hub": world.hub.path,
        "workspace": str(world.workspace),
        "base": world.base,
        "namespace": "refs/tidegate/run/one/1",
        "author": STAMP._asdict(),
        "message": "m\n",
    }
    spool = f"{Control.of(world.hub.path, str(world.workspace)).folder}/incoming.pack"
    fault = ("strace", "-f", "-qq", "-o", "/dev/null", "-P", spool)
    error = run_job(world.path / "job", job, wrapper=(*fault, "-e", "inject=write:error=ENOSPC"))[
        "error"
    ]
    assert (error["kind"], error["code"]) == ("infra", "git_failed")
    assert "diskspace" in error["message"]
    assert world.hub.commit(head) is None
    assert run_job(world.path / "job", job)["violations"] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_cannot_take_the_objects_is_no_fault_of_the_agents(world: World) -> None:
    """The same where there is room for the pack, and none for what is in it."""
    small = world.path / "small"
    small.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=3m", "tidegate", str(small))
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no mounts here")
    try:
        shutil.copytree(world.hub.path, small / "hub.git")
        hub = Hub(str(small / "hub.git"))
        prepare(hub, world.order())
        noise = random.Random(1).randbytes(1_800_000)  # noqa: S311 - only has to be incompressible
        (world.workspace / "big").write_bytes(noise)
        commit(world.workspace, {})
        order = Order(str(world.workspace), world.base, "refs/tidegate/x", STAMP, "m\n")
        with pytest.raises(OSError, match="No space left"):
            harvest(hub, order)
    finally:
        subprocess.run(("umount", str(small)), check=True)


def test_a_forged_graph_of_commits_hides_none(world: World) -> None:
    """What a commit-graph in the workspace says of parents is not believed."""
    world.prepare()
    hidden = commit(world.workspace, {"a": "1"})
    head = commit(world.workspace, {"b": "2"})
    git(world.workspace, "reflog", "expire", "--expire=now", "--all")
    git(world.workspace, "commit-graph", "write", "--reachable")
    path = world.workspace / ".git/objects/info/commit-graph"
    graph = bytearray(path.read_bytes())
    chunks = {
        bytes(graph[at : at + 4]): int.from_bytes(graph[at + 4 : at + 12], "big")
        for at in range(8, 8 + 12 * graph[6], 12)
    }
    names = chunks[b"OIDL"]
    position = graph.index(bytes.fromhex(head), names)
    first_parent = chunks[b"CDAT"] + (position - names) // 20 * 36 + 20
    graph[first_parent : first_parent + 4] = (0x70000000).to_bytes(4, "big")
    path.chmod(0o644)
    path.write_bytes(graph)
    assert git(world.workspace, "rev-list", "HEAD") == head
    harvest = world.harvest()
    assert harvest.violations == ()
    assert world.kept(hidden)


def test_an_object_that_lies_about_its_content_does_not_enter(world: World) -> None:
    """A loose object under another one's name is found out at the door."""
    world.prepare()
    head = commit(world.workspace, {"a": "honest\n"})
    blob = git(world.workspace, "rev-parse", f"{head}:a")
    other = git(world.workspace, "hash-object", "-w", "--stdin", stdin="forged")
    objects = world.workspace / ".git/objects"
    target = objects / blob[:2] / blob[2:]
    target.chmod(0o644)
    shutil.copy(objects / other[:2] / other[2:], target)
    harvest = world.harvest()
    assert "history_incomplete" in codes(harvest.violations)
    assert world.hub.commit(head) is None


@pytest.mark.parametrize("others", [0, 200])
def test_a_tree_with_a_git_folder_in_it_does_not_enter(world: World, others: int) -> None:
    """A commit that would write into `.git` when it is checked out is stopped at the door."""
    world.prepare()
    blob = git(world.workspace, "hash-object", "-w", "--stdin", stdin="[core]\n\tfsmonitor = x\n")
    inner = git(world.workspace, "mktree", stdin=f"100644 blob {blob}\tconfig\n")
    commit(world.workspace, {f"many/{number}": str(number) for number in range(others)})
    outer = git(world.workspace, "mktree", stdin=f"040000 tree {inner}\t.git\n")
    evil = git(world.workspace, "commit-tree", "-p", "HEAD", "-m", "evil", outer)
    git(world.workspace, "update-ref", "HEAD", evil)
    harvest = world.harvest()
    assert "history_incomplete" in codes(harvest.violations)
    assert harvest.tip is None
    assert world.hub.commit(evil) is None


@pytest.mark.parametrize("command", ["rev-list", "cat-file"])
@pytest.mark.parametrize("fault", ["exit 128", "kill -9 $$"])
def test_a_git_that_fails_once_is_no_fault_of_the_agents(
    world: World, monkeypatch: pytest.MonkeyPatch, command: str, fault: str
) -> None:
    """For want of memory, say: it is asked again, or the harvest fails and is tried again."""
    world.prepare()
    write(world.workspace, {"a": "1"})
    folder = world.path / "once"
    folder.mkdir()
    script = (
        f'case " $* " in *" {command} "*) test -e {folder}/done ||'
        f" {{ : > {folder}/done; {fault}; }};; "
        f'esac; exec {shutil.which("git")} "$@"'
    )
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "git").chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    try:
        harvest = world.harvest()
    except GitFailed:
        harvest = world.harvest()
    assert (harvest.tip is not None, harvest.violations) == (True, ())
    assert (folder / "done").exists()
