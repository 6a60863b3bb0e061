"""What a controller remembers of its watch over processes between two ticks."""

from dataclasses import dataclass, field

from tidegate.core.clock import Reading
from tidegate.ports.runners import Running


@dataclass(slots=True)
class Watch:
    """All of it is made anew by the next controller. Times are of the monotonic clock."""

    anchor: Reading | None = None
    """The clocks as they were trusted last; None before the first tick."""
    doubted: Reading | None = None
    """The newest reading, where it contradicts the one that was trusted."""
    last_tick_s: float | None = None
    trusted_from_s: float = -1.0
    """Lanes do not advance before: the clocks contradicted each other a moment ago."""
    acts_from_s: float = -1.0
    """The monitor does nothing before: signs of life may be on their way."""
    round_due_s: float | None = None
    """When everything is observed again; None before the first round."""
    unrecovered: set[str] = field(default_factory=set)
    """Attempts that were open at the take-over, and of which it is not said yet what they did."""
    running: dict[str, Running] = field(default_factory=dict)
    """What was seen of each folder with a runner at work, in this tick."""
    since_s: dict[str, float] = field(default_factory=dict)
    """When this controller first saw a runner at work in a folder."""
    stop_asked_s: dict[str, float] = field(default_factory=dict)
    """When a runner was asked to end."""
    stale_writes: dict[str, int] = field(default_factory=dict)
    """How often something of an attempt was refused for its epoch."""
    unproved: set[str] = field(default_factory=set)
    """Folders that were given up, and of which it is not known that nothing lives of them."""
    due: set[str] = field(default_factory=set)
    """Those of them that this tick looks into."""
    clinging: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """What lived of them when all of it was ended, and would not die."""
    empty: set[str] = field(default_factory=set)
    """Folders that were given up, and of which nothing lives."""

    def begin(self) -> None:
        """A tick begins: what runs is seen afresh."""
        self.running.clear()
        self.due = set(self.unproved)

    def saw(self, folder: str, sighting: Running, now_s: float) -> None:
        """A runner is at work in a folder."""
        self.running[folder] = sighting
        self.since_s.setdefault(folder, now_s)

    def end(self) -> None:
        """A tick ends: what was not seen at work any more is forgotten.

        A request that nobody could hear yet is made again by whoever wishes it.
        """
        for known in (self.since_s, self.stop_asked_s):
            for folder in known.keys() - self.running.keys():
                del known[folder]
