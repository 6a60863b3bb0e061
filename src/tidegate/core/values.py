"""The closed lists of values that stand beside an attempt's state.

They are separate on purpose (seed 002, line 261): that a report exists says nothing about what it
is worth, and what it is worth authorizes nothing.
"""

from enum import StrEnum


class Role(StrEnum):
    """A duty that an agent, or the check command, fills."""

    BUILD = "build"
    CHECK = "check"


class ArtifactStatus(StrEnum):
    """What became of the file that an attempt owes."""

    NONE = "none"
    STAGED = "staged"
    PROMOTED = "promoted"
    QUARANTINED = "quarantined"
    MISSING = "missing"
    INVALID = "invalid"


class Independence(StrEnum):
    """Whether the author of a judgement is another than the author of what is judged."""

    INDEPENDENT = "independent"
    DEPENDENT = "dependent"
    FALLBACK = "fallback"
    UNKNOWN = "unknown"


class Worth(StrEnum):
    """The content, evidence and readiness verdicts."""

    UNKNOWN = "unknown"
    MEETS = "meets"
    MEETS_WITH_GAPS = "meets_with_gaps"
    NEEDS_FIXES = "needs_fixes"


class Authorization(StrEnum):
    """Whether the attempt's result may be acted on."""

    NONE = "none"
    GRANTED = "granted"
    WITHHELD = "withheld"


class Verdict(StrEnum):
    """What a check says of one exact tree."""

    PASS = "PASS"  # noqa: S105 - a verdict, no password
    FAIL = "FAIL"


class Cause(StrEnum):
    """Why an attempt takes another's place."""

    OWN = "own"
    """The old one died, ran out of time, or flooded its output. Seed 002: one replacement."""
    EXTERNAL = "external"
    """It was ended from outside or never got to run: nobody's fault, and with its own limit."""
    INTERRUPTED = "interrupted"
    """A person stopped the run. However often they do, it costs nothing."""


class Outcome(StrEnum):
    """How a lane ended."""

    LANDED = "landed"
    STOPPED = "stopped"
    REFUSED = "refused"
    ABANDONED = "abandoned"
    """A person ended the run before the lane was over: its issue is open again."""
