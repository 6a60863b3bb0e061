"""What a simulated world is made of, and how its repository is configured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.sim.builders import Deed
from tests.sim.faults import Odds
from tests.sim.judges import Words
from tidegate.verbs.start import RunWish

CONFIGURATION = """
[run]
width = 2
[check]
command = "check"
timeout_s = 150
[roles.build]
command = "agent"
timeout_s = 600
[limits]
infra_max = 4
conflicts_max = 2
[deadlines]
heartbeat_s = 40
checkpoint_look_s = 20
retry_s = 1
"""
HEARTBEAT_S = 40.0
LEASE_S = 120.0
"""With the heartbeat above: what a missed beat or two leave of a lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a world is made of. `deeds` are the turns of each issue's builders, in order."""

    deeds: Mapping[str, Sequence[Deed]]
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    footprints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    """What adjudicators and verifiers say of each issue, in order."""
    adjudicates: bool = False
    verifies: bool = False
    asks_owner: bool = False
    added_s: Mapping[str, float] = field(default_factory=dict)
    """When an issue is added, where that is not before the run."""
    wish: RunWish = field(default_factory=RunWish)
    """What the user wants of the queue."""
    width: int = 2
    odds: Odds = field(default_factory=Odds)
    calm_at_s: float = 0.0
    pause_s: float = 3 * LEASE_S
    deaths_max: int = 12
    configuration: str = CONFIGURATION

    @property
    def written(self) -> str:
        """The whole configuration, with who judges and who rules."""
        roles = [
            f'[roles.{name}]\nagent = "shell"\ncommand = "agent"\ntimeout_s = 300\n'
            for name, is_on in (("adjudicate", self.adjudicates), ("verify", self.verifies))
            if is_on
        ]
        ruling = ['[ruling]\nmode = "owner"\n'] if self.asks_owner else []
        return "".join([self.configuration, *roles, *ruling])
