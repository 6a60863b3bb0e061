"""Submodules: filled without a network, harvested whole, judged, and given to the user."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.git.world import World, codes, commit, git, write
from tidegate.git import delivery, hub, submodules
from tidegate.git.candidate import Candidate, Part, Unmergeable
from tidegate.git.delivery import Delivered
from tidegate.git.environment import Setup
from tidegate.git.hub import Hub

ALLOW = ("-c", "protocol.file.allow=always")
BUILT = "vendor/sub"
DEEP = "vendor/sub/deep/er"


@dataclass(frozen=True)
class Nest:
    """A user's repository with a submodule in which there is another; all upstreams are gone."""

    world: World
    base: str
    sub: str
    deep: str

    @property
    def inside(self) -> Path:
        """The submodule in the first workspace."""
        return self.world.workspace / BUILT

    def build(self, tip: str | None) -> Candidate | Unmergeable:
        """Build a candidate of a tip, as the engine does."""
        root = self.world.root
        return self.world.build(
            Part(tip=tip or "", message="m"),
            target=self.base,
            common_dir=str(root / ".git"),
            checkout=str(root),
        )


def new_repository(folder: Path, files: dict[str, str]) -> str:
    """Make a repository with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    return commit(folder, files)


def add(root: Path, source: Path, path: str) -> None:
    """Add a submodule, and those in it."""
    git(root, *ALLOW, "submodule", "--quiet", "add", "--name", f"n/{path}", str(source), path)
    git(root, *ALLOW, "submodule", "--quiet", "update", "--init", "--recursive")


@pytest.fixture
def nest(world: World, tmp_path: Path) -> Nest:
    """The user's repository with submodules, its hub at that commit, and no upstream any more."""
    up = tmp_path / "up"
    deep = new_repository(up / "deep", {"d": "deep\n"})
    new_repository(up / "sub", {"x": "sub\n", ".gitignore": "*.o\n"})
    add(up / "sub", up / "deep", "deep/er")
    sub = commit(up / "sub", {})
    add(world.root, up / "sub", BUILT)
    base = commit(world.root, {})
    hub.fetch_base(world.hub, world.repository, base)
    shutil.rmtree(up)
    return Nest(world, base, sub, deep)


def ours(nest: Nest, module: str = f"modules/n/{BUILT}") -> Hub:
    """Return the hub of a submodule."""
    return submodules.hub_of(nest.world.hub, module)


def test_they_are_filled_without_a_network(nest: Nest) -> None:
    """Also one in another: the files are there, and git finds nothing to do or to say."""
    prepared = nest.world.prepare(commit=nest.base)
    assert prepared.submodules == ()
    assert (nest.inside / "x").read_text() == "sub\n"
    assert (nest.world.workspace / DEEP / "d").read_text() == "deep\n"
    told = git(nest.world.workspace, "submodule", "status", "--recursive").split("\n")
    assert [line.split()[:2] for line in told] == [[nest.sub, BUILT], [nest.deep, DEEP]]
    git(nest.world.workspace, "submodule", "update", "--init", "--recursive")
    assert git(nest.world.workspace, "status", "--porcelain") == ""
    git(nest.inside, "fsck", "--full")


def test_git_in_one_answers_for_itself(nest: Nest) -> None:
    """G3-10: no folder of a submodule stands for its parent."""
    nest.world.prepare(commit=nest.base)
    assert git(nest.inside, "rev-parse", "--show-toplevel") == str(nest.inside)
    assert git(nest.inside, "rev-parse", "HEAD") == nest.sub


def test_one_that_the_user_does_not_have_is_named(nest: Nest) -> None:
    """G3-10: it stays the empty folder that git leaves, and the preparation tells."""
    shutil.rmtree(nest.world.root / f".git/modules/n/{BUILT}/modules/n/deep")
    assert nest.world.prepare(commit=nest.base).submodules == (DEEP,)
    assert list((nest.world.workspace / DEEP).iterdir()) == []
    with_less = nest.world.prepare("two", commit=nest.base).environment_digest
    assert with_less == nest.world.prepare(commit=nest.base).environment_digest
    shutil.rmtree(nest.world.root / ".git/modules")
    shutil.rmtree(ours(nest).path)
    assert nest.world.prepare("three", commit=nest.base).submodules == (BUILT,)
    assert nest.world.prepare("three", commit=nest.base).environment_digest != with_less


def test_they_can_be_left_empty(nest: Nest) -> None:
    """What is not wanted is not filled, and is named."""
    assert nest.world.prepare(commit=nest.base, submodules=False).submodules == (BUILT,)
    assert list(nest.inside.iterdir()) == []


