"""The attacks that a verifier tries: picked for each round, recorded, and never left to it. Pure.

A list that is always the same is soon written around, and one that is drawn by chance cannot be
read afterwards. So they are taken in turn, round by round (seed 000, line 27).
"""

from collections.abc import Sequence

ATTACKS: Sequence[str] = (
    "Name what the issue asks for, point by point, and find the point that the change leaves out.",
    "Run the new tests against the code from before the change: one that passes proves nothing.",
    "Break one line of the change on purpose: a test must fail, and it is named here.",
    "Give it the empty, the largest, the doubled and the malformed input of its kind.",
    "Do the same thing twice, and two at once: nothing may be lost, doubled or half done.",
    "Let what it depends on fail in the middle: a full disk, a closed file, a missing program.",
    "Look for callers of what was changed, and for the one whose assumption no longer holds.",
    "Read every test that was changed or removed, and say what it no longer guards.",
    "Find what the change does that the issue does not ask for.",
    "Follow its errors to the person who reads them: what, where, and what to do now.",
)
"""What comes with the package; `[roles.verify] attacks` takes their place."""

A_ROUND = 4
"""More make a verifier skim: of a long list it does the first and the last."""


def pick(attacks: Sequence[str], *, verifications: int) -> tuple[str, ...]:
    """The attacks of the next verification, after so many: the next few of the list, in turn."""
    count = min(A_ROUND, len(attacks))
    first = verifications * count
    return tuple(attacks[(first + place) % len(attacks)] for place in range(count))
