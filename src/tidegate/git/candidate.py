"""Build what would land: changes merged onto the target one by one, and what is wrong with them.

Nothing is checked out and no ref moves but one pin. The commits depend only on the arguments, so
building a candidate again after a crash gives the very same one.
"""

import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from tidegate.git import hazards, links, tree_diff
from tidegate.git.command import Git
from tidegate.git.commits import Stamp, commit_tree, with_trailers
from tidegate.git.hub import Hub
from tidegate.git.merge import Conflict, merge
from tidegate.git.submodules import Place
from tidegate.git.tree_diff import LINK, Change, Finding
from tidegate.rules.claims import REPORT_MISMATCH, Claims, in_question, mismatches

if TYPE_CHECKING:
    from tidegate.core.footprint import Pattern


class Style(StrEnum):
    """How a change becomes commits of the target."""

    MERGE = "merge"
    """A merge commit: the attempt's own commits stay visible behind it."""
    SQUASH = "squash"
    """One commit with the whole change, and no other parent than the target."""


class Part(NamedTuple):
    """One change to be merged.

    Without a footprint, None or empty, any path may change; but what is protected and what judges
    the change only where `leave` covers it. `gate_files` are the paths of what a check is made of.
    """

    tip: str
    message: str
    trailers: tuple[tuple[str, str], ...] = ()
    footprint: "tuple[Pattern, ...] | None" = None
    gate_files: tuple[str, ...] = ()
    claims: Claims = Claims()
    """What its builder says of the paths."""
    leave: "tuple[Pattern, ...] | None" = None
    """The footprint that the owner of the issue wrote; what an agent expects gives no leave."""


class Order(NamedTuple):
    """What to build, onto which commit. `pin` is the ref that keeps the result."""

    target: str
    parts: tuple[Part, ...]
    style: Style
    author: Stamp
    committer: Stamp
    pin: str
    common_dir: str | None = None
    """The user's git folder, where the commits of submodules should be."""
    since: str | None = None
    """The target of the candidate before; None where there was none."""
    checkout: str | None = None
    """The working tree that they may be in, too."""


class Step(NamedTuple):
    """One merged change. Its scope is judged on the merged tree against what it was merged onto."""

    tip: str
    commit: str
    tree: str
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    surface: tuple[Finding, ...] = ()
    """What it changed of what judges it, with leave of its owner."""

    @property
    def is_empty(self) -> bool:
        """Nothing is left of the change once it is merged: the target has it already."""
        return not self.changes


class Candidate(NamedTuple):
    """What would land: the last step's commit. It is the target itself where there is no step."""

    commit: str
    tree: str
    steps: tuple[Step, ...]
    is_disjoint: bool = False
    """What the target has gained since `since` touches no path of the steps."""


class Unmergeable(NamedTuple):
    """The first change that does not merge, onto what, and the paths that keep it from doing so."""

    tip: str
    onto: str
    paths: tuple[str, ...]


def build(hub: Hub, order: Order) -> Candidate | Unmergeable:
    """Merge all parts in their order, or say which one does not merge. Raises as `merge` does."""
    onto, tree = order.target, order.target
    steps: list[Step] = []
    for part in order.parts:
        merged = merge(hub, onto, part.tip)
        if isinstance(merged, Conflict):
            return Unmergeable(tip=part.tip, onto=onto, paths=merged.paths)
        changes = tree_diff.between(hub.git, tree, merged.tree)
        findings, surface = _judged(hub, order, part, old=tree, new=merged.tree, changes=changes)
        onto = _commit(hub, order, part, onto=onto, tree=merged.tree) if changes else onto
        tree = merged.tree
        steps.append(Step(part.tip, onto, tree, changes, findings, surface))
    hub.pin({order.pin: onto})
    if not steps:
        tree = hub.git.run("rev-parse", "--verify", f"{onto}^{{tree}}").text
    is_disjoint = order.since is not None and _is_disjoint(hub, order, order.since, steps)
    return Candidate(commit=onto, tree=tree, steps=tuple(steps), is_disjoint=is_disjoint)


def _is_disjoint(hub: Hub, order: Order, since: str, steps: Sequence[Step]) -> bool:
    gained = {change.path for change in tree_diff.between(hub.git, since, order.target)}
    return gained.isdisjoint(change.path for step in steps for change in step.changes)


def _commit(hub: Hub, order: Order, part: Part, *, onto: str, tree: str) -> str:
    return commit_tree(
        hub.git,
        tree,
        parents=(onto, part.tip) if order.style is Style.MERGE else (onto,),
        message=with_trailers(part.message, part.trailers),
        author=order.author,
        committer=order.committer,
    )


def _judged(
    hub: Hub, order: Order, part: Part, *, old: str, new: str, changes: Sequence[Change]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """What is wrong with one merged change, and what of its own judges it changed with leave."""
    git = hub.git
    shown, refused = _surface(git, part, old, changes)
    findings = (
        *_out_of_scope(git, part, old, new, changes),
        *refused,
        *_mismatched(git, part, new, changes),
        *links.escaping(git, old, new, changes),
        *hazards.collisions(git, new, changes),
        *hazards.missing_submodule_commits(hub, new, changes, _place(order)),
        *hazards.mass_mode_change(changes),
        *hazards.rewritten_line_endings(git, old, new, changes),
    )
    return findings, shown


def _mismatched(git: Git, part: Part, new: str, changes: Sequence[Change]) -> Iterator[Finding]:
    """Hold the report against the change; the tree is asked for what may be prose."""
    changed = {change.path for change in changes}
    asked = in_question(part.claims, changed)
    there = tree_diff.tree_entries(git, new, below=asked) if asked else {}
    for each in mismatches(part.claims, changed, there):
        yield Finding(REPORT_MISMATCH, each.path, each.detail)


def _place(order: Order) -> Place:
    """Name the places of the user's submodules, as far as the order does."""
    if order.common_dir is None:
        return Place(os.devnull, ())
    if order.checkout is None:
        return Place(os.devnull, (order.common_dir,))
    return Place.of(order.checkout, order.common_dir)


def _out_of_scope(
    git: Git, part: Part, old: str, new: str, changes: Sequence[Change]
) -> tuple[Finding, ...]:
    """Judge the scope; the tree's links are read only to explain what lies outside."""
    from tidegate.git import scope  # noqa: PLC0415 - most of a candidate's imports; a fork has them

    patterns, leave = part.footprint or (), part.leave or ()
    found = scope.out_of_scope(changes, patterns, leave=leave, led_by={})
    if found and patterns:
        entries = tree_diff.tree_entries(git, new, mode=LINK, below=scope.places(patterns))
        leading = links.resolved(links.texts(git, entries))
        found = scope.out_of_scope(changes, patterns, leave=leave, led_by=leading)
    return (*found, *scope.mass_deletion(git, old, changes, leave))


def _surface(
    git: Git, part: Part, old: str, changes: Sequence[Change]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """What the change does to the tests and the check: with leave of its owner, and without."""
    if not changes:
        return (), ()
    from tidegate.git import scope, surface  # noqa: PLC0415 - as above

    found = surface.changed(git, old, changes, named=part.gate_files)
    return scope.permitted(found, part.leave or ())
