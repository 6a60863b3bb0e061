"""What a benchmark found: rows of rounds, each round with both sides, and how they compare.

A comparison is made round by round and its median is shown, so that what disturbs the machine for
a moment meets both sides of a round. Nothing is measured here.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

AT_MOST, AT_LEAST = "<=", ">="


class Kind(StrEnum):
    """What a row says of its two sides."""

    RATIO = "ratio"
    """Ours divided by the other."""
    DIFFERENCE = "difference"
    """Ours less the other, in the row's unit."""
    OURS = "ours"
    """Ours alone; the other side is shown where there is one, and not compared."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What the comparison should be: `AT_MOST` or `AT_LEAST` so much."""

    bound: str
    limit: float

    def is_met(self, value: float) -> bool:
        """Whether a value is within the bound."""
        return value <= self.limit if self.bound == AT_MOST else value >= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure: a value a round of ours, and of the other side where there is one."""

    what: str
    unit: str
    ours: Sequence[float]
    other: Sequence[float] = ()
    kind: Kind = Kind.RATIO
    goal: Goal | None = None

    @property
    def compared(self) -> Sequence[float]:
        """The comparison, round by round."""
        match self.kind:
            case Kind.RATIO:
                return [ours / other for ours, other in zip(self.ours, self.other, strict=True)]
            case Kind.DIFFERENCE:
                return [ours - other for ours, other in zip(self.ours, self.other, strict=True)]
            case Kind.OURS:
                return self.ours

    @property
    def value(self) -> float:
        """What the goal is held against."""
        return statistics.median(self.compared)

    @property
    def is_met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        return None if self.goal is None else self.goal.is_met(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All figures of one benchmark. `ours` and `other` are the heads of their columns."""

    name: str
    title: str
    ours: str
    other: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    is_long: bool = False
    """Taken with the sample sizes of the published figures."""

    def missed(self) -> Iterator[Row]:
        """The rows whose goal is not met."""
        return (row for row in self.rows if row.is_met is False)
