"""Submodules: what a commit says of them, where the user has them, and a hub of ours for each.

A workspace gets them from the user's own stores and from no network. What an agent commits inside
comes into the submodule's hub, which lies in the hub at the place that git would give it, and from
there into the user's store before a commit is delivered that names it.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tidegate.git import hub as hubs
from tidegate.git.command import LONG_S, SHA1_LENGTH, Git
from tidegate.git.errors import GitFailed, GitTimedOut
from tidegate.git.hub import Hub
from tidegate.git.repository import Repository, pointed_to
from tidegate.git.tree_diff import GITLINK, Change, shown

DEPTH_MAX = 16
"""How deep submodules are looked for in submodules; what lies deeper counts as not there."""
DELIVERED = "refs/tidegate/delivered/"
"""In the user's stores: what came from a run. Without a ref `git submodule update` would fetch."""

_DECLARED = r"^submodule\..*\.(path|url)$"
_PROMISED = r"^(extensions\.partialclone|remote\..*\.promisor)$"


class Link(NamedTuple):
    """A submodule of one commit: its path there, the name of its store, and where it stands."""

    path: str
    name: str
    commit: str
    url: str


class Place(NamedTuple):
    """A checkout of the user's, and the git folders that keep the stores of its submodules."""

    root: str
    git_dirs: tuple[str, ...]

    @classmethod
    def of(cls, root: str, common_dir: str) -> "Place":
        """Name the places for a checkout; a linked worktree has stores of its own."""
        own = os.path.normpath(pointed_to(root))
        return cls(root, (own,) if own == common_dir else (own, common_dir))

    def store(self, link: Link) -> str | None:
        """Return the git folder that the user has for a submodule, or None.

        It may lie in the submodule itself, as old gits made it. What a link would lead to is not
        the user's submodule: the path may be an agent's.
        """
        for git_dir in self.git_dirs:
            if _is_store(kept := f"{git_dir}/modules/{link.name}"):
                return kept
        inside = f"{os.path.realpath(self.root)}/{link.path}/.git"
        is_own = os.path.isdir(inside) and os.path.realpath(inside) == inside
        return inside if is_own else None

    def inside(self, link: Link) -> "Place":
        """Return the places for the submodules of a submodule."""
        store = self.store(link)
        return Place(f"{self.root}/{link.path}", (store,) if store else ())


def _is_store(path: str) -> bool:
    return os.path.isfile(f"{path}/HEAD") and os.path.isdir(f"{path}/objects")


def links(git: Git, commit: str) -> tuple[Link, ...]:
    """List the submodules of a commit or tree that have a name; one without cannot be looked up."""
    found = git.run(
        "config",
        "-z",
        "--no-includes",
        f"--blob={commit}:.gitmodules",
        "--get-regexp",
        _DECLARED,
        ok_codes=(0, 1, 128),
    )
    said: dict[str, dict[str, str]] = {}
    for item in found.items if found.code == 0 else ():
        key, _, value = os.fsdecode(item).partition("\n")
        name, _, what = key.removeprefix("submodule.").rpartition(".")
        if _is_name(name):
            said.setdefault(name, {})[what] = value
    declared = {one["path"]: name for name, one in said.items() if one.get("path")}
    return tuple(
        Link(path, declared[path], commit, said[declared[path]].get("url", ""))
        for path, commit in _gitlinks(git, commit, declared)
    )


def _is_name(name: str) -> bool:
    """Tell whether a name stays below the folder of stores, as git itself asks."""
    return bool(name) and not {"", ".", ".."} & set(name.split("/")) and "\n" not in name


