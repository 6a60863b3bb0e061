"""The facts of a lane's rulings, and of what is said before its work begins. See `events`."""

from tidegate.core.records import record
from tidegate.core.values import About, Refusal, Ruling


@record
class Adjudicated:
    """An adjudicator said whether the issue is to be built, with what it expects to change.

    `kind` is set where it refuses, `asks` where only the owner can say; `fixture` names what will
    prove the change.
    """

    attempt: str
    kind: Refusal | None
    footprint: tuple[str, ...]
    fixture: str
    report_digest: str
    reason: str = ""
    asks: bool = False


@record
class Reserved:
    """The lane holds these paths until it is over or waits for its owner.

    Reservations order and do not refuse: another lane that expects to change one waits.
    """

    footprint: tuple[str, ...]


@record
class Released:
    """What the lane held is free again, before its end."""

    reason: str


@record
class Ruled:
    """The run decided what a verdict leads to. A PASS that is ruled is queued for landing."""

    attempt: str
    ruling: Ruling
    by: str
    tree: str


@record
class Asked:
    """A question was put to the owner: the recommended option first, `defer` last.

    The lane waits, and holds neither a slot nor paths meanwhile. `detail_digest` is a stored text
    that says more.
    """

    attempt: str
    question: str
    about: About
    options: tuple[str, ...]
    detail_digest: str | None


@record
class Answered:
    """The owner answered. It binds this run alone; `words_digest` is what they said with it."""

    attempt: str
    question: str
    answer: str
    by: str
    words_digest: str | None


@record
class Vetoed:
    """A ruling against a PASS: a finite list, which counts as the round's FAIL (seed 000)."""

    attempt: str
    items: int
    finding_digest: str
    by: str


@record
class StopAsked:
    """The owner wishes the lane to end."""

    reason: str
    by: str
