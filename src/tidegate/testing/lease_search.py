"""All that can happen to leases, breadth first: what goes wrong is shown by its shortest way.

States that differ only in which worker is which, or in which lease is which, are taken for one: no
rule asks for a name, save to compare it. A search that is to show a way keeps them apart.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from tidegate.core.records import record
from tidegate.testing.lease_model import (
    FENCE,
    NOBODY,
    WORKERS,
    Judge,
    Key,
    Keys,
    Message,
    Rules,
    arrive,
    fault,
    in_the_air,
    tick,
)

Step = tuple[int, Message] | None
"""A message that arrives at a lease, by its place; None is a tick of the clock."""


@record
class Found:
    """How far a search went; `fault` is what went wrong first, and `way` the shortest way to it."""

    states: int
    arrivals: int
    refusals: int
    fault: str = ""
    way: tuple[str, ...] = ()


class _Lease(NamedTuple):
    """What becomes of a lease that is as its number says: each state of one has a number."""

    key: Key
    later: int
    """What it is after a tick of the clock."""
    changes: tuple[tuple[Message, int, int], ...]
    """The messages that change something, what it is then, and how many epochs that began."""
    arrivals: int
    fault: tuple[str, Message] | None


State = tuple[int, ...]


class Search:
    """Every state in which no more than so many epochs were begun, all leases together."""

    def __init__(
        self,
        rules: Rules,
        *,
        epochs: int,
        keys: int = 2,
        workers: int = WORKERS,
        is_folded: bool = True,
        judge: Judge = fault,
    ) -> None:
        """`is_folded`: states that differ in names alone are one."""
        self._judge = judge
        self._rules, self._epochs, self._workers = rules, epochs, workers
        self._is_folded = is_folded
        self._numbers: dict[Key, int] = {}
        self._keys: list[Key] = []
        self._leases: dict[int, _Lease] = {}
        self._names: dict[int, tuple[int, ...]] = {}
        self._start: State = (self._number(Key()),) * keys
        self._came_from: dict[State, tuple[State, Step] | None] = {self._start: None}
        self._arrivals = 0
        self._refusals = 0

    def run(self) -> Found:
        """Go on until there is no state that was not seen, or one in which something is wrong."""
        edge = [self._start]
        while edge:
            following: list[State] = []
            for state in edge:
                leases = [self._leases.get(number) or self._look(number) for number in state]
                if (wrong := self._count(leases)) is not None:
                    what, step = wrong
                    return self._found(what, (*self._way(state), step))
                for step, after in self._after(state, leases):
                    named = self._named(after) if self._is_folded else after
                    if named not in self._came_from:
                        self._came_from[named] = (state, step)
                        following.append(named)
            edge = following
        return self._found("", ())

    def states(self) -> set[Keys]:
        """All that were reached."""
        return {tuple(self._keys[number] for number in state) for state in self._came_from}

    def spread(self) -> set[Keys]:
        """All that were reached, under every name that they could have."""
        return {
            tuple(_under(key, order) for key in keys)
            for state in self.states()
            for order in permutations(range(self._workers))
            for keys in permutations(state)
        }

    def _count(self, leases: list[_Lease]) -> tuple[str, Step] | None:
        """Count what arrives in a state; the first fault among it."""
        for place, lease in enumerate(leases):
            self._arrivals += lease.arrivals
            self._refusals += lease.arrivals - len(lease.changes)
            if lease.fault is not None:
                what, message = lease.fault
                return what, (place, message)
        return None

    def _after(self, state: State, leases: list[_Lease]) -> Iterator[tuple[Step, State]]:
        if any(lease.key.left for lease in leases):
            yield None, tuple(lease.later for lease in leases)
        room = self._epochs - sum(len(lease.key.grants) for lease in leases)
        for place, lease in enumerate(leases):
            for message, after, begun in lease.changes:
                if begun <= room:
                    yield (place, message), (*state[:place], after, *state[place + 1 :])

    def _look(self, number: int) -> _Lease:
        """Have everything arrive at a lease once, by the rules, and judge what comes of it."""
        key = self._keys[number]
        changes = []
        messages = list(in_the_air(key, self._workers))
        for message in messages:
            after = arrive(self._rules, key, message)
            if (wrong := self._judge(key, message, after)) is not None:
                return _Lease(key, number, (), len(messages), (wrong, message))
            if after is not None:
                begun = len(after.grants) - len(key.grants)
                changes.append((message, self._number(after), begun))
        later = self._number(tick(key))
        made = self._leases[number] = _Lease(key, later, tuple(changes), len(messages), None)
        return made

    def _number(self, key: Key) -> int:
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def _named(self, state: State) -> State:
        """The same state under other names: the one that all have which differ in names alone."""
        names = [self._names.get(number) or self._rename(number) for number in state]
        return min(tuple(sorted(under)) for under in zip(*names, strict=True))

    def _rename(self, number: int) -> tuple[int, ...]:
        """The lease under each order of the workers."""
        key = self._keys[number]
        orders = permutations(range(self._workers))
        made = self._names[number] = tuple(self._number(_under(key, order)) for order in orders)
        return made

    def _way(self, state: State) -> tuple[Step, ...]:
        steps: list[Step] = []
        while (before := self._came_from[state]) is not None:
            state, step = before
            steps.append(step)
        return tuple(reversed(steps))

    def _found(self, what: str, way: tuple[Step, ...]) -> Found:
        return Found(
            states=len(self._came_from),
            arrivals=self._arrivals,
            refusals=self._refusals,
            fault=what,
            way=tuple(_told(step) for step in way),
        )


def _under(key: Key, order: tuple[int, ...]) -> Key:
    grants = tuple(
        (epoch, worker if worker == FENCE else order[worker]) for epoch, worker in key.grants
    )
    holder = key.holder if key.holder == NOBODY else order[key.holder]
    return key._replace(grants=grants, holder=holder)


def _told(step: Step) -> str:
    """A step in words."""
    if step is None:
        return "the clock ticks"
    place, (kind, worker, epoch) = step
    who = "the controller" if worker == FENCE or kind == "fence" else f"worker {'ABC'[worker]}"
    lease = f"lease {place + 1}"
    match kind:
        case "acquire":
            return f"{who} asks for {lease}, of which it had read epoch {epoch}"
        case "renew":
            return f"{who}'s renewal of {lease} under epoch {epoch} arrives"
        case "write":
            return f"{who}'s write to {lease} under epoch {epoch} arrives"
        case "release":
            return f"{who} gives back {lease} under epoch {epoch}"
        case _:
            return f"{who} fences {lease} at epoch {epoch}"
