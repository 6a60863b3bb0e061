"""What the world can answer when a plan asks it for an effect, in the words of the stories.

`MAY_ANSWER` is the whole list for each effect, the harmless answer first: stories name the answers
that matter to them, random walks draw from it, and what is not said goes well. A `target` is a
check of what the change is merged onto, after it has failed itself.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from tidegate.core import effects as f


class Answer(StrEnum):
    """One thing that can come of an effect."""

    # a turn, of a builder, a check, an adjudicator or a verifier
    WORKS = "a builder changes something and exits with 0"
    EMPTY = "a builder changes nothing"
    UNCHANGED = "a builder leaves the tree as it was judged"
    BREAKS_OFF = "a builder exits with 1, with half a change"
    PASSES = "a check exits with 0, a verifier says PASS"
    FAILS = "a check exits with 1, a verifier says FAIL"
    BUILDS = "an adjudicator says BUILD"
    REFUSES = "an adjudicator says REFUSE"
    ASKS = "an adjudicator asks the owner"
    SAYS_NOTHING = "an agent that judges says nothing that can be read"
    TAMPERS = "a verifier changes what it judges"
    DEADLINE = "the runner ended it at its deadline"
    FLOODS = "the runner ended it for its output"
    LOST = "the runner died without a word"
    VANISHED = "the runner died before anybody saw it run"
    KILLED = "somebody else ended it by a signal"
    INTERRUPTED = "it was asked to stop because the run was"
    NOT_STARTED = "the program could not be started"
    FENCED = "its runner came too late to begin"
    VIOLATES = "a builder wrote outside its workspace"

    # everything else
    DONE = "it is done"
    JOB_FAILS = "the engine's own work failed"
    NOT_YET = "there is nothing to be seen yet"
    CLEAN = "it merges"
    CONFLICTS = "it does not merge"
    NOTHING_LEFT = "it merges, and nothing is left of it"
    ELSEWHERE = "the target was somewhere else"


Choose = Callable[[str, Sequence[Answer]], Answer]
"""Picks one of the answers that are possible now; the first is harmless."""

_A = Answer
_ENDS = (
    _A.DEADLINE,
    _A.FLOODS,
    _A.LOST,
    _A.VANISHED,
    _A.KILLED,
    _A.INTERRUPTED,
    _A.NOT_STARTED,
    _A.FENCED,
)

MAY_ANSWER: Mapping[str, Sequence[Answer]] = {
    "build": (_A.WORKS, _A.EMPTY, _A.UNCHANGED, _A.BREAKS_OFF, _A.VIOLATES, *_ENDS),
    "check": (_A.PASSES, _A.FAILS, *_ENDS),
    "target": (_A.PASSES, _A.FAILS, *_ENDS),
    "adjudicate": (_A.BUILDS, _A.REFUSES, _A.ASKS, _A.SAYS_NOTHING, _A.BREAKS_OFF, *_ENDS),
    "verify": (
        _A.PASSES,
        _A.FAILS,
        _A.SAYS_NOTHING,
        _A.TAMPERS,
        _A.BREAKS_OFF,
        _A.VIOLATES,
        *_ENDS,
    ),
    "stop": (_A.INTERRUPTED, _A.DONE),
    "prepare": (_A.DONE, _A.JOB_FAILS),
    "checkpoint": (_A.NOT_YET, _A.DONE),
    "harvest": (_A.DONE, _A.JOB_FAILS),
    "promote": (_A.DONE,),
    "merge": (_A.CLEAN, _A.CONFLICTS, _A.NOTHING_LEFT, _A.JOB_FAILS),
    "land": (_A.DONE, _A.ELSEWHERE, _A.JOB_FAILS),
    "remove": (_A.DONE, _A.JOB_FAILS),
    "evict": (_A.DONE, _A.JOB_FAILS),
}

NEVER_RAN = frozenset({_A.NOT_STARTED, _A.FENCED})
EXTERNAL = NEVER_RAN | {_A.KILLED, _A.INTERRUPTED}
HOW: Mapping[Answer, str] = {
    _A.DEADLINE: "deadline",
    _A.FLOODS: "output_cap",
    _A.LOST: "lost",
    _A.VANISHED: "lost",
    _A.INTERRUPTED: "stopped",
    _A.NOT_STARTED: "not_started",
    _A.FENCED: "fenced",
}
"""The runner's word for an end; whatever is not here exited by itself."""


def kind_of(effect: f.Effect) -> str:
    """The name of an effect, as `MAY_ANSWER` has it; a turn's depends on its role."""
    return type(effect).__name__.lower()


def scripted(script: Mapping[str, Sequence[Answer]]) -> Choose:
    """Give each kind of effect its answers in order; once they are used up, the harmless one."""
    left = {kind: list(answers) for kind, answers in script.items()}

    def choose(kind: str, possible: Sequence[Answer]) -> Answer:
        answer = left[kind].pop(0) if left.get(kind) else possible[0]
        assert answer in possible, f"{kind} cannot be answered by: {answer}"
        return answer

    return choose
