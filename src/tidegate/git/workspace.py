"""Prepare a workspace: a checkout of one commit, out of the repository, for one attempt.

Making one twice is the same as making it once: a finished workspace is returned as it is, with
whatever its agent has done; anything else at its place is moved aside and never used. The path is
final from the start, since set-up commands write it into what they install.
"""

import contextlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from tidegate.git import clone, environment, trash
from tidegate.git.clone import Layout
from tidegate.git.command import Git, Settings
from tidegate.git.control import NOTHING_BEFORE, Baseline, Control, copy_index
from tidegate.git.environment import Copy, Setup
from tidegate.git.errors import WorkspaceTaken
from tidegate.git.hub import Hub
from tidegate.git.snapshot import in_cone, leave_out, links_of, pattern_for, raw_ids
from tidegate.git.tree_diff import shown

if TYPE_CHECKING:
    from tidegate.git.filling import Filled

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
    """The filters that are carried, see `tidegate.git.carried`."""
    submodules: bool = True
    """Fill them, see `tidegate.git.filling`."""


class Prepared(NamedTuple):
    """A workspace that is ready for its agent."""

    path: str
    commit: str
    environment_digest: str
    reused: bool
    set_aside: str | None
    """Where what was found at the path is now."""
    submodules: tuple[str, ...]
    """Paths of submodules that are not filled: empty folders, unless set-up fills them."""
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
        prepared, filled = _make(hub, control, order)
        prepared = prepared._replace(set_aside=set_aside)
        modules = [one._asdict() for one in filled]
        control.finish(
            {"order": _essence(order), "prepared": prepared._asdict(), "modules": modules}
        )
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
        "submodules": order.submodules,
    }


def _make_room(control: Control, order: Order) -> str | None:
    """Move what is at the place away: our own unfinished work to the trash, the rest aside."""
    os.makedirs(os.path.dirname(order.path), exist_ok=True)
    return trash.set_aside(order.path, order.trash if control.is_begun else order.aside)


def _make(hub: Hub, control: Control, order: Order) -> "tuple[Prepared, tuple[Filled, ...]]":
    layout = _layout(hub, order)
    git = clone.lay_out(layout, hub)
    clone.check_out(git, order.commit, order.settings)
    filled, missing = _filled(hub, order, layout, git)
    _keep_indexes(control, order, filled)
    copied = [os.path.normpath(copy.to) for copy in (*order.env_files, *order.caches)]
    environment.copy_files(order.path, order.env_files)
    environment.copy_caches(order.path, order.caches)
    _hide(os.path.join(order.path, ".git"), copied)
    if order.setup is not None:
        environment.run_setup(order.path, order.setup)
    baseline = NOTHING_BEFORE
    if order.setup or copied:
        has_submodules = bool(filled or missing)
        baseline = _baseline(hub, control, order, filled, copied, has_submodules=has_submodules)
    if baseline is not NOTHING_BEFORE:
        control.keep(baseline)
    if order.cone:
        control.drop_index()
    prepared = Prepared(
        path=order.path,
        commit=order.commit,
        environment_digest=environment.digest(
            files=order.env_files,
            caches=order.caches,
            command=order.setup.command if order.setup else None,
            cone=order.cone,
            without=missing,
        ),
        reused=False,
        set_aside=None,
        submodules=missing,
        changed_by_setup=tuple(map(shown, baseline.changed)),
    )
    return prepared, filled


def _layout(hub: Hub, order: Order) -> Layout:
    return Layout(
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


def _filled(
    hub: Hub, order: Order, layout: Layout, git: Git
) -> "tuple[tuple[Filled, ...], tuple[str, ...]]":
    """Fill the submodules if that is wanted, and return them, and the paths of those left empty."""
    if not os.path.lexists(os.path.join(order.path, ".gitmodules")):
        return (), ()
    from tidegate.git import filling  # noqa: PLC0415 - few repositories have any

    found = filling.fill(hub, layout) if order.submodules else filling.NOTHING
    full = {shown(os.fsencode(one.path)) for one in found.filled}
    empty = {*_gitlinks(git, order.cone), *found.missing} - full
    return found.filled, tuple(sorted(empty))


def _gitlinks(git: Git, cone: tuple[str, ...]) -> list[str]:
    return [shown(path) for path in links_of(git) if in_cone(path, cone)]


def _keep_indexes(control: Control, order: Order, filled: "tuple[Filled, ...]") -> None:
    """Keep the indexes as they are now: set-up, and the agent, may change them."""
    copy_index(os.path.join(order.path, ".git", "index"), control.kept_index, is_kept=True)
    for one in filled:
        kept = control.kept_index_of(one.path)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        copy_index(os.path.join(one.git_dir(order.path), "index"), kept, is_kept=True)


def _hub_excludes(hub: Hub) -> bytes:
    with open(os.path.join(hub.path, "info", "exclude"), "rb") as file:
        return file.read()


def _hide(git_dir: str, paths: list[str]) -> None:
    """Keep what we put there out of the agent's own `git add`."""
    patterns = "".join(f"\n/{pattern_for(path)}" for path in paths)
    with open(os.path.join(git_dir, "info", "exclude"), "ab") as file:
        file.write(os.fsencode(patterns))


def _baseline(
    hub: Hub,
    control: Control,
    order: Order,
    filled: "tuple[Filled, ...]",
    copied: list[str],
    *,
    has_submodules: bool,
) -> Baseline:
    """Note what differs from the commits before any agent was here; hide it from `git add`.

    The clones are not asked: set-up, or code that it ran, may have configured them. An index is
    only read; submodules are left out in a copy of it.
    """
    ours = {*map(os.fsencode, copied)}
    looking = hub.git._replace(
        work_tree=order.path, index_file=control.kept_index, settings=order.settings
    )
    found = _differs_apart(looking, control) if has_submodules else _differs(looking)
    found = found.with_hidden(ours)
    _hide(os.path.join(order.path, ".git"), _names(found.hidden - ours))
    for one in filled:
        from tidegate.git import filling  # noqa: PLC0415 - few repositories have any

        git = filling.looking(hub, order.path, one, control.kept_index_of(one.path))
        inside = _differs_apart(git, control)
        _hide(one.git_dir(order.path), _names(inside.hidden))
        found = found.with_inside(one.path, inside)
    return found


def _names(paths: Iterable[bytes]) -> list[str]:
    return sorted(map(os.fsdecode, paths))


def _differs_apart(git: Git, control: Control) -> Baseline:
    """Note how files differ from a copy of the index that makes git look into no submodule."""
    index = os.path.join(control.folder, "baseline.index")
    copy_index(git.index_file or "", index)
    apart = git._replace(index_file=index)
    leave_out(apart, links_of(apart))
    found = _differs(apart)
    os.unlink(index)
    return found


def _differs(git: Git) -> Baseline:
    changed = git.run("diff-files", "-z", "--name-only", "--no-renames").items
    ids = raw_ids(git, changed) if changed else {}
    return Baseline({path: ids.get(path) for path in changed}, frozenset(_made_by_setup(git)))


def _made_by_setup(git: Git) -> list[bytes]:
    listing = ("ls-files", "-z", "--others", "--exclude-standard")
    found = git.run(*listing).items
    if len(found) > HIDDEN_MAX:
        found = git.run(*listing, "--directory").items
    return [path.rstrip(b"/") for path in found]
