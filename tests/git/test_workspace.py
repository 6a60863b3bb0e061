"""Making a workspace, making it again, and taking it away."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.git.world import World, commit, git, killed_at, run_job, start_job, write
from tests.waiting import until
from tidegate.git import hub, workspace
from tidegate.git.control import Control
from tidegate.git.environment import Copy, Setup
from tidegate.git.errors import SetupFailed, WorkspaceTaken


def setup(world: World, command: str, timeout_s: float = 30.0) -> Setup:
    """Return a set-up step that logs beside the workspace."""
    log = str(world.path / "setup.log")
    return Setup(command=command, timeout_s=timeout_s, variables={"WHO": "setup"}, log=log)


def as_job(world: World, **changes: object) -> dict[str, object]:
    """Return the job that prepares the first workspace."""
    order = world.order(**changes)._asdict()  # type: ignore[arg-type]  # what it is given is the test's affair
    if order["setup"]:
        order["setup"] = order["setup"]._asdict()
    return {"job": "prepare", "hub": world.hub.path, **order}


def test_a_workspace_is_clean_and_at_its_base(world: World) -> None:
    """The checkout is exactly the commit, on a branch of its own."""
    prepared = world.prepare()
    assert git(world.workspace, "status", "--porcelain") == ""
    assert git(world.workspace, "rev-parse", "HEAD") == prepared.commit == world.base
    assert git(world.workspace, "symbolic-ref", "HEAD") == "refs/heads/tidegate/one"


def test_the_users_checkout_is_not_touched(world: World) -> None:
    """Preparing changes no ref, file or setting of the user's."""
    before = {path: path.stat().st_mtime_ns for path in world.root.rglob("*") if not path.is_dir()}
    world.prepare()
    after = {path: path.stat().st_mtime_ns for path in world.root.rglob("*") if not path.is_dir()}
    assert after == before


def test_a_finished_workspace_is_returned_as_it_is(world: World) -> None:
    """Preparing again does not touch what the agent has done since."""
    first = world.prepare()
    write(world.workspace, {"src/a.py": "the agent's\n"})
    again = world.prepare()
    assert again == first._replace(reused=True)
    assert (world.workspace / "src/a.py").read_text() == "the agent's\n"


def test_a_workspace_of_another_order_is_not_taken(world: World) -> None:
    """The path of a finished workspace is not reused for another commit."""
    world.prepare()
    with pytest.raises(WorkspaceTaken):
        world.prepare(branch="refs/heads/other")


def test_an_unknown_folder_is_set_aside_and_kept(world: World) -> None:
    """G3-06: what is at the path and not ours is moved, whole, and a fresh checkout made."""
    write(world.path, {"w/one/src/a.py": "somebody's\n"})
    prepared = world.prepare()
    assert prepared.set_aside == str(world.path / "w/aside/one.0")
    assert Path(prepared.set_aside, "src/a.py").read_text() == "somebody's\n"
    assert git(world.workspace, "status", "--porcelain") == ""


def test_a_killed_checkout_is_never_used(world: World) -> None:
    """SIGKILL before the files are written: the next attempt starts over in an empty folder."""
    job = as_job(world)
    killed_at(world.path / "job", job, "read-tree")
    assert (world.workspace / ".git").is_dir()
    write(world.workspace, {"half": "made"})
    result = run_job(world.path / "job", job)
    assert result["set_aside"] == str(world.path / "w/trash/one.0")
    assert git(world.workspace, "status", "--porcelain") == ""


def test_a_killed_setup_is_never_used(world: World) -> None:
    """SIGKILL while set-up runs: its half-done work is thrown away and done again."""
    command = f"echo $$ > made; test -e {world.path}/again || exec sleep 600"
    job = as_job(world, setup=setup(world, command))
    process = start_job(world.path / "job", job)
    made = world.workspace / "made"
    until(lambda: made.exists() and made.read_text().endswith("\n"))
    process.kill()
    process.wait()
    pid = made.read_text()
    os.kill(int(pid), signal.SIGKILL)
    (world.path / "again").touch()
    assert run_job(world.path / "job", job)["reused"] is False
    assert made.read_text() != pid


def test_setup_runs_in_the_checkout_with_its_own_variables(world: World) -> None:
    """The command sees the files and what it was given, and nothing of git's environment."""
    os.environ["GIT_DIR"] = "/nowhere"
    try:
        world.prepare(
            setup=setup(world, "echo $WHO > who; git rev-parse HEAD > head; cat README.md")
        )
    finally:
        del os.environ["GIT_DIR"]
    assert (world.workspace / "who").read_text() == "setup\n"
    assert (world.workspace / "head").read_text().strip() == world.base
    assert (world.path / "setup.log").read_text() == "read me\n"


