"""The facts of supervision: what was recovered, seen, done about it, and refused. See `events`."""

from enum import StrEnum

from tidegate.core.clock import Trust
from tidegate.core.liveness import Action, Classification, Lapse
from tidegate.core.records import record
from tidegate.core.stop_matrix import Condition, Severity


class Recovery(StrEnum):
    """What a controller that came back found of an open attempt."""

    ADOPTED = "adopted"
    """Its runner lives, and goes on under this controller."""
    FINISHED = "finished"
    """It ended meanwhile, and its runner wrote how."""
    INTERRUPTED = "interrupted"
    """Its runner died without a word."""
    WAITING = "waiting"
    """Nothing of it was running: its next step is taken as if nothing had happened."""


# --- a lane's stream --------------------------------------------------------------------------


@record
class Recovered:
    """What became of an open attempt while no controller was there. One for each take-over."""

    attempt: str
    outcome: Recovery
    controller_epoch: int


@record
class Observed:
    """What the monitor saw of an attempt, in the five fields of seed 002 (lines 360 to 364).

    Times are seconds awake. `progress` compares with the observation before; `key` names the
    intervention, where `action` is one. The last four are for people.
    """

    attempt: str
    state: str
    checkpoint: str | None
    lease_epoch: int
    deadline_utc: str | None
    classification: Classification
    beat_sequence: int
    output_bytes: int
    commit: str | None
    silent_s: float
    active_s: float
    progress: str
    action: Action
    key: str | None
    working: str
    not_working: str
    changed: str
    next: str


@record
class InterventionClaimed:
    """The monitor is about to act on a turn. It precedes the act, and its key is taken for good."""

    attempt: str
    turn: int
    key: str
    action: Action
    lapse: Lapse


@record
class StaleWriteRefused:
    """Something came under an epoch that is no longer the granted one: it changed nothing."""

    attempt: str
    turn: int
    what: str
    epoch: int
    granted: int


@record
class Quarantined:
    """A file that came after its turn was over is kept apart, and can be evidence of nothing."""

    attempt: str
    turn: int
    path: str
    file_digest: str


# --- the run's own stream ---------------------------------------------------------------------


@record
class ClockReconciled:
    """What lies between the clocks as they were recorded before and as they are read now.

    One at each controller's start, and one whenever they do not simply go on. The reading is the
    anchor of the next.
    """

    trust: Trust
    suspended_s: float
    stepped_s: float
    utc: str
    monotonic_s: float
    boottime_s: float
    boot_id: str


@record
class MonitorRan:
    """One round of the monitor over everything that is open; the next is due within `next_s`."""

    observed: int
    inconclusive: int
    next_s: float
    utc: str
    monotonic_s: float
    boottime_s: float
    boot_id: str


@record
class Decided:
    """A row of the stop matrix came true: what it means, who is to act, and on what evidence."""

    condition: Condition
    severity: Severity
    authority: str
    lane: str
    attempt: str | None
    evidence: str
    owner: str
    recovery: str
