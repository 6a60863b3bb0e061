"""Who works in the workspaces: builders whose deeds are given beforehand, and the check.

A tree passes the check if no file in it is bad, and no two files clash. A builder writes one file
of its own and, where its issue wants that, one word into a file that all share.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.sim.git import FakeGit, Workspace
from tests.sim.judges import Judges
from tests.sim.objects import Clash, Tree
from tests.sim.process import Ending, Script
from tidegate.agents.shell import ShellAgent
from tidegate.core.values import Role
from tidegate.ports.agents import Brief, Place, Result, RoleSettings, Start
from tidegate.ports.runners import EndReason, Exit, RunnerSpec

AGENT = "agent"
SHARED = "shared"
FOR_EVER_S = 1e9
Write = Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What a builder does in one turn.

    `writes` is the first word of its file: `good`, `bad`, `clash:KEY`, `unfit` for what no tree may
    hold whatever the check says, or None to leave the file as it is.
    """

    writes: str | None = "good"
    shares: bool = False
    work_s: float = 60.0
    commits: str = "end"
    """`early` and at the end, at the `end`, or `never`: then the work lies there uncommitted."""
    ending: Ending = field(default_factory=lambda: Ending(code=0))
    reports: bool = True
    breaches: bool = False


GOOD = Deed()
BAD = Deed(writes="bad")
IDLE = Deed(writes=None)
HANGS = Deed(work_s=FOR_EVER_S)
GIVES_UP = Deed(ending=Ending(code=3), reports=False)
CANNOT_START = Deed(ending=Ending(reason=EndReason.NOT_STARTED, error="ENOENT: agent"))
FLOODS = Deed(ending=Ending(reason=EndReason.OUTPUT_CAP, signal=9))
BREACHES = Deed(breaches=True)


class Builders:
    """An agent (ports.agents.Agent) whose turns are written down, and the programs they are."""

    name = "scripted"

    def __init__(self, git: FakeGit, deeds: Mapping[str, Sequence[Deed]], judges: Judges) -> None:
        self.problem: str | None = None
        self.deeds = deeds
        self.begun: dict[str, int] = {}
        """How many turns of each issue were begun."""
        self.judges = judges
        self._git = git
        self._briefs: dict[str, tuple[Brief, Place]] = {}
        self._words = 0

    # --- the port ---------------------------------------------------------------------------

    def preflight(self, settings: RoleSettings, *, path: str) -> str | None:
        """What is missing."""
        del settings, path
        return self.problem

    def start(self, brief: Brief, place: Place, settings: RoleSettings) -> Start:
        """The command line of a turn."""
        del settings
        self._briefs[place.folder] = (brief, place)
        return Start(argv=(AGENT, place.folder), env={})

    def result(self, place: Place, exit: Exit, *, tail: str) -> Result:  # noqa: A002 - the port's word
        """What the turn's end means, as the shell agent reads it."""
        return ShellAgent().result(place, exit, tail=tail)

    # --- the programs -----------------------------------------------------------------------

    def program(self, spec: RunnerSpec) -> Script | Ending:
        """The next deed of this issue."""
        brief, place = self._briefs[spec.argv[1]]
        if brief.role != Role.BUILD:
            is_missing = self.problem is not None
            return CANNOT_START.ending if is_missing else self.judges.program(brief, place)
        deeds, count = self.deeds[brief.issue], self.begun.get(brief.issue, 0)
        self.begun[brief.issue] = count + 1
        deed = deeds[min(count, len(deeds) - 1)]
        if self.problem is not None:
            deed = CANNOT_START
        if deed.ending.reason is EndReason.NOT_STARTED:
            return deed.ending
        return self._turn(deed, brief, place)

    def _turn(self, deed: Deed, brief: Brief, place: Place) -> Script:
        workspace = self._git.workspaces[place.workspace]
        yield deed.work_s * 0.2
        if not self._git.objects.is_ancestor(brief.base, workspace.head):
            self._bring_onto(workspace, brief.base)
        if deed.writes is not None:
            workspace.files[f"own/{brief.issue}"] = f"{deed.writes} {self._word()}"
        if deed.commits == "early":
            self._commit(workspace, brief.title)
        yield deed.work_s * 0.5
        if deed.shares and deed.writes is not None:
            words = {*workspace.files.get(SHARED, "").split(), brief.issue}
            workspace.files[SHARED] = " ".join(sorted(words))
        if deed.commits != "never":
            self._commit(workspace, brief.title)
        if deed.breaches:
            workspace.breaches.append("wrote outside of its workspace")
        yield deed.work_s * 0.3
        if deed.reports:
            Path(place.report).write_text(f"VERDICT: done, {self._word()}\n", encoding="utf-8")
        return deed.ending

    def _bring_onto(self, workspace: Workspace, target: str) -> None:
        """Merge the target as a builder does that resolves conflicts by keeping both."""
        objects = self._git.objects
        self._commit(workspace, "before the merge")
        merged = objects.merge(target, workspace.head)
        if isinstance(merged, Clash):
            merged = _both(objects.tree(target), objects.tree(workspace.head))
        workspace.head = self._git.commit(merged, (workspace.head, target), "merge the target")
        workspace.files = dict(merged)

    def _commit(self, workspace: Workspace, subject: str) -> None:
        if workspace.files != self._git.objects.tree(workspace.head):
            workspace.head = self._git.commit(workspace.files, (workspace.head,), subject)

    def _word(self) -> str:
        self._words += 1
        return str(self._words)


def _both(one: Tree, other: Tree) -> Tree:
    shared = {*one.get(SHARED, "").split(), *other.get(SHARED, "").split()}
    return {**one, **other, SHARED: " ".join(sorted(shared))}


def is_green(tree: Tree) -> bool:
    """Whether a tree passes the check when the check is right."""
    words = [content.split()[0] for content in tree.values() if content]
    clashes = [word for word in words if word.startswith("clash")]
    return "bad" not in words and len(clashes) == len(set(clashes))