def test_a_failing_setup_is_told_apart_from_git(world: World) -> None:
    """The error is the set-up's own, with its output; as a job's result its kind is `setup`."""
    failing = setup(world, "echo no such compiler; exit 3")
    with pytest.raises(SetupFailed, match=r"exit code 3:\nno such compiler"):
        world.prepare(setup=failing)
    error = run_job(world.path / "job", as_job(world, setup=failing))["error"]
    assert (error["kind"], error["code"]) == ("setup", "setup_failed")


def test_a_setup_that_hangs_is_ended(world: World) -> None:
    """Its time limit holds, and is named."""
    with pytest.raises(SetupFailed, match=r"did not end within 0\.2 s"):
        world.prepare(setup=setup(world, "sleep 600", timeout_s=0.2))


def test_what_setup_makes_is_not_the_agents_work(world: World) -> None:
    """G3-24, G3-32: the state at the start is the baseline; only what differs from it counts."""
    prepared = world.prepare(
        setup=setup(world, "echo lock >> src/b.py; rm README.md; mkdir gen; echo x > gen/made")
    )
    assert set(prepared.changed_by_setup) == {"src/b.py", "README.md"}
    assert world.harvest().is_empty
    write(world.workspace, {"gen/mine": "y\n", "src/b.py": "mine\n"})
    changed = {change.path for change in world.harvest().changes}
    assert changed == {"gen/mine", "src/b.py"}


def test_environment_files_are_copied_and_never_harvested(world: World) -> None:
    """An env file is there for the agent, with its mode, and in no commit of ours."""
    write(world.root, {".env": "SECRET=1\n", "conf/local.ini": "x\n"})
    (world.root / ".env").chmod(0o640)
    files = tuple(Copy(str(world.root / name), name) for name in (".env", "conf/local.ini"))
    world.prepare(env_files=files)
    assert (world.workspace / ".env").read_text() == "SECRET=1\n"
    assert (world.workspace / ".env").stat().st_mode & 0o777 == 0o640
    git(world.workspace, "add", "-A")
    write(world.workspace, {".env": "SECRET=2\n", ".gitignore": "!.env\n!conf/\n"})
    changed = {change.path for change in world.harvest().changes}
    assert changed == {".gitignore"}


def test_an_environment_file_does_not_leave_through_a_link(world: World, tmp_path: Path) -> None:
    """A committed link in the way of a destination is not followed."""
    write(world.root, {"secret": "x"})
    (world.root / "conf").symlink_to(tmp_path)
    base = commit(world.root, {})
    hub.fetch_base(world.hub, world.repository, base)
    with pytest.raises(SetupFailed, match="cannot be copied"):
        world.prepare(commit=base, env_files=(Copy(str(world.root / "secret"), "conf/secret"),))
    assert not (tmp_path / "secret").exists()


@pytest.mark.parametrize("to", ["../out", "/abs", "a/../../out"])
def test_a_destination_stays_in_the_workspace(world: World, to: str) -> None:
    """A destination that leads out is the set-up's error."""
    with pytest.raises(SetupFailed, match="leads out"):
        world.prepare(env_files=(Copy(str(world.root / "README.md"), to),))


def test_caches_are_copies_that_cannot_be_written(world: World, tmp_path: Path) -> None:
    """G3-11: emptying a cache in a workspace leaves the original alone, and it is no change."""
    write(tmp_path, {"cache/keep1": "1\n", "cache/deep/keep2": "2\n"})
    (tmp_path / "cache/link").symlink_to("keep1")
    world.prepare(caches=(Copy(str(tmp_path / "cache"), "node_modules"),))
    copied = world.workspace / "node_modules"
    assert (copied / "deep/keep2").stat().st_mode & 0o222 == 0
    assert (copied / "deep").stat().st_mode & 0o222 == 0
    assert (copied / "link").readlink() == Path("keep1")
    assert (copied / "keep1").stat().st_ino != (tmp_path / "cache/keep1").stat().st_ino
    assert world.harvest().is_empty
    assert workspace.remove(world.hub, str(world.workspace), str(world.path / "w/t")).failures == ()
    assert sorted(path.name for path in (tmp_path / "cache").rglob("keep*")) == ["keep1", "keep2"]