def _gitlinks(git: Git, commit: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    wanted = [path.rstrip("/") for path in paths]
    if not wanted:
        return
    for row in git.run("ls-tree", "-z", "--full-tree", commit, "--", *wanted).items:
        attributes, _, path = row.partition(b"\t")
        mode, _, oid = attributes.decode().split(" ")
        if mode == GITLINK and os.fsdecode(path) in wanted:
            yield os.fsdecode(path), oid


def hub_of(hub: Hub, module: str) -> Hub:
    """Return the hub of a submodule, made or not. `module` is as below a `.git` folder."""
    return Hub(os.path.join(hub.path, "tidegate", module, "=hub"))


def module_of(link: Link, outer: str | None = None) -> str:
    """Return where a git folder keeps a submodule, as ``modules/NAME`` or ``modules/A/modules/B``.

    `outer` is the same of the submodule that it is in.
    """
    return f"{outer}/modules/{link.name}" if outer else f"modules/{link.name}"


def take_in(hub: Hub, module: str, link: Link, store: str | None) -> Hub | None:
    """Return the submodule's hub with the commit in it, fetched from the user's store if need be.

    None where neither has it. Raises GitFailed where it is there and does not come.
    """
    made = hub_of(hub, module)
    if os.path.isdir(made.path) and made.commit(link.commit) is not None:
        return made
    if store is None or not has_commit(store, link.commit):
        return None
    source = _as_repository(store, link)
    made = hubs.make(made.path, source)
    try:
        hubs.fetch_base(made, source, link.commit)
    except GitTimedOut:
        raise
    except GitFailed:
        if made.commit(link.commit) is None:  # else another workspace's preparation was faster
            raise
    return made


def make_for(hub: Hub, module: str, format_of: str) -> Hub:
    """Return the hub of a submodule that the user does not have, empty where it is new."""
    made = hub_of(hub, module)
    if not os.path.isdir(made.path):
        hubs.make_empty(made.path, "sha1" if len(format_of) == SHA1_LENGTH else "sha256")
    return made


def _as_repository(store: str, link: Link) -> Repository:
    """Describe a store, whose checkout may not exist."""
    return Repository(
        root=store,
        git_dir=store,
        common_dir=store,
        head=link.commit,
        branch=None,
        is_linked_worktree=False,
        is_shallow=os.path.exists(f"{store}/shallow"),
        is_partial=_store_git(store).succeeds("config", "--get-regexp", _PROMISED),
        object_format="sha1" if len(link.commit) == SHA1_LENGTH else "sha256",
    )


def has_commit(store: str, oid: str) -> bool:
    """Tell whether a git folder of the user's has a commit."""
    git = _store_git(store)
    return git.run("cat-file", "-e", f"{oid}^{{commit}}", ok_codes=(0, 1, 128)).code == 0


def _store_git(store: str) -> Git:
    """Return the user's git on a store. The checkout that its configuration names may be gone."""
    return Git(trusts_user=True, git_dir=store, work_tree=store)


def missing(
    hub: Hub, tree: str, changed: Sequence[Change], place: Place
) -> Iterator[tuple[str, str]]:
    """Yield path and commit of each moved submodule that could not be given to the user.

    A commit that the submodule's hub has can be, if the user has a store to put it in.
    """
    moved = [change for change in changed if change.new_mode == GITLINK]
    if not moved:
        return
    known = {shown(os.fsencode(link.path)): link for link in links(hub.git, tree)}
    for change in moved:
        if change.path not in known:
            yield change.path, change.new_oid
        else:
            link = known[change.path]
            yield from _missing(hub, link, change.old_oid, place, outer=None, prefix="")


def _missing(
    hub: Hub, link: Link, old: str, place: Place, *, outer: str | None, prefix: str
) -> Iterator[tuple[str, str]]:
    path = f"{prefix}{shown(os.fsencode(link.path))}"
    module, store = module_of(link, outer), place.store(link)
    ours = hub_of(hub, module)
    if store is not None and has_commit(store, link.commit):
        return
    if store is None or not os.path.isdir(ours.path) or ours.commit(link.commit) is None:
        yield path, link.commit
        return
    if module.count("/modules/") > DEPTH_MAX:
        yield path, link.commit
        return
    before = {inner.path: inner.commit for inner in links(ours.git, old)}
    for inner in links(ours.git, link.commit):
        was = before.get(inner.path, "")
        if was != inner.commit:
            below = place.inside(link)
            yield from _missing(hub, inner, was, below, outer=module, prefix=f"{path}/")


def deliver(hub: Hub, commit: str, place: Place) -> None:
    """Give the user's stores what a commit's submodules stand at, innermost first, and pin it.

    A store that has it already, or a submodule that the user does not have, is left as it is.
    """
    for link in links(hub.git, commit):
        _deliver(hub, link, place, outer=None)


def _deliver(hub: Hub, link: Link, place: Place, *, outer: str | None) -> None:
    module, store = module_of(link, outer), place.store(link)
    ours = hub_of(hub, module)
    if store is None or not os.path.isdir(ours.path) or has_commit(store, link.commit):
        return
    if ours.commit(link.commit) is None or module.count("/modules/") > DEPTH_MAX:
        return
    for inner in links(ours.git, link.commit):
        _deliver(hub, inner, place.inside(link), outer=module)
    options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"]
    if os.path.exists(os.path.join(ours.path, "shallow")):
        options.append("--update-shallow")
    _store_git(store).within(LONG_S).run(
        "fetch", *options, "--", ours.path, f"{link.commit}:{DELIVERED}{link.commit}"
    )
