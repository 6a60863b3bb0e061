"""Take what a workspace holds into the hub: every commit that it names, and what is not committed.

No byte of the workspace's configuration is read, so nothing that an agent wrote there can run.
What its git folder names is read as plain files (`foreign`); the objects pass one door
(`incoming`); what its files amount to is seen through an index of ours (`snapshot`). Judgements are
made only on what has arrived in the hub, and all that has arrived stays reachable by a pin.
"""

import contextlib
import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tidegate.git import durable, foreign, incoming, locks, plain, snapshot, tree_diff
from tidegate.git.command import INDEX_LATER, LONG_S, Git, Settings
from tidegate.git.commits import Stamp, commit_tree
from tidegate.git.control import NOTHING_BEFORE, Baseline, Control, copy_index
from tidegate.git.foreign import GitFolder, Linked
from tidegate.git.hub import Hub
from tidegate.git.plain import Tampered
from tidegate.git.survey import Survey, survey
from tidegate.git.tree_diff import Change

if TYPE_CHECKING:
    from tidegate.git.filling import Filled


class Order(NamedTuple):
    """What to harvest. `namespace` is where its pins go, as ``refs/tidegate/RUN/ATTEMPT/TURN``."""

    workspace: str
    base: str
    namespace: str
    author: Stamp
    message: str
    """Author and message of the commit that is made of what was not committed."""
    takes_files: bool = True
    """Make that commit. Without it only commits are taken, and nothing is in the agent's way."""
    known: tuple[str, ...] = ()
    """Further commits that are pinned in the hub: a target merged in meanwhile."""
    settings: Settings = ()
    """The filters that files go through, see `tidegate.git.carried`."""
    yard: str | None = None
    """The folder that holds the workspace and nothing else; what is written there is a breach."""


STRAYS_MAX = 20
"""How many of the things that lie beside a workspace are told one by one."""


class Violation(NamedTuple):
    """Something that no agent has to do in its workspace; the run decides what follows."""

    code: str
    path: str
    detail: str


class Harvest(NamedTuple):
    """What the hub has of the workspace now.

    `tip` is what the attempt amounts to: its HEAD, with a commit of what was not committed on top.
    It is None only where a violation says why there is none.
    """

    base: str
    head: str | None
    tip: str | None
    tree: str | None
    is_empty: bool
    """The tip's tree is the base's: nothing was changed, however many commits there are."""
    snapshot_made: bool
    changes: tuple[Change, ...]
    pins: dict[str, str]
    under_way: str | None
    """A merge or rebase that was begun and not ended."""
    unlocked: tuple[str, ...]
    """Lock files of a killed git that were taken away, so that the next turn can work."""
    left_out: tuple[str, ...]
    """Paths that are in no commit of ours: repositories of their own, pipes. Keep the workspace."""
    violations: tuple[Violation, ...]


def harvest(hub: Hub, order: Order) -> Harvest:
    """Take everything in, make it durable, and say what it is.

    Doing it again is harmless: pins are named for what they hold and never move. Raises GitFailed
    or OSError where the hub, the machine or the disk is at fault, Busy while another harvest runs.
    """
    control = Control.of(hub.path, order.workspace)
    with control.held():
        result = _Harvesting(hub, order, control).run()
        durable.sync_file_system(hub.path)
    return result


