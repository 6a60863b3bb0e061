"""Lay out a workspace's git folder: a clone of the hub that borrows its objects.

The files are written here and not by `git clone`: it is a fifth of the work, nothing is taken from
templates or from anybody's configuration, and the clone holds exactly the refs that the role may
see. `tests/git/test_clone.py` holds it against the real thing.
"""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tidegate.git.command import INDEX_LATER, LONG_S, SHA1_LENGTH, Git, Settings
from tidegate.git.hub import Hub
from tidegate.git.repository import WORKSPACE_KEY

CHECKOUT_WORKERS_MAX = 4
CHECKOUT_FILES_MIN = 1000
"""With fewer files the start of the workers costs what they save."""


class Layout(NamedTuple):
    """What a clone shall be. Branches are full ref names."""

    path: str
    commit: str
    branch: str | None
    """The branch to start, or None for a detached HEAD."""
    target: str | None
    """The hub's branch that the work is for: known as a remote branch, followed by `branch`."""
    isolated: bool
    """Hold the commit and what is before it, borrow nothing and know no remote: for a judge."""
    author: tuple[str, str]
    made_from: str
    settings: Settings
    cone: tuple[str, ...]
    excludes: bytes
    module: "Module | None" = None
    """What makes it a submodule of another workspace's."""

    @property
    def git_dir(self) -> str:
        """Its git folder."""
        return self.module.git_dir if self.module else os.path.join(self.path, ".git")


class Module(NamedTuple):
    """A submodule's git folder, which lies in that of its workspace, and its user's address."""

    git_dir: str
    url: str


def lay_out(layout: Layout, hub: Hub) -> Git:
    """Make the folder and its git folder, without any file checked out; return git for it."""
    git_dir = layout.git_dir
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"):
        os.makedirs(os.path.join(git_dir, folder))
    head = layout.commit if layout.branch is None else f"ref: {layout.branch}"
    files = {
        "HEAD": f"{head}\n".encode(),
        "config": _config(layout, hub).encode("utf-8", "surrogateescape"),
        "info/exclude": layout.excludes,
        "packed-refs": _packed_refs(layout, hub),
    }
    if layout.cone:
        files["info/sparse-checkout"] = _cone_patterns(layout.cone).encode()
    if shallow := _shallow(hub):
        files["shallow"] = shallow
    if not layout.isolated:
        hub.note_place()
        files["objects/info/alternates"] = os.fsencode(hub.objects) + b"\n"
    for name, content in files.items():
        with open(os.path.join(git_dir, name), "wb") as file:
            file.write(content)
    if layout.isolated:
        _copy_objects(layout, hub, git_dir)
    if layout.module:
        os.makedirs(layout.path, exist_ok=True)
        with open(os.path.join(layout.path, ".git"), "wb") as file:
            file.write(b"gitdir: " + os.fsencode(os.path.relpath(git_dir, layout.path)) + b"\n")
    return Git(trusts_user=False, git_dir=git_dir, work_tree=layout.path, timeout_s=LONG_S)


def _packed_refs(layout: Layout, hub: Hub) -> bytes:
    """List the branch, the remote's branch and the hub's tags, so that versions can be named."""
    rows = [f"{layout.commit} {layout.branch}"] if layout.branch else []
    if not layout.isolated:
        if layout.module is None:
            rows += _tags(hub)
        if layout.target:
            rows.append(f"{layout.commit} {_remote_name(layout.target)}")
    return "".join(f"{row}\n" for row in rows).encode("utf-8", "surrogateescape")


def check_out(git: Git, commit: str, settings: Settings) -> None:
    """Write the files of a clone that was laid out, with several workers where there are many."""
    workers = min(os.cpu_count() or 1, CHECKOUT_WORKERS_MAX)
    several = (
        ("checkout.workers", str(workers)),
        ("checkout.thresholdForParallelism", str(CHECKOUT_FILES_MIN)),
    )
    quick = git._replace(settings=(*settings, *several, INDEX_LATER))
    quick.run("read-tree", "-m", "-u", commit)


