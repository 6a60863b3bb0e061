"""Kinds of repositories: from a workspace to a delivered change, each as its user has set it up.

Every kind goes the whole way with real git: prepare, an agent's edits, harvest, merge, delivery.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git.world import STAMP, World, commit, git, write
from tidegate.git import candidate, carried, delivery, harvest, hub, repository, workspace
from tidegate.git.candidate import Candidate, Part, Style
from tidegate.git.delivery import Delivered
from tidegate.git.hub import Hub

Make = Callable[[World], Path]
"""Makes a repository of a kind from an ordinary one, and returns its checkout."""


def configured(*settings: tuple[str, str]) -> Make:
    """Return what sets the user's configuration."""

    def make(world: World) -> Path:
        for key, value in settings:
            git(world.root, "config", key, value)
        return world.root

    return make


def cloned(*options: str) -> Make:
    """Return what clones the ordinary repository."""

    def make(world: World) -> Path:
        commit(world.root, {"more": "1\n"})
        git(world.root, "config", "uploadpack.allowFilter", "true")
        git(world.path, "clone", "-q", *options, f"file://{world.root}", "clone")
        return world.path / "clone"

    return make


def failing_hooks(folder: str) -> Make:
    """Return what gives the user hooks that let nothing pass."""

    def make(world: World) -> Path:
        names = ("pre-commit", "commit-msg", "post-checkout", "reference-transaction", "post-merge")
        write(world.root, {f"{folder}/{name}": "#!/bin/sh\nexit 1\n" for name in names})
        for name in names:
            (world.root / folder / name).chmod(0o755)
        if not folder.startswith(".git/"):
            git(world.root, "config", "core.hooksPath", folder)
            git(world.root, "-c", "core.hooksPath=/dev/null", "add", "-A")
            git(world.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "hooks")
        return world.root

    return make


def linked(world: World) -> Path:
    """A linked worktree as the checkout; another branch is in the main one."""
    git(world.root, "config", "extensions.worktreeConfig", "true")
    git(world.root, "worktree", "add", "-q", "-b", "side", str(world.path / "linked"))
    return world.path / "linked"


def sparse(world: World) -> Path:
    """A sparse checkout with a sparse index."""
    git(world.root, "sparse-checkout", "set", "--cone", "--sparse-index", "src")
    return world.root


def alike(world: World) -> Path:
    """Names that differ only in case, and only in Unicode form."""
    commit(world.root, {"Docs/x": "1\n", "docs/x": "2\n", "caf\u00e9": "3\n", "cafe\u0301": "4\n"})
    return world.root


