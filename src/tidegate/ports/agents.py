"""What an agent adapter must say: how to start the program, and what its end means.

An adapter starts nothing and writes nothing outside the turn folder it is given. A further agent
is one file with these three functions and one line in the registry (or an entry point).
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from tidegate.core.records import record
from tidegate.ports.runners import Exit


@record
class Brief:
    """All that an agent is told for one turn. It is written as ``brief.json`` and as the prompt."""

    run: str
    lane: str
    attempt: str
    turn: int
    round: int
    role: str
    issue: str
    title: str
    text: str
    base: str
    target: str
    footprint: tuple[str, ...]
    finding: str | None
    finding_kind: str
    """`fail` for what a check or the controller found, `conflict` for what no longer merges: `base`
    is then the commit to merge. Empty where there is no finding."""
    checkpoint_s: float
    deadline_s: float
    report_path: str
    commit: str = ""
    """The commit that is judged; empty for a builder, who makes one."""
    fixture: str = ""
    """What will prove the change, as an adjudicator expects it."""
    attacks: tuple[str, ...] = ()
    """What a verifier is to try in this round."""
    owner_words: tuple[str, ...] = ()
    """What the owner answered when they were asked."""


OFF = "off"
"""The agent of a role that is not filled."""


@record
class RoleSettings:
    """How one role is filled: which agent, with which command, told what, for how long."""

    agent: str
    command: str | None
    prompt: str
    timeout_s: float
    attacks: tuple[str, ...] = ()
    """What a verifier is given to try, a few in each round; empty for those of the package."""

    @property
    def is_off(self) -> bool:
        """Nobody fills the role: the run goes on without it."""
        return self.agent == OFF


@record
class Place:
    """The absolute paths of one turn. `staging` is the only folder an agent writes for us."""

    folder: str
    staging: str
    workspace: str
    brief: str
    prompt: str
    finding: str
    report: str


@record
class Start:
    """A process to run. `env` is laid over the allowed part of the user's environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    stdin_path: str | None = None


@record
class Result:
    """What a turn's end means. `report` is the agent's own text, or one made for it.

    `failure` is None where the agent finished its work as far as anyone can tell; otherwise what
    went wrong, in words for the builder's next turn. `is_external` marks an end that is not the
    agent's doing (killed from outside, could not be started): it costs no round.
    """

    report: str
    failure: str | None
    is_external: bool


class Agent(Protocol):
    """A program that fills roles."""

    name: str

    def preflight(self, settings: RoleSettings, *, path: str) -> str | None:
        """What is missing before a turn could start, in one line with its remedy; else None."""
        ...

    def start(self, brief: Brief, place: Place, settings: RoleSettings) -> Start:
        """The command line and environment for a turn. The prompt goes by file, never by argv."""
        ...

    def result(self, place: Place, exit: Exit, *, tail: str) -> Result:  # noqa: A002 - the runner's word for how it ended
        """Read what the turn left in its folder. `tail` is the end of its output, as text."""
        ...