def test_a_cone_leaves_out_what_lies_outside(nest: Nest) -> None:
    """A submodule outside of a sparse workspace is neither filled nor missed."""
    assert nest.world.prepare(commit=nest.base, cone=("src",)).submodules == ()
    assert not nest.inside.exists()
    assert nest.world.harvest(base=nest.base).is_empty


@pytest.mark.parametrize("isolated", [False, True])
def test_what_is_committed_inside_comes_into_a_hub(nest: Nest, *, isolated: bool) -> None:
    """G3-09: the commit is kept with all before it, after the workspace is gone."""
    nest.world.prepare(commit=nest.base, isolated=isolated)
    made = commit(nest.inside, {"inner": "work\n"})
    harvest = nest.world.harvest(base=nest.base)
    shutil.rmtree(nest.world.workspace)
    assert [(change.path, change.new_oid) for change in harvest.changes] == [(BUILT, made)]
    assert harvest.violations == ()
    git(ours(nest).path, "fsck", "--full")
    assert git(ours(nest).path, "for-each-ref", "--contains", made)


def test_what_is_not_committed_inside_is_committed(nest: Nest) -> None:
    """Edits in a submodule, and in one within, become commits that the outer ones name."""
    nest.world.prepare(commit=nest.base)
    write(nest.world.workspace, {f"{BUILT}/x": "edited\n", f"{DEEP}/new": "n\n", "out.o": ""})
    write(nest.world.workspace, {f"{BUILT}/ignored.o": ""})
    harvest = nest.world.harvest(base=nest.base)
    sub = {change.path: change.new_oid for change in harvest.changes}[BUILT]
    assert git(ours(nest).path, "show", f"{sub}:x") == "edited"
    assert git(ours(nest).path, "log", "-1", "--format=%P", sub) == nest.sub
    assert "ignored.o" not in git(ours(nest).path, "ls-tree", "-r", "--name-only", sub)
    deep = git(ours(nest).path, "rev-parse", f"{sub}:deep/er")
    inner = ours(nest, f"modules/n/{BUILT}/modules/n/deep/er")
    assert git(inner.path, "show", f"{deep}:new") == "n"
    again = nest.world.harvest(base=nest.base)
    assert again.tip == harvest.tip


def test_one_that_nobody_touched_is_no_change(nest: Nest) -> None:
    """What set-up builds in a submodule is not the agent's work, and `git add` there skips it."""
    write(nest.world.root, {".env": "x\n"})
    command = f"echo made > {BUILT}/made; echo more >> {BUILT}/x; echo y > {DEEP}/made"
    log = str(nest.world.path / "log")
    setup = Setup(command=command, timeout_s=30.0, variables={}, log=log)
    prepared = nest.world.prepare(commit=nest.base, setup=setup)
    assert prepared.changed_by_setup == (f"{BUILT}/x",)
    assert nest.world.harvest(base=nest.base).is_empty
    assert git(nest.inside, "status", "--porcelain").split() == ["M", "x"]
    write(nest.inside, {"mine": "1\n"})
    harvest = nest.world.harvest(base=nest.base)
    listed = git(
        ours(nest).path, "diff", "--name-only", nest.sub, f"{harvest.tip}^{{}}", check=False
    )
    sub = harvest.changes[0].new_oid
    assert listed == ""
    assert git(ours(nest).path, "diff", "--name-only", nest.sub, sub) == "mine"


def test_set_up_cannot_make_us_run_its_git(nest: Nest) -> None:
    """G3-29: a monitor that set-up or an agent configures in a submodule is never started."""
    marker = nest.world.path / "marker"
    write(nest.world.path, {"m.sh": f"#!/bin/sh\necho ran >> {marker}\n"})
    (nest.world.path / "m.sh").chmod(0o755)
    monitor = f"git -C {BUILT} config core.fsmonitor {nest.world.path}/m.sh"
    setup = Setup(command=monitor, timeout_s=30.0, variables={}, log=str(nest.world.path / "log"))
    nest.world.prepare(commit=nest.base, setup=setup)
    git(nest.inside, "config", "filter.z.clean", f"{nest.world.path}/m.sh; cat")
    write(nest.inside, {".gitattributes": "* filter=z\n", "x": "edited\n"})
    assert not nest.world.harvest(base=nest.base).is_empty
    assert not marker.exists()


