"""The closed lists of values that stand beside an attempt's state.

They are separate on purpose (seed 002, line 261): that a report exists says nothing about what it
is worth, and what it is worth authorizes nothing.
"""

from enum import StrEnum


class Role(StrEnum):
    """A duty that an agent, or the check command, fills."""

    BUILD = "build"
    ADJUDICATE = "adjudicate"
    CHECK = "check"
    VERIFY = "verify"


class Refusal(StrEnum):
    """Why an issue is not built (seed 000's kinds, and what a stale issue adds to them)."""

    UNSTATED = "unstated"
    """Nothing in it says what is to be so afterwards."""
    OTHERWISE = "otherwise"
    """It is better done another way, which the reason names."""
    DONE = "done"
    """It is so already, or the issue itself allows that nothing be done."""
    STALE = "stale"
    """What it takes for granted is no longer so; the reason says what has changed."""
    TOO_WIDE = "too_wide"
    """It is several changes, each of which wants an issue of its own."""
    CLAIMED = "claimed"
    """Somebody else works on it."""
    OTHER = "other"
    """None of these."""


class Ruling(StrEnum):
    """What the run, or its owner, decides of a lane."""

    BUILD = "build"
    """It is built, although the adjudicator would not."""
    REFUSE = "refuse"
    LAND = "land"
    AGAIN = "again"
    """One more round, after the last that the limits allow."""
    STOP = "stop"


class About(StrEnum):
    """What a question to the owner is about."""

    REFUSAL = "refusal"
    LANDING = "landing"
    STOP = "stop"
    ISSUE = "issue"
    """The adjudicator asks what only the owner knows."""


DEFER = "defer"
"""The last option of every question: not now. It is listed at the end of the run."""


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
    FLAKY = "FLAKY"
    """The very same tree failed and passed: no fault of a builder's, and no PASS either."""


LANDABLE = frozenset({Verdict.PASS, Verdict.FLAKY})
"""What a change may land with. That it is flaky is recorded and told, and is never carried over."""


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
