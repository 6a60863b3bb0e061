"""An agent whose turns are written down beforehand: one shell script for each round.

It is a real process in a real workspace, run by the real runner; only its words are given. Round
n runs the n-th script of the issue; the last one serves all further rounds.
"""

from collections.abc import Mapping, Sequence

from tidegate.core.records import record
from tidegate.ports.agents import Agent, Brief, Place, Result, RoleSettings, Start
from tidegate.ports.runners import Exit


@record(kw_only=False)
class ScriptedAgent:
    """`scripts` holds the shell texts of each issue; `reader` reads what a turn left."""

    scripts: Mapping[str, Sequence[str]]
    reader: Agent
    name: str = "scripted"

    def preflight(self, settings: RoleSettings, *, path: str) -> str | None:
        """A script needs nothing but a shell."""
        del settings, path
        return None

    def start(self, brief: Brief, place: Place, settings: RoleSettings) -> Start:
        """The script of this issue's round."""
        del settings
        rounds = self.scripts[brief.issue]
        text = rounds[min(brief.round, len(rounds)) - 1]
        return Start(argv=("/bin/sh", "-c", text), env={}, stdin_path=place.prompt)

    def result(self, place: Place, exit: Exit, *, tail: str) -> Result:  # noqa: A002 - the port's word
        """What the reader makes of it."""
        return self.reader.result(place, exit, tail=tail)