class _Harvesting:
    """One harvest: what has arrived so far, and what is wrong with it."""

    def __init__(self, hub: Hub, order: Order, control: Control) -> None:
        self._hub = hub
        self._order = order
        self._control = control
        self._violations: list[Violation] = []
        self._pins: dict[str, str] = {}
        self._left_out: list[str] = []
        self._unlocked: tuple[str, ...] = ()
        self._filled: tuple[Filled, ...] = ()
        self._cone: tuple[str, ...] = ()

    def run(self) -> Harvest:
        try:
            folder = self._read()
        except Tampered as tampered:
            self._note(tampered)
            return self._result(None, None, under_way=None)
        broken = self._bring(folder)
        head, head_tree = self._arrived(folder.head, broken)
        if head is None or head_tree is None:
            self._violate("no_head", "HEAD", "names no commit that is here")
            return self._result(None, None, under_way=folder.under_way)
        tip = _Point(head, head_tree)
        self._look_around()
        found = self._survey() if self._order.takes_files else None
        if found is not None:
            self._clear_locks()
            tip = self._with_files(tip, found, self._submodule_heads(found))
            for linked in folder.linked:
                self._take_linked(linked, broken, found)
        return self._result(head, tip, under_way=folder.under_way)

    def _look_around(self) -> None:
        """See what was written beside the workspace. It stays where it is, as evidence."""
        yard, own = self._order.yard, os.path.basename(self._order.workspace)
        if yard is None or not self._order.takes_files:
            return
        ours = {own, f"{own}.aside", f"{own}.trash"}
        for name in sorted(set(os.listdir(yard)) - ours)[:STRAYS_MAX]:
            self._violate("outside", f"../{name}", "was written outside of the workspace")

    def _arrived(self, oid: str | None, broken: Collection[str]) -> list[str | None]:
        """Return commit and tree as the hub has them, None for what is not whole."""
        if oid is None or oid in broken:
            return [None, None]
        return self._hub.look_up(f"{oid}^{{commit}}", f"{oid}^{{tree}}")

    def _note(self, tampered: Tampered) -> None:
        self._violate(tampered.code, tampered.path, tampered.detail)

    def _violate(self, code: str, path: str, detail: str) -> None:
        self._violations.append(Violation(code, _readable(path), detail))

    def _keep(self, oid: str) -> None:
        self._pins[f"{self._order.namespace}/kept/{oid}"] = oid

    def _read(self) -> GitFolder:
        """Read the git folder. Raises Tampered where it is not what git leaves."""
        record = self._control.record() or {"order": {}}
        borrows = not record["order"].get("isolated", False)
        self._cone = tuple(record["order"].get("cone", ()))
        with (
            plain.folder(self._order.workspace) as root,
            plain.folder(".git", within=root) as git_fd,
        ):
            foreign.check_objects(git_fd, *(self._hub.lenders if borrows else (None,)))
            if plain.exists("modules", within=git_fd):
                self._bring_submodules(git_fd, record)
            return foreign.read(git_fd)

    def _bring_submodules(self, git_fd: int, record: dict[str, Any]) -> None:
        from tidegate.git import nested  # noqa: PLC0415 - few repositories have any

        self._filled = nested.filled(record)
        told = nested.Told(
            self._hub,
            self._order.workspace,
            self._order.namespace,
            os.path.join(self._control.folder, "incoming.pack"),
            self._violate,
        )
        nested.bring(told, git_fd, self._filled, self._order.base)

    def _bring(self, folder: GitFolder) -> set[str]:
        """Bring all commits in and pin them; return the names whose history is not whole."""
        brought = incoming.bring(
            self._hub,
            os.path.join(self._order.workspace, ".git", "objects"),
            folder.oids,
            known=(self._order.base, *self._order.known),
            spool=os.path.join(self._control.folder, "incoming.pack"),
        )
        for oid, why in brought.broken:
            self._violate("history_incomplete", oid, why)
        for leaf in brought.leaves:
            self._keep(leaf)
        return {oid for oid, _ in brought.broken}

    def _clear_locks(self) -> None:
        try:
            self._unlocked = locks.clear(self._order.workspace)
        except Tampered as tampered:
            self._note(tampered)

    def _survey(self) -> Survey | None:
        try:
            return survey(self._order.workspace)
        except Tampered as tampered:
            self._note(tampered)
            return None

    def _submodule_heads(self, found: Survey) -> dict[str, str]:
        """Commit what is not committed in the submodules; return where each of them stands now."""
        heads: dict[str, str] = {}
        for one in reversed(self._filled):
            if one.path in found.nested:
                point = self._in_submodule(one, found.below(one.path), _below(heads, one.path))
                heads |= {one.path: point.commit} if point else {}
        return heads

    def _in_submodule(self, one: "Filled", found: Survey, heads: dict[str, str]) -> "_Point | None":
        """Return a commit of a submodule's files, None where it does not stand as we made it."""
        from tidegate.git import filling  # noqa: PLC0415 - few repositories have any

        head = foreign.module_head(self._order.workspace, one.path, one.module)
        index = os.path.join(self._control.folder, "submodule.index")
        _clear_index(index)
        git = filling.looking(self._hub, self._order.workspace, one, index)
        commit, tree = Hub(git.git_dir or "").look_up(f"{head}^{{commit}}", f"{head}^{{tree}}")
        if head is None or commit is None or tree is None:
            return None
        copy_index(self._control.kept_index_of(one.path), index)
        before = self._control.baseline().below(one.path)
        git = git._replace(settings=(*git.settings, INDEX_LATER), timeout_s=LONG_S)
        return self._snapshot(git, _Point(commit, tree), found, before, cone=(), heads=heads)

    def _with_files(self, head: "_Point", found: Survey, heads: dict[str, str]) -> "_Point":
        """Return a commit of the workspace's files on top of its HEAD, or HEAD if they agree."""
        index = os.path.join(self._control.folder, "harvest.index")
        _clear_index(index)
        trusted = os.path.exists(self._control.kept_index)
        if trusted:
            copy_index(self._control.kept_index, index)
        git = self._looking_at(self._order.workspace, index)
        before, cone = self._control.baseline(), self._cone
        commit = self._snapshot(git, head, found, before, cone=cone, heads=heads)
        if trusted and os.path.exists(index):
            self._control.keep_index(index)
        return commit

    def _take_linked(self, linked: Linked, broken: Collection[str], found: Survey) -> None:
        """Keep what is not committed in a worktree that the agent made inside its workspace."""
        inside = os.path.realpath(self._order.workspace) + os.sep
        if linked.root is None or not os.path.isdir(linked.root):
            return
        root = os.path.realpath(linked.root)
        if not root.startswith(inside):
            self._violate("worktree_outside", linked.root, "is a worktree out of the workspace")
            return
        head, tree = self._arrived(linked.head, broken)
        if head is None or tree is None:
            return
        index = os.path.join(self._control.folder, "linked.index")
        _clear_index(index)
        place = root.removeprefix(inside)
        seen = found.below(place)
        git = self._looking_at(root, index)
        self._snapshot(git, _Point(head, tree), seen, NOTHING_BEFORE, cone=(), heads={})
        self._left_out = [path for path in self._left_out if path != _readable(place)]

    def _looking_at(self, root: str, index: str) -> Git:
        """Return the hub's git with files to look at and an index of ours; no other objects."""
        return self._hub.git._replace(
            work_tree=root,
            index_file=index,
            # The index is written several times, and put on the disk once, when it is kept.
            settings=(*self._order.settings, INDEX_LATER),
            timeout_s=LONG_S,
        )

    def _snapshot(
        self,
        git: Git,
        head: "_Point",
        found: Survey,
        before: Baseline,
        *,
        cone: Sequence[str],
        heads: dict[str, str],
    ) -> "_Point":
        try:
            taken = snapshot.take(
                git, head.commit, survey=found, before=before, cone=cone, heads=heads
            )
        except Tampered as tampered:
            self._note(tampered)
            return head
        place = os.path.relpath(git.work_tree or "", self._order.workspace)
        left_out = (*taken.special, *map(_readable, taken.strangers))
        self._left_out += [os.path.normpath(os.path.join(place, path)) for path in left_out]
        if taken.mass_deletion:
            self._violate(
                "mass_deletion", place, "most of what is committed is gone from the files"
            )
            return head
        if taken.tree in (None, head.tree):
            return head
        commit = commit_tree(
            git._replace(work_tree=None, index_file=None, settings=()),
            taken.tree,
            parents=(head.commit,),
            message=self._order.message,
            author=self._order.author,
            committer=self._order.author,
        )
        if git.git_dir == self._hub.path:
            self._keep(commit)
        else:
            Hub(git.git_dir or "").pin({f"{self._order.namespace}/kept/{commit}": commit})
        return _Point(commit, taken.tree)

    def _result(self, head: str | None, tip: "_Point | None", *, under_way: str | None) -> Harvest:
        changes = self._judged(tip) if tip is not None else ()
        if tip is not None:
            self._pins[f"{self._order.namespace}/tip"] = tip.commit
        self._hub.pin(self._pins)
        return Harvest(
            base=self._order.base,
            head=head,
            tip=tip.commit if tip else None,
            tree=tip.tree if tip else None,
            is_empty=tip is not None and not changes,
            snapshot_made=tip is not None and tip.commit != head,
            changes=changes,
            pins=self._pins,
            under_way=under_way,
            unlocked=self._unlocked,
            left_out=tuple(self._left_out),
            violations=tuple(self._violations),
        )

    def _judged(self, tip: "_Point") -> tuple[Change, ...]:
        """Hold the tip against the base, in the hub, where nothing can pretend any more."""
        git, base = self._hub.git, self._order.base
        if tip.commit == base:
            return ()
        if not git.succeeds("merge-base", "--is-ancestor", base, tip.commit):
            self._violate("history_rewritten", tip.commit, f"does not descend from {base}")
        return tree_diff.between(git, base, tip.tree)


class _Point(NamedTuple):
    """A commit of the hub's, and its tree."""

    commit: str
    tree: str


def _below(heads: dict[str, str], folder: str) -> dict[str, str]:
    at = f"{folder}/"
    return {path.removeprefix(at): oid for path, oid in heads.items() if path.startswith(at)}


def _readable(path: str) -> str:
    return tree_diff.shown(os.fsencode(path))


def _clear_index(path: str) -> None:
    """Remove what a killed harvest left of an index, its lock above all."""
    for stale in (path, f"{path}.lock"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(stale)
