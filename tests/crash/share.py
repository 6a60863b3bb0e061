"""How much of a proof is done: all of it with TIDEGATE_PROVE=full, else a share that is said."""

import os

VARIABLE = "TIDEGATE_PROVE"
CUTS = 100
"""Power cuts on each file system where all is to be proved."""


def is_full() -> bool:
    """Whether everything is to be proved, however long it takes."""
    return os.environ.get(VARIABLE) == "full"


def share(count: int) -> int | None:
    """At how many points to interrupt; None for all of them."""
    return None if is_full() else count
