"""Prepare a workspace: a checkout of one commit, out of the repository, for one attempt.

Making one twice is the same as making it once: a finished workspace is returned as it is, with
whatever its agent has done; anything else at its place is moved aside and never used. The path is
final from the start, since set-up commands write it into what they install.
"""

import contextlib
import os
from typing import Any, NamedTuple

from tidegate.git import clone, environment, trash
from tidegate.git.clone import Layout
from tidegate.git.command import Git, Settings
from tidegate.git.control import NOTHING_BEFORE, Baseline, Control, copy_index
from tidegate.git.environment import Copy, Setup
from tidegate.git.errors import WorkspaceTaken
from tidegate.git.hub import Hub
from tidegate.git.snapshot import pattern_for, raw_ids
from tidegate.git.tree_diff import shown

CHECKOUT_WORKERS_MAX = 4
HIDDEN_MAX = 500
"""How many untracked files of set-up are hidden one by one; beyond that by folder."""


class Order(NamedTuple):
    """All that a workspace is to be. Nothing is taken from the environment but PATH and the like.

    `aside` takes what is found at the place and is not known to be ours; `trash` what a killed
    preparation left. Both must be on the workspace's file system.
    """

    path: str
    commit: str
    author: tuple[str, str]
    """The name and address with which an agent's commits are made unless it says otherwise."""
    made_from: str
    aside: str
    trash: str
    branch: str | None = None
    target: str | None = None
    isolated: bool = False
    env_files: tuple[Copy, ...] = ()
    caches: tuple[Copy, ...] = ()
    setup: Setup | None = None
    cone: tuple[str, ...] = ()
    settings: Settings = ()
    """Filters and submodule addresses, see `tidegate.git.carried`."""


class Prepared(NamedTuple):
    """A workspace that is ready for its agent."""

    path: str
    commit: str
    environment_digest: str
    reused: bool
    set_aside: str | None
    """Where what was found at the path is now."""
    submodules: tuple[str, ...]
    """Paths of submodules: empty folders, unless set-up fills them."""
    changed_by_setup: tuple[str, ...]
    """Tracked files that are not as committed, from the start. They are not the agent's work."""


def prepare(hub: Hub, order: Order) -> Prepared:
    """Make the workspace, or find it made.

    Raises SetupFailed for the user's part, GitFailed for git's, WorkspaceTaken where the path holds
    a finished workspace of another order.
    """
    control = Control.of(hub.path, order.path)
    with control.held():
        record = control.record()
        if record is not None and os.path.isdir(os.path.join(order.path, ".git")):
            return _found(order, record)
        set_aside = _make_room(control, order)
        control.begin(order.path)
        prepared = _make(hub, control, order)._replace(set_aside=set_aside)
        control.finish({"order": _essence(order), "prepared": prepared._asdict()})
    return prepared


def remove(hub: Hub, path: str, trash_folder: str) -> trash.Emptied:
    """Take a workspace away, with what we kept about it, and delete it. Repeat until it is done.

    It must have been harvested: this looks at nothing.
    """
    trash.set_aside(path, trash_folder)
    Control.of(hub.path, path).forget()
    emptied = trash.empty(trash_folder)
    if not emptied.failures:
        with contextlib.suppress(OSError):
            os.rmdir(trash_folder)  # another removal may be using it: then that one takes it away
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(path))  # its yard, unless something else lies there
    return emptied


def _found(order: Order, record: dict[str, Any]) -> Prepared:
    if record["order"] != _essence(order):
        raise WorkspaceTaken(
            f"{order.path} holds a workspace that was made for something else",
            hint="harvest and remove it first",
        )
    kept = record["prepared"]
    lists = {key: tuple(kept[key]) for key in ("submodules", "changed_by_setup")}
    return Prepared(**(kept | lists | {"reused": True}))


def _essence(order: Order) -> dict[str, Any]:
    """Return what makes two orders the same: not where a log goes or which variables were set."""
    return {
        "path": order.path,
        "commit": order.commit,
        "branch": order.branch,
        "target": order.target,
        "isolated": order.isolated,
        "setup": order.setup.command if order.setup else None,
        "env_files": [copy.to for copy in order.env_files],
        "caches": [copy.to for copy in order.caches],
        "cone": list(order.cone),
    }


