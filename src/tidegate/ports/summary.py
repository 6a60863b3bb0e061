"""What one look at a run shows. It stands apart from the ledger's port, so that a reading command
need not load every kind of event for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """`lanes` counts by outcome (`open` where there is none), `attempts` by state.

    `open_lanes` has a row for each open lane with its current attempt: the newest that is not
    over, else the newest; the attempt's columns are None where there is none yet.
    """

    lanes: Mapping[str, int]
    attempts: Mapping[str, int]
    open_lanes: Sequence[Row]