def test_the_environment_digest_follows_its_parts(world: World, tmp_path: Path) -> None:
    """Another command, file content or cache is another environment; the same is the same."""
    write(tmp_path, {"cache/a": "1", "env": "1"})
    parts = {
        "env_files": (Copy(str(tmp_path / "env"), "env"),),
        "caches": (Copy(str(tmp_path / "cache"), "c"),),
        "setup": setup(world, "true"),
    }
    digests = [world.prepare("a", **parts).environment_digest]
    digests.append(world.prepare("b", **parts).environment_digest)
    write(tmp_path, {"env": "2"})
    digests.append(world.prepare("c", **parts).environment_digest)
    write(tmp_path, {"cache/a": "2"})
    digests.append(world.prepare("d", **parts).environment_digest)
    digests.append(world.prepare("e", **(parts | {"setup": None})).environment_digest)
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


def test_removal_follows_no_link_out(world: World, tmp_path: Path) -> None:
    """G3-11: a linked folder outside keeps its files; the workspace and our notes are gone."""
    write(tmp_path, {"shared/keep": "1"})
    world.prepare()
    (world.workspace / "node_modules").symlink_to(tmp_path / "shared")
    job: dict[str, object] = {
        "job": "remove",
        "hub": world.hub.path,
        "workspace": str(world.workspace),
        "trash": str(world.path / "w" / "t"),
    }
    assert run_job(tmp_path / "job", job)["failures"] == []
    assert run_job(tmp_path / "job", job)["removed"] == 0
    assert (tmp_path / "shared/keep").exists()
    assert not world.workspace.exists()
    assert not Control.of(world.hub.path, str(world.workspace)).is_begun
    assert world.prepare().reused is False


def test_nobody_reads_in_anothers_checkout(world: World) -> None:
    """G6-10: a probe of one verifier, or an edit of the user's, is seen in no other checkout."""
    world.prepare("one", branch=None, target=None)
    world.prepare("two", branch=None, target=None)
    write(world.path / "w/one", {"src/b.py": "a probe\n"})
    write(world.root, {"src/b.py": "the user's\n"})
    assert (world.path / "w/two/src/b.py").read_text() == "b\n"
    assert git(world.path / "w/two", "status", "--porcelain") == ""
    assert world.harvest("two").is_empty
    changed = world.harvest("one")
    assert git(world.hub.path, "show", f"{changed.tip}:src/b.py") == "a probe"
    git(world.path / "w/one", "commit", "-q", "-a", "-m", "probe")
    assert git(world.path / "w/two", "rev-parse", "HEAD") == world.base
    assert (world.root / "src/b.py").read_text() == "the user's\n"


def test_one_that_was_evicted_is_made_again_at_its_place(world: World) -> None:
    """Prepared from the harvested tip, it has the same path, branch and files, all committed."""
    first = world.prepare(setup=setup(world, "echo made > made"))
    write(world.workspace, {"src/new.py": "new\n"})
    commit(world.workspace, {"src/b.py": "committed\n"})
    write(world.workspace, {"src/a.py": "not committed\n"})
    tip = world.harvest().tip or ""
    workspace.remove(world.hub, str(world.workspace), str(world.path / "w/t"))
    again = world.prepare(commit=tip, setup=setup(world, "echo made > made"))
    assert (again.path, again.reused) == (first.path, False)
    assert again.environment_digest == first.environment_digest
    assert git(world.workspace, "symbolic-ref", "HEAD") == "refs/heads/tidegate/one"
    assert git(world.workspace, "rev-parse", "HEAD") == tip
    assert (world.workspace / "src/a.py").read_text() == "not committed\n"
    assert (world.workspace / "src/new.py").read_text() == "new\n"
    assert git(world.workspace, "status", "--porcelain") == ""
    unchanged = world.harvest(turn=2)
    assert (unchanged.tip, unchanged.is_empty, unchanged.violations) == (tip, False, ())
    later = commit(world.workspace, {"src/b.py": "later\n"})
    assert world.harvest(turn=3).tip == later


def test_the_order_survives_json(world: World) -> None:
    """What a job file says is what is made."""
    result = run_job(world.path / "job", json.loads(json.dumps(as_job(world, cone=("src",)))))
    assert result["kind"] == "prepared"
    assert sorted(path.name for path in world.workspace.iterdir()) == [
        ".git",
        ".gitignore",
        "README.md",
        "src",
    ]