def _tags(hub: Hub) -> list[str]:
    listed = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags/")
    return hub.git.run(*listed).text.splitlines()


def _remote_name(target: str) -> str:
    return "refs/remotes/origin/" + target.removeprefix("refs/heads/")


def _shallow(hub: Hub) -> bytes | None:
    try:
        with open(os.path.join(hub.path, "shallow"), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _copy_objects(layout: Layout, hub: Hub, git_dir: str) -> None:
    pack = os.path.join(git_dir, "objects", "closure.pack")
    hub.git.within(LONG_S).run(
        "pack-objects",
        "--revs",
        "--stdout",
        "-q",
        stdin=f"{layout.commit}\n".encode(),
        stdout_path=pack,
    )
    Git(trusts_user=False, git_dir=git_dir, timeout_s=LONG_S).run(
        "index-pack", "--stdin", stdin_path=pack
    )
    os.unlink(pack)


def _config(layout: Layout, hub: Hub) -> str:
    name, email = layout.author
    is_sha1 = len(layout.commit) == SHA1_LENGTH
    settings = [
        ("core.repositoryFormatVersion", "0" if is_sha1 else "1"),
        ("core.bare", "false"),
        ("core.fileMode", "true"),
        ("core.logAllRefUpdates", "true"),
        ("core.fsmonitor", "false"),
        ("user.name", name),
        ("user.email", email),
        # What agents commit must not wait for a passphrase, and their git must not tidy up while
        # we read it.
        ("commit.gpgSign", "false"),
        ("tag.gpgSign", "false"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        (WORKSPACE_KEY, layout.made_from),
        *layout.settings,
    ]
    if not is_sha1:
        settings.append(("extensions.objectFormat", "sha256"))
    if layout.cone:
        settings += [("core.sparseCheckout", "true"), ("core.sparseCheckoutCone", "true")]
    if not layout.isolated:
        settings += _remote(layout, hub)
    if layout.module:
        settings.append(("core.worktree", os.path.relpath(layout.path, layout.module.git_dir)))
    return rendered(settings)


def _remote(layout: Layout, hub: Hub) -> list[tuple[str, str]]:
    """Name the hub as origin. A submodule may be fetched from where it is; pushes go nowhere."""
    fetched = "+refs/heads/*:refs/remotes/origin/*"
    settings = [("remote.origin.url", hub.path), ("remote.origin.fetch", fetched)]
    if layout.module and layout.module.url:
        settings[0] = ("remote.origin.url", layout.module.url)
        settings.append(("remote.origin.pushurl", hub.path))
    if layout.branch and layout.target:
        short = layout.branch.removeprefix("refs/heads/")
        settings += [
            (f"branch.{short}.remote", "origin"),
            (f"branch.{short}.merge", layout.target),
        ]
    return settings


def rendered(settings: Iterable[tuple[str, str]]) -> str:
    """Write settings as git's configuration has them."""
    return "".join(map(_rendered, settings))


def _rendered(setting: tuple[str, str]) -> str:
    """Write one setting as a section of its own; git merges them when it reads them."""
    key, value = setting
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    header = f'[{section} "{_escaped(subsection)}"]' if subsection else f"[{section}]"
    return f'{header}\n\t{name} = "{_escaped(value)}"\n'


def _escaped(value: str) -> str:
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        value = value.replace(character, escape)
    return value


def _cone_patterns(cone: Sequence[str]) -> str:
    """Write a sparse checkout's folders as git's cone mode does: parents first."""
    parents: set[str] = set()
    wanted = {folder.strip("/") for folder in cone}
    within = {folder for folder in wanted if any(folder.startswith(f"{one}/") for one in wanted)}
    for folder in wanted - within:
        parts = folder.split("/")
        parents |= {"/".join(parts[:depth]) for depth in range(1, len(parts))}
    lines = ["/*", "!/*/"]
    for parent in sorted(parents):
        lines += [f"/{parent}/", f"!/{parent}/*/"]
    lines += [f"/{folder}/" for folder in sorted(wanted - within)]
    return "".join(f"{line}\n" for line in lines)