def crlf(world: World) -> Path:
    """Line endings that the user's git changes, beside a file that was stored with CRLF."""
    (world.root / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    commit(world.root, {})
    git(world.root, "config", "core.autocrlf", "true")
    git(world.root, "config", "core.safecrlf", "true")
    for name in ("src/a.py", "src/b.py", "README.md"):
        (world.root / name).unlink()
    git(world.root, "checkout", "-q", "--", ".")
    assert (world.root / "src/b.py").read_bytes() == b"b\r\n"
    return world.root


def upper_filter(world: World) -> Path:
    """A filter as git-lfs is one: what is stored is not what lies in the files."""
    git(world.root, "config", "filter.lfs.smudge", "tr a-z A-Z")
    git(world.root, "config", "filter.lfs.clean", "tr A-Z a-z")
    git(world.root, "config", "filter.lfs.required", "true")
    commit(world.root, {".gitattributes": "*.big filter=lfs\n", "x.big": "CONTENT\n"})
    assert git(world.root, "show", "HEAD:x.big") == "content"
    return world.root


def sha256(world: World) -> Path:
    """Objects of the newer format."""
    root = world.path / "sha256"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--object-format=sha256")
    commit(root, {"src/a.py": "a\n", "src/b.py": "b\n", "README.md": "read me\n"})
    return root


KINDS: dict[str, Make] = {
    "ordinary": configured(),
    "filter": upper_filter,
    "partial": cloned("--filter=blob:none"),
    "shallow": cloned("--depth", "1"),
    "shallow-refused": lambda world: rejecting(cloned("--depth", "1")(world)),
    "sparse": sparse,
    "hooks": failing_hooks(".git/hooks"),
    "husky": failing_hooks(".husky/_"),
    "signing": configured(
        ("commit.gpgSign", "true"), ("tag.gpgSign", "true"), ("gpg.program", "false")
    ),
    "alike": alike,
    "crlf": crlf,
    "line-feeds": configured(("core.autocrlf", "input"), ("core.eol", "crlf")),
    "linked": linked,
    "sha256": sha256,
    "file-protocol": configured(("protocol.file.allow", "never"), ("protocol.allow", "never")),
    "many-files": configured(("feature.manyFiles", "true"), ("core.splitIndex", "true")),
    "modes": configured(("core.fileMode", "false"), ("core.ignoreCase", "true")),
    "own-tools": configured(
        ("core.fsmonitor", "false"),
        ("diff.external", "false"),
        ("core.editor", "false"),
        ("core.pager", "false"),
        ("merge.ff", "only"),
        ("fetch.fsckObjects", "true"),
        ("transfer.hideRefs", "refs/heads"),
    ),
}


def rejecting(root: Path) -> Path:
    """Forbid shallow clones to the user's git."""
    git(root, "config", "clone.rejectShallow", "true")
    git(root, "config", "--global", "clone.rejectShallow", "true")
    return root


@pytest.fixture(autouse=True)
def _home_is_put_back() -> object:
    config = Path(os.environ["HOME"], ".gitconfig")
    before = config.read_bytes()
    yield
    config.write_bytes(before)


def prepared(world: World, root: Path, name: str = "one") -> tuple[Hub, workspace.Order]:
    """Make a workspace of a checkout's commit, in a hub that is new."""
    found = repository.find(str(root))
    shutil.rmtree(world.hub.path)
    made = hub.make(world.hub.path, found)
    hub.fetch_base(made, found, found.head or "")
    order = world.order(
        name,
        commit=found.head,
        made_from=str(root),
        target=found.branch,
        settings=carried.filters(found),
    )
    workspace.prepare(made, order)
    return made, order


def harvested(world: World, order: workspace.Order) -> harvest.Harvest:
    """Harvest the workspace of an order."""
    return world.harvest(base=order.commit, settings=order.settings, namespace="refs/tidegate/r/1")


def landed(made: Hub, order: workspace.Order, tip: str, root: Path) -> object:
    """Merge a tip onto its base, and deliver it to the branch that is checked out."""
    built = candidate.build(
        made,
        candidate.Order(
            target=order.commit,
            parts=(Part(tip=tip, message="Land\n"),),
            style=Style.MERGE,
            author=STAMP,
            committer=STAMP,
            pin="refs/tidegate/r/candidate",
        ),
    )
    assert isinstance(built, Candidate)
    assert built.steps[0].findings == ()
    found = repository.find(str(root))
    done = delivery.deliver(made, found, found.branch or "", new=built.commit, old=order.commit)
    assert done == Delivered(built.commit)
    return built


@pytest.mark.parametrize("kind", KINDS)
def test_work_goes_all_the_way(world: World, kind: str) -> None:
    """G3-18, G3-22 to G3-24: an edit, a new file, a removal arrive, and nothing else changes."""
    root = KINDS[kind](world)
    world = World(world.path)
    status = git(root, "status", "--porcelain")
    made, order = prepared(world, root)
    assert harvested(world, order).is_empty
    place = Path(order.path)
    assert git(place, "status", "--porcelain") == ""
    commit(place, {"src/b.py": "edited\n"})
    write(place, {"src/new.py": "new\n", "y.big": "MORE\n"})
    (place / "README.md").unlink()
    tip = harvested(world, order).tip
    landed(made, order, tip or "", root)
    assert (root / "src/b.py").read_text() == "edited\n"
    assert (root / "src/new.py").read_text() == "new\n"
    assert not (root / "README.md").exists()
    if kind == "filter":
        assert git(root, "show", "HEAD:y.big") == "more"
        assert (root / "y.big").read_text() == "MORE\n"
    assert git(root, "status", "--porcelain") == status


def has_large_files() -> bool:
    """Tell whether git-lfs is here, installing it where that is in our power and costs no wait."""
    if shutil.which("git-lfs") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install = ("apt-get", "-qq", "-o", "Acquire::http::Timeout=5", "install", "-y", "git-lfs")
        # The package turns it on for everybody, which no test should.
        for command in (install, ("git", "lfs", "uninstall", "--system", "--skip-repo")):
            subprocess.run(command, check=False, timeout=120, capture_output=True)
    return shutil.which("git-lfs") is not None


def test_large_files_go_all_the_way(world: World) -> None:
    """G3-24: with git-lfs itself, content is in the workspace, and in the user's checkout."""
    if not has_large_files():
        pytest.skip("git-lfs is not here, and could not be installed")
    git(world.root, "lfs", "install", "--local", "--skip-smudge")
    git(world.root, "lfs", "install", "--local", "--force")
    commit(world.root, {".gitattributes": "*.bin filter=lfs -text\n", "x.bin": "content\n"})
    made, order = prepared(world, world.root)
    place = Path(order.path)
    assert (place / "x.bin").read_text() == "content\n"
    assert git(place, "status", "--porcelain") == ""
    commit(place, {"y.bin": "by the agent\n"})
    write(place, {"x.bin": "changed\n"})
    tip = harvested(world, order).tip or ""
    assert git(made.path, "show", f"{tip}:x.bin").startswith("version https://git-lfs")
    landed(made, order, tip, world.root)
    assert (world.root / "x.bin").read_text() == "changed\n"
    assert (world.root / "y.bin").read_text() == "by the agent\n"
    assert git(world.root, "status", "--porcelain") == ""


def test_a_large_file_that_is_not_here_stays_a_pointer(world: World) -> None:
    """G3-24: a workspace is made all the same, and its pointer is no change of the agent's."""
    if not has_large_files():
        pytest.skip("git-lfs is not here, and could not be installed")
    git(world.root, "lfs", "install", "--local")
    commit(world.root, {".gitattributes": "*.bin filter=lfs -text\n", "x.bin": "content\n"})
    shutil.rmtree(world.root / ".git/lfs/objects")
    _, order = prepared(world, world.root)
    assert (Path(order.path) / "x.bin").read_text().startswith("version https://git-lfs")
    assert harvested(world, order).is_empty


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_owner_that_the_user_trusts_is_no_obstacle(world: World) -> None:
    """G3-15: with the setting that the error names, the whole way can be gone."""
    os.chown(world.root, 12345, 12345)
    os.chown(world.root / ".git", 12345, 12345)
    git(Path("/"), "config", "--global", "--add", "safe.directory", str(world.root))
    git(Path("/"), "config", "--global", "--add", "safe.directory", str(world.root / ".git"))
    made, order = prepared(world, world.root)
    commit(Path(order.path), {"src/b.py": "edited\n"})
    landed(made, order, harvested(world, order).tip or "", world.root)
    assert (world.root / "src/b.py").read_text() == "edited\n"


def test_an_identity_that_git_would_make_up_is_never_used(world: World) -> None:
    """G8-06: without any, commits of the run and of the agent have the stated author."""
    git(world.root, "config", "--unset", "user.name")
    git(world.root, "config", "--unset", "user.email")
    git(world.root, "config", "--global", "--unset", "user.name")
    git(world.root, "config", "--global", "--unset", "user.email")
    git(world.root, "config", "--global", "user.useConfigOnly", "true")
    made, order = prepared(world, world.root)
    commit(Path(order.path), {"src/b.py": "edited\n"})
    write(Path(order.path), {"src/new.py": "new\n"})
    tip = harvested(world, order).tip or ""
    assert git(made.path, "log", "-2", "--format=%an", tip).split("\n") == ["Tidegate", "Agent"]
    landed(made, order, tip, world.root)
    assert (world.root / "src/new.py").exists()
