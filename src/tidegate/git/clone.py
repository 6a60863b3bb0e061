"""Lay out a workspace's git folder: a clone of the hub that borrows its objects.

The files are written here and not by `git clone`: it is a fifth of the work, nothing is taken from
templates or from anybody's configuration, and the clone holds exactly the refs that the role may
see. `tests/git/test_clone.py` holds it against the real thing.
"""

import os
from collections.abc import Sequence
from typing import NamedTuple

from tidegate.git.command import LONG_S, SHA1_LENGTH, Git, Settings
from tidegate.git.hub import Hub
from tidegate.git.repository import WORKSPACE_KEY


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


def lay_out(layout: Layout, hub: Hub) -> Git:
    """Make the folder and its `.git`, without any file checked out; return git for it."""
    git_dir = os.path.join(layout.path, ".git")
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
        files["objects/info/alternates"] = os.fsencode(hub.objects) + b"\n"
    for name, content in files.items():
        with open(os.path.join(git_dir, name), "wb") as file:
            file.write(content)
    if layout.isolated:
        _copy_objects(layout, hub, git_dir)
    return Git(trusts_user=False, git_dir=git_dir, work_tree=layout.path, timeout_s=LONG_S)


def _packed_refs(layout: Layout, hub: Hub) -> bytes:
    """List the branch, the remote's branch and the hub's tags, so that versions can be named."""
    rows = [f"{layout.commit} {layout.branch}"] if layout.branch else []
    if not layout.isolated:
        tags = hub.git.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags/").text
        rows += tags.splitlines()
        if layout.target:
            rows.append(f"{layout.commit} {_remote_name(layout.target)}")
    return "".join(f"{row}\n" for row in rows).encode("utf-8", "surrogateescape")


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
        settings += [
            ("remote.origin.url", hub.path),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ]
        if layout.branch and layout.target:
            short = layout.branch.removeprefix("refs/heads/")
            settings += [
                (f"branch.{short}.remote", "origin"),
                (f"branch.{short}.merge", layout.target),
            ]
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
    for folder in cone:
        parts = folder.split("/")
        parents |= {"/".join(parts[:depth]) for depth in range(1, len(parts))}
    lines = ["/*", "!/*/"]
    for parent in sorted(parents - set(cone)):
        lines += [f"/{parent}/", f"!/{parent}/*/"]
    lines += [f"/{folder}/" for folder in sorted(cone)]
    return "".join(f"{line}\n" for line in lines)
