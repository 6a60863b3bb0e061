"""Every limit and deadline of a run, by name. A run freezes its policy at its start.

Sources: seed 000 (three FAILs), seed 002 lines 247 (5, 25 and 35 minutes), 254 (one replacement),
293 (60 s heartbeat, stale after two missed, 30 s for a stop to be acknowledged), 358 (a check at
least every ten minutes). Where a default differs from a seed's the field says why.
"""

from dataclasses import field

from tidegate.core.records import record
from tidegate.core.values import Role


@record
class Deadlines:
    """How long things may take, in seconds of active time."""

    heartbeat_s: float = 60.0
    missed_beats_max: int = 2
    checkpoint_s: float = 300.0
    attempt_s: float = 1500.0
    parent_s: float = 2100.0
    checkpoint_build_s: float = 86_400.0
    """After so long a builder without a commit is stopped as stale. Seed 002 (line 306) asks it of
    reports, after five minutes; an honest builder's first commit may well be its last, so it is
    longer than a build may take until somebody makes it shorter."""
    build_s: float = 5400.0
    """One turn of a builder. Seed 003 measured 37.9 minutes at the 75th percentile, so the 25
    minutes that seed 002 gives a report would cut off a quarter of honest builds."""
    check_s: float = 1800.0
    adjudicate_s: float = 900.0
    """One turn of an adjudicator; seed 003 measured 3.4 minutes at the 75th percentile."""
    verify_s: float = 1800.0
    """One turn of a verifier; seed 003 measured 10 minutes at the 75th percentile."""
    setup_s: float = 900.0
    job_s: float = 600.0
    """One job of the engine itself: a checkout, a harvest, a removal."""
    retry_s: float = 5.0
    """From the first failure of a job to the next try; four times as long after each further one.
    A lock of git's or a full disk is often gone by then; without a pause it would end the lane."""
    stop_ack_s: float = 30.0
    term_grace_s: float = 10.0
    start_s: float = 5.0
    """From the start of a runner until it must hold its lock."""
    checkpoint_look_s: float = 2.0
    """How often a builder that has none is looked at for its first commit."""
    monitor_s: float = 600.0

    def of_role(self, role: Role) -> float:
        """How long one turn of a role may take."""
        match role:
            case Role.ADJUDICATE:
                return self.adjudicate_s
            case Role.BUILD:
                return self.build_s
            case Role.CHECK:
                return self.check_s
            case Role.VERIFY:
                return self.verify_s

    @property
    def beat_s(self) -> float:
        """Three beats for each renewal of a lease: one that comes late costs nothing."""
        return self.heartbeat_s / 3

    @property
    def silence_max_s(self) -> float:
        """How long a turn may give no sign of life until it is stale."""
        return self.heartbeat_s * self.missed_beats_max

    @property
    def stop_max_s(self) -> float:
        """From a request to end until a runner that heard it must be gone.

        It may take its agent's grace, and as long for the sweep as to hear and to be gone.
        """
        return self.term_grace_s + 2 * self.stop_ack_s

    @property
    def lease_s(self) -> float:
        """A lease outlives the beats that may be missed, and one more."""
        return self.heartbeat_s * (self.missed_beats_max + 1)


@record
class Limits:
    """How often things may happen before the lane or the run stops and asks."""

    fails_max: int = 3
    replacements_max: int = 1
    conflicts_max: int = 3
    overtakes_max: int = 1
    """How often others may land while a lane answers a conflict; then the landing queue waits for
    it, so that it is stopped only for a conflict that it could not resolve."""
    infra_max: int = 3
    check_reruns_max: int = 1
    width: int = 2
    output_max_bytes: int = 200_000_000
    disk_floor_bytes: int = 1_000_000_000
    finding_max_bytes: int = 16_384
    """How much of a failed command's output goes to the builder verbatim: its end."""
    steps_per_tick_max: int = 64
    tick_budget_ms: int = 250


@record
class Policy:
    """What a run is held to."""

    deadlines: Deadlines = field(default_factory=Deadlines)
    limits: Limits = field(default_factory=Limits)
