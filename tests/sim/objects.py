"""Git's objects as a graph in dictionaries: trees are paths with contents, merges are three-way.

It keeps what is true of git and no more: an id is made from content, a merge base is a common
ancestor that no other one descends from, and a path that both sides changed differently conflicts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha1

Tree = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Commit:
    """`tree` is the id of its content."""

    parents: tuple[str, ...]
    tree: str
    subject: str
    trailers: tuple[tuple[str, str], ...] = ()
    utc: str = ""


@dataclass(frozen=True, slots=True)
class Clash:
    """These paths do not merge."""

    paths: tuple[str, ...]


class Objects:
    """One store of objects, as a hub and the clones that borrow from it have it together."""

    def __init__(self) -> None:
        self._trees: dict[str, Tree] = {}
        self._commits: dict[str, Commit] = {}
        self._ancestors: dict[str, frozenset[str]] = {}
        self._age: dict[str, int] = {}

    def put_tree(self, tree: Tree) -> str:
        """The id of a tree."""
        name = _id(tuple(sorted(tree.items())))
        self._trees.setdefault(name, dict(tree))
        return name

    def put(self, commit: Commit) -> str:
        """The id of a commit."""
        name = _id(commit)
        if name not in self._commits:
            self._commits[name] = commit
            self._age[name] = len(self._age)
            above = (self._ancestors[parent] for parent in commit.parents)
            self._ancestors[name] = frozenset({name}).union(*above)
        return name

    def commit(self, name: str) -> Commit:
        """A commit by its id."""
        return self._commits[name]

    def tree(self, commit: str) -> Tree:
        """What a commit holds."""
        return self._trees[self._commits[commit].tree]

    def is_ancestor(self, old: str, new: str) -> bool:
        """True where `old` is `new` or comes before it."""
        return old in self._ancestors[new]

    def line(self, commit: str) -> frozenset[str]:
        """A commit and all that it descends from."""
        return self._ancestors[commit]

    def merge(self, target: str, tip: str) -> Tree | Clash:
        """What `target` and `tip` make together."""
        base, ours, theirs = self.tree(self._base(target, tip)), self.tree(target), self.tree(tip)
        merged: dict[str, str] = {}
        clashes = []
        for path in sorted({*base, *ours, *theirs}):
            old, our, their = base.get(path), ours.get(path), theirs.get(path)
            chosen = their if our == old else our
            if their not in (old, our) and our != old:
                clashes.append(path)
            elif chosen is not None:
                merged[path] = chosen
        return Clash(tuple(clashes)) if clashes else merged

    def _base(self, one: str, other: str) -> str:
        """The newest common ancestor: no other common one descends from it."""
        return max(self._ancestors[one] & self._ancestors[other], key=self._age.__getitem__)


def _id(content: object) -> str:
    return sha1(repr(content).encode(), usedforsecurity=False).hexdigest()