def test_a_harvested_commit_may_land_and_is_given_to_the_user(nest: Nest) -> None:
    """G3-09: it is in the user's store before the branch names it, and no network is asked."""
    nest.world.prepare(commit=nest.base)
    write(nest.world.workspace, {f"{DEEP}/new": "n\n"})
    harvest = nest.world.harvest(base=nest.base)
    built = nest.build(harvest.tip)
    assert isinstance(built, Candidate)
    assert built.steps[0].findings == ()
    checked = nest.world.prepare("check", commit=built.commit, branch=None, target=None)
    assert checked.submodules == ()
    assert (nest.world.path / "w/check" / DEEP / "new").read_text() == "n\n"
    landed = delivery.deliver(
        nest.world.hub, nest.world.repository, "refs/heads/main", new=built.commit, old=nest.base
    )
    assert landed == Delivered(built.commit)
    git(nest.world.root, "submodule", "update", "--recursive")
    assert (nest.world.root / DEEP / "new").read_text() == "n\n"
    assert git(nest.world.root, "status", "--porcelain") == ""


def test_a_commit_that_exists_nowhere_is_refused(nest: Nest) -> None:
    """G3-09: a gitlink to what neither the user nor we have does not land."""
    nest.world.prepare(commit=nest.base)
    made = commit(nest.inside, {"inner": "work\n"})
    git(nest.world.workspace, "add", BUILT)
    git(nest.world.workspace, "commit", "-q", "-m", "outer")
    shutil.rmtree(nest.world.workspace / ".git/modules")
    shutil.rmtree(nest.inside)
    nest.inside.mkdir()
    built = nest.build(nest.world.harvest(base=nest.base).tip)
    assert isinstance(built, Candidate)
    assert codes(built.steps[0].findings) == {"submodule_commit_missing"}
    assert made in built.steps[0].findings[0].detail


def test_a_nested_commit_that_exists_nowhere_is_refused(nest: Nest) -> None:
    """G3-09: the submodule's new commit is there, and the one that it names is not."""
    nest.world.prepare(commit=nest.base)
    lost = "1" * 40
    git(nest.inside, "update-index", "--cacheinfo", f"160000,{lost},deep/er")
    git(nest.inside, "commit", "-q", "-m", "names nothing")
    shutil.rmtree(nest.world.workspace / DEEP)
    (nest.world.workspace / DEEP).mkdir()
    built = nest.build(nest.world.harvest(base=nest.base).tip)
    assert isinstance(built, Candidate)
    (finding,) = built.steps[0].findings
    assert (finding.code, finding.path) == ("submodule_commit_missing", DEEP)


def test_a_submodule_that_the_user_does_not_have_is_refused(nest: Nest, tmp_path: Path) -> None:
    """G3-09: what an agent adds by itself is kept, and nobody could fetch it."""
    new_repository(tmp_path / "other", {"y": "1\n"})
    nest.world.prepare(commit=nest.base)
    add(nest.world.workspace, tmp_path / "other", "vendor/new")
    made = commit(nest.world.workspace / "vendor/new", {"z": "1\n"})
    commit(nest.world.workspace, {})
    harvest = nest.world.harvest(base=nest.base)
    assert {change.path for change in harvest.changes} == {".gitmodules", "vendor/new"}
    kept = ours(nest, "modules/n/vendor/new")
    assert git(kept.path, "for-each-ref", "--contains", made)
    built = nest.build(harvest.tip)
    assert isinstance(built, Candidate)
    # .gitmodules is protected, too: a new submodule needs the leave of its footprint.
    assert codes(built.steps[0].findings) == {"submodule_commit_missing", "out_of_scope"}


def test_without_the_users_stores_every_new_submodule_commit_is_a_finding(nest: Nest) -> None:
    """What cannot be looked up is not taken for granted."""
    built = nest.world.build(Part(tip=nest.base, message="m"))
    assert isinstance(built, Candidate)
    assert "submodule_commit_missing" in codes(built.steps[0].findings)


@pytest.mark.parametrize("name", ["../../../out", "/etc", "a//b", "."])
def test_a_name_does_not_lead_out_of_the_stores(world: World, name: str) -> None:
    """A name is an agent's to choose, and is the path of a store only where git would take it."""
    text = f'[submodule "{name}"]\n\tpath = sub\n\turl = x\n'
    write(world.root, {".gitmodules": text})
    git(world.root, "update-index", "--add", "--cacheinfo", f"160000,{world.base},sub")
    made = commit(world.root, {})
    hub.fetch_base(world.hub, world.repository, made)
    assert submodules.links(world.hub.git, made) == ()