def _make_room(control: Control, order: Order) -> str | None:
    """Move what is at the place away: our own unfinished work to the trash, the rest aside."""
    os.makedirs(os.path.dirname(order.path), exist_ok=True)
    return trash.set_aside(order.path, order.trash if control.is_begun else order.aside)


def _make(hub: Hub, control: Control, order: Order) -> Prepared:
    git = _checked_out(hub, order)
    submodules = _submodules(git)
    copy_index(os.path.join(order.path, ".git", "index"), control.kept_index)
    copied = [os.path.normpath(copy.to) for copy in (*order.env_files, *order.caches)]
    environment.copy_files(order.path, order.env_files)
    environment.copy_caches(order.path, order.caches)
    _hide(order.path, copied)
    if order.setup is not None:
        environment.run_setup(order.path, order.setup)
    # From here on the clone is not asked: set-up, or code that it ran, may have configured it.
    looking = hub.git._replace(
        work_tree=order.path, index_file=control.kept_index, settings=order.settings
    )
    baseline = _baseline(looking, copied) if order.setup or copied else NOTHING_BEFORE
    _hide(order.path, sorted(set(map(os.fsdecode, baseline.hidden)) - set(copied)))
    control.keep(baseline)
    if order.cone:
        control.drop_index()
    return Prepared(
        path=order.path,
        commit=order.commit,
        environment_digest=environment.digest(
            files=order.env_files,
            caches=order.caches,
            command=order.setup.command if order.setup else None,
            cone=order.cone,
        ),
        reused=False,
        set_aside=None,
        submodules=submodules,
        changed_by_setup=tuple(map(shown, baseline.changed)),
    )


def _checked_out(hub: Hub, order: Order) -> Git:
    """Lay the clone out and write its files, with several workers where there are many."""
    workers = min(os.cpu_count() or 1, CHECKOUT_WORKERS_MAX)
    layout = Layout(
        path=order.path,
        commit=order.commit,
        branch=order.branch,
        target=order.target,
        isolated=order.isolated,
        author=order.author,
        made_from=order.made_from,
        settings=order.settings,
        cone=order.cone,
        excludes=_hub_excludes(hub),
    )
    git = clone.lay_out(layout, hub)
    checkout = git._replace(settings=(*order.settings, ("checkout.workers", str(workers))))
    checkout.run("read-tree", "-m", "-u", order.commit)
    return git


def _hub_excludes(hub: Hub) -> bytes:
    with open(os.path.join(hub.path, "info", "exclude"), "rb") as file:
        return file.read()


def _hide(root: str, paths: list[str]) -> None:
    """Keep what we put there out of the agent's own `git add`."""
    patterns = "".join(f"\n/{pattern_for(path)}" for path in paths)
    with open(os.path.join(root, ".git", "info", "exclude"), "ab") as file:
        file.write(os.fsencode(patterns))


def _baseline(git: Git, copied: list[str]) -> Baseline:
    """Note what differs from the commit before any agent has been here; the index is only read."""
    changed = git.run("diff-files", "-z", "--name-only", "--no-renames").items
    ids = raw_ids(git, changed) if changed else {}
    hidden = {*map(os.fsencode, copied), *_made_by_setup(git)}
    return Baseline({path: ids.get(path) for path in changed}, frozenset(hidden))


def _made_by_setup(git: Git) -> list[bytes]:
    listing = ("ls-files", "-z", "--others", "--exclude-standard")
    found = git.run(*listing).items
    if len(found) > HIDDEN_MAX:
        found = git.run(*listing, "--directory").items
    return [path.rstrip(b"/") for path in found]


def _submodules(git: Git) -> tuple[str, ...]:
    if not os.path.lexists(os.path.join(git.work_tree or "", ".gitmodules")):
        return ()
    rows = git.run("ls-files", "-z", "--stage").items
    return tuple(shown(row.partition(b"\t")[2]) for row in rows if row.startswith(b"160000"))
