"""The owner's standing words on an issue: they bind all later runs, and the last one wins.

A word says whether an issue may be taken at all; what came of it is a run's to say. So `open` sets
aside every outcome that is older than it, and none that is newer.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from tidegate.core.records import record


class Word(StrEnum):
    """What an owner may say. All but `open` keep an issue back until `open` is said."""

    OPEN = "open"
    GATED = "gated"
    DEFERRED = "deferred"
    REFUSED = "refused"


@record
class Spoken:
    """A word as it is recorded. `after_sequence` is the newest event's when it was said."""

    sequence: int
    issue: str
    word: Word
    reason: str
    actor: str
    utc: str
    after_sequence: int


def last_words(spoken: Iterable[Spoken]) -> Mapping[str, Spoken]:
    """The word that counts for each issue, of words in the order in which they were said."""
    return {each.issue: each for each in spoken}