def test_a_path_through_a_link_is_not_the_users_submodule(nest: Nest, tmp_path: Path) -> None:
    """A repository elsewhere, which a link of the user's leads to, is never written to."""
    other = tmp_path / "other"
    new_repository(other / "sub", {"y": "1\n"})
    (nest.world.root / "linked").symlink_to(other)
    place = submodules.Place.of(str(nest.world.root), str(nest.world.root / ".git"))
    link = submodules.Link("linked/sub", "nothing", nest.base, "")
    assert place.store(link) is None
    assert place.store(link._replace(path=BUILT, name=f"n/{BUILT}")) is not None


def test_old_style_and_linked_worktrees_have_stores(nest: Nest, tmp_path: Path) -> None:
    """A store may be in the submodule itself, or belong to one linked worktree."""
    root = nest.world.root
    new_repository(root / "old", {"y": "1\n"})
    place = submodules.Place.of(str(root), str(root / ".git"))
    assert place.store(submodules.Link("old", "old", "", "")) == str(root / "old/.git")
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "-q", "-b", "side", str(linked))
    place = submodules.Place.of(str(linked), str(root / ".git"))
    link = submodules.Link(BUILT, f"n/{BUILT}", nest.sub, "")
    assert place.store(link) == str(root / f".git/modules/n/{BUILT}")
    git(
        linked,
        *ALLOW,
        "-c",
        f"submodule.n/{BUILT}.url={root / BUILT}",
        "submodule",
        "update",
        "--init",
        "-q",
        BUILT,
    )
    assert place.store(link) == str(root / f".git/worktrees/linked/modules/n/{BUILT}")


def test_a_shallow_store_is_enough(nest: Nest, tmp_path: Path) -> None:
    """A submodule that was cloned with --depth 1 is filled, worked on and delivered."""
    root, upstream = nest.world.root, tmp_path / "again"
    git(root / BUILT, "checkout", "-q", "-B", "main")
    more = commit(root / BUILT, {"x": "more\n"})
    base = commit(root, {})
    git(tmp_path, "clone", "-q", "--bare", str(root / f".git/modules/n/{BUILT}"), str(upstream))
    shutil.rmtree(root / f".git/modules/n/{BUILT}")
    shutil.rmtree(root / BUILT)
    git(root, "config", f"submodule.n/{BUILT}.url", f"file://{upstream}")
    git(root, *ALLOW, "submodule", "--quiet", "update", "--init", "--depth", "1")
    assert git(root / BUILT, "rev-list", more) == more
    hub.fetch_base(nest.world.hub, nest.world.repository, base)
    assert nest.world.prepare(commit=base).submodules == (DEEP,)
    write(nest.inside, {"x": "mine\n"})
    harvest = nest.world.harvest(base=base)
    assert harvest.violations == ()
    built = nest.world.build(
        Part(tip=harvest.tip or "", message="m"),
        target=base,
        common_dir=str(nest.world.root / ".git"),
    )
    assert isinstance(built, Candidate)
    assert built.steps[0].findings == ()
    delivery.deliver(
        nest.world.hub, nest.world.repository, "refs/heads/main", new=built.commit, old=base
    )
    git(nest.world.root, "submodule", "update")
    assert (nest.world.root / BUILT / "x").read_text() == "mine\n"
    assert not nest.world.repository.is_shallow


def test_a_trap_in_one_is_a_violation_and_no_wait(nest: Nest) -> None:
    """G3-29: a pipe among the objects, or a store to borrow from, is told and not followed."""
    nest.world.prepare(commit=nest.base)
    commit(nest.inside, {"inner": "work\n"})
    alternates = nest.world.workspace / f".git/modules/n/{BUILT}/objects/info/alternates"
    alternates.write_text("/nowhere\n")
    assert codes(nest.world.harvest(base=nest.base).violations) == {"alternates_changed"}


def test_a_push_inside_goes_nowhere(nest: Nest) -> None:
    """The address is the user's, to fetch from; what is pushed is refused with what to do."""
    nest.world.prepare(commit=nest.base)
    assert git(nest.inside, "remote", "get-url", "origin").endswith("up/sub")
    assert git(nest.inside, "remote", "get-url", "--push", "origin") == ours(nest).path
    commit(nest.inside, {"inner": "work\n"})
    git(nest.inside, "push", "-q", "origin", "HEAD:refs/heads/x", check=False)
    assert ours(nest).commit("refs/heads/x") is None


def test_locks_of_a_killed_git_inside_are_cleared(nest: Nest) -> None:
    """G3-02: one that is left in a submodule's git folder does not stop the next turn."""
    nest.world.prepare(commit=nest.base)
    lock = nest.world.workspace / f".git/modules/n/{BUILT}/index.lock"
    lock.touch()
    assert nest.world.harvest(base=nest.base).unlocked == (f"modules/n/{BUILT}/index.lock",)
    commit(nest.inside, {"inner": "work\n"})
