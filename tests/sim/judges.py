"""Adjudicators and verifiers of a simulated world: what each says in its turn is written down."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.sim.git import FakeGit
from tests.sim.process import Ending, Script
from tidegate.core.values import Role
from tidegate.ports.agents import Brief, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What a judge does in one turn: its report, and what it leaves in its workspace."""

    says: str
    work_s: float = 20.0
    tampers: bool = False
    commits: bool = False
    breaches: bool = False
    ending: Ending = field(default_factory=lambda: Ending(code=0))


_PASS = "VERDICT: PASS\nNOT-CHECKED: other machines\n"
PASSES = Word(says=_PASS)
FAILS = Word(says="VERDICT: FAIL\n\nThe lock is not released.\n")
UNCLEAR = Word(says="VERDICT: PASS | FAIL\nNOT-CHECKED: other machines\n")
TAMPERS = Word(says=_PASS, tampers=True)
TAMPERS_AND_COMMITS = Word(says=_PASS, tampers=True, commits=True)
BREACHES = Word(says=_PASS, breaches=True)
BREAKS_OFF = Word(says="", ending=Ending(code=3))
BUILDS = Word(says="VERDICT: BUILD\nFIXTURE: a test of it\n")
REFUSES = Word(says="VERDICT: REFUSE\nKIND: otherwise\nREASON: there is a better way\n")
ASKS = Word(says="QUESTION: which one?\nOPTIONS: this | that\n")
SILENT = Word(says="I do not know.\n")

HARMLESS: Mapping[Role, Word] = {Role.VERIFY: PASSES, Role.ADJUDICATE: BUILDS}
Words = Mapping[Role, Mapping[str, Sequence[Word]]]


class Judges:
    """The programs of adjudicators and verifiers; what is not written down goes well."""

    def __init__(self, git: FakeGit, words: Words, *, passed: Callable[[str], None]) -> None:
        """`passed` is told of each commit that a verifier really passed."""
        self.begun: Counter[tuple[Role, str]] = Counter()
        self.briefs: list[Brief] = []
        self._git = git
        self._words = words
        self._passed = passed

    def program(self, brief: Brief, place: Place) -> Script:
        """The next word of this role on this issue."""
        key = (Role(brief.role), brief.issue)
        words = self._words.get(key[0], {}).get(brief.issue, ())
        place_of = self.begun[key]
        self.begun[key] += 1
        self.briefs.append(brief)
        word = words[place_of] if place_of < len(words) else HARMLESS[key[0]]
        return self._turn(word, brief, place)

    def _turn(self, word: Word, brief: Brief, place: Place) -> Script:
        workspace = self._git.workspaces[place.workspace]
        yield word.work_s * 0.6
        if word.tampers:
            workspace.files["mended"] = "good by its verifier"
        if word.commits:
            workspace.head = self._git.commit(workspace.files, (workspace.head,), "mend")
        if word.breaches:
            workspace.breaches.append("wrote outside of its workspace")
        yield word.work_s * 0.4
        if word.says:
            Path(place.report).write_text(word.says, encoding="utf-8")
        if word == PASSES:
            self._passed(brief.commit)
        return word.ending
