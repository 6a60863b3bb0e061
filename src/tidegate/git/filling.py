"""Fill a workspace's submodules as git would, from the user's stores and ours, without a network.

Each gets a git folder below the workspace's, which borrows from the submodule's hub. One whose
commit neither the user nor we have stays the empty folder that git leaves, and is told.
"""

import os
from typing import NamedTuple

from tidegate.git import carried, clone, repository, submodules
from tidegate.git.clone import Layout, Module
from tidegate.git.command import Git, Settings
from tidegate.git.hub import Hub
from tidegate.git.snapshot import in_cone
from tidegate.git.submodules import DEPTH_MAX, Link, Place
from tidegate.git.tree_diff import shown


class Filled(NamedTuple):
    """A submodule with its files. `module` is where its git folder is, below the workspace's."""

    path: str
    module: str
    commit: str
    settings: Settings

    def git_dir(self, workspace: str) -> str:
        """Its git folder."""
        return os.path.join(workspace, ".git", self.module)


class Filling(NamedTuple):
    """What was filled, outer ones first, and the paths of what could not be."""

    filled: tuple[Filled, ...]
    missing: tuple[str, ...]


NOTHING = Filling((), ())


class _At(NamedTuple):
    """Where one level of submodules is: in the user's checkout and in the workspace."""

    place: Place
    outer: str | None
    prefix: str
    address: str
    """What relative addresses are relative to."""


def fill(hub: Hub, layout: Layout) -> Filling:
    """Fill what the workspace's commit names, as far as the cone has it, and name the addresses.

    The workspace must be checked out, and nobody but us have been in it.
    """
    work = _Filling(hub, layout)
    work.level(work.links, work.top)
    return Filling(tuple(work.filled), tuple(work.missing))


class _Filling:
    """The submodules of one workspace, as far as they have been looked at."""

    def __init__(self, hub: Hub, layout: Layout) -> None:
        self._hub, self._layout = hub, layout
        source = repository.find(layout.made_from)
        remote, self._configured = carried.addresses(source)
        place = Place.of(source.root, source.common_dir)
        self.top = _At(place, None, "", remote or source.root)
        self.links = submodules.links(hub.git, layout.commit)
        self.filled: list[Filled] = []
        self.missing: list[str] = []

    def level(self, links: tuple[Link, ...], at: _At) -> None:
        """Fill the submodules of one commit, and those in them."""
        git_dir = os.path.join(self._layout.path, ".git", at.outer or "")
        urls = {link.name: self._address(link, at) for link in links}
        _configure(git_dir, urls)
        for link in links:
            if at.outer is None and not in_cone(os.fsencode(link.path), self._layout.cone):
                continue
            module, store = submodules.module_of(link, at.outer), at.place.store(link)
            path = f"{at.prefix}{link.path}"
            is_deep = module.count("/modules/") >= DEPTH_MAX
            ours = None if is_deep else submodules.take_in(self._hub, module, link, store)
            if ours is None:
                self.missing.append(shown(os.fsencode(path)))
                continue
            settings = self._settings(store)
            one = Filled(path, module, link.commit, settings)
            self.filled.append(one)
            self._check_out(one, ours, urls[link.name])
            below = _At(at.place.inside(link), module, f"{path}/", urls[link.name])
            self.level(submodules.links(ours.git, link.commit), below)

    def _address(self, link: Link, at: _At) -> str:
        declared = carried.absolute(link.url, at.address)
        ours = self._configured.get(link.name) if at.outer is None else None
        return carried.without_password(ours or declared)

    def _settings(self, store: str | None) -> Settings:
        """Return the filters' settings; large files of a submodule lie beside its own store."""
        if store is None:
            return self._layout.settings
        kept = os.path.join(store, "lfs")
        return tuple(
            (key, kept if key == "lfs.storage" else value) for key, value in self._layout.settings
        )

    def _check_out(self, one: Filled, ours: Hub, url: str) -> None:
        with open(os.path.join(ours.path, "info", "exclude"), "rb") as file:
            excludes = file.read()
        path = os.path.join(self._layout.path, one.path)
        layout = self._layout._replace(
            path=path,
            commit=one.commit,
            branch=None,
            target=None,
            settings=one.settings,
            cone=(),
            excludes=excludes,
            module=Module(one.git_dir(self._layout.path), url),
        )
        clone.check_out(clone.lay_out(layout, ours), one.commit, one.settings)


def _configure(git_dir: str, urls: dict[str, str]) -> None:
    """Add the addresses to a clone's configuration: so git knows that they are wanted."""
    settings = [(f"submodule.{name}.url", url) for name, url in urls.items() if url]
    with open(os.path.join(git_dir, "config"), "ab") as file:
        file.write(os.fsencode(clone.rendered(settings)))


def looking(hub: Hub, workspace: str, one: Filled, index: str) -> Git:
    """Return the git of the submodule's hub, with its files in the workspace to look at."""
    ours = submodules.hub_of(hub, one.module)
    return ours.git._replace(
        work_tree=os.path.join(workspace, one.path), index_file=index, settings=one.settings
    )
