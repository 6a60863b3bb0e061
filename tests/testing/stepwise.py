"""The lease with workers that read, ask, pause, crash and come back, each as a step of its own.

It is slower than the search of `tidegate.testing`, which takes all that a worker could ever send to
be in the air, and must reach the very same states of a lease. Two workers and the controller, one
lease, one place in which a message waits until it is late.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

from tidegate.testing.lease_model import FENCE, Key, Message, Rules, arrive, tick

Outcome = Callable[[Key, Message], Key | None]


class Worker(NamedTuple):
    """What it knows: the epoch that it read last, and those under which it believes to act."""

    read: int | None = None
    believes: frozenset[int] = frozenset()


class World(NamedTuple):
    """A lease, its workers, what the controller has read, and the message that is under way."""

    key: Key
    workers: tuple[Worker, ...]
    controller: int | None = None
    late: Message | None = None


def reached(rules: Rules, *, workers: int, epochs: int) -> tuple[set[Key], int]:
    """The states of the lease that can be reached, and how many of the whole world."""
    outcome = cache(partial(arrive, rules))
    start = World(Key(), (Worker(),) * workers)
    seen, edge = {start}, [start]
    while edge:
        world = edge.pop()
        for after in _steps(outcome, world):
            if after not in seen and len(after.key.grants) <= epochs:
                seen.add(after)
                edge.append(after)
    return {world.key for world in seen}, len(seen)


def _steps(outcome: Outcome, world: World) -> Iterator[World]:
    yield world._replace(key=tick(world.key))
    yield world._replace(controller=world.key.epoch)
    if world.late is not None:
        yield world._replace(late=None)  # it is lost
        yield from _arrivals(outcome, world, world.late)  # and it may come again
    for message in _sent(world):
        yield from _arrivals(outcome, world, message)
        yield world._replace(late=message)  # its sender pauses, or the way is long
    for place, worker in enumerate(world.workers):
        yield _with(world, place, worker._replace(read=world.key.epoch))
        yield _with(world, place, Worker())  # it crashes, and comes back without a memory


def _arrivals(outcome: Outcome, world: World, message: Message) -> Iterator[World]:
    key = outcome(world.key, message)
    if key is None:
        return
    after = world._replace(key=key)
    yield after  # the answer is lost
    if message.kind == "acquire":
        worker = world.workers[message.worker]
        knows = worker._replace(believes=worker.believes | {key.epoch})
        yield _with(after, message.worker, knows)


def _sent(world: World) -> Iterator[Message]:
    for place, worker in enumerate(world.workers):
        if worker.read is not None:
            yield Message("acquire", place, worker.read)
        for epoch in worker.believes:
            for kind in ("renew", "write", "release"):
                yield Message(kind, place, epoch)
    if world.controller:
        yield Message("fence", FENCE, world.controller)
        yield Message("write", FENCE, world.controller)


def _with(world: World, place: int, worker: Worker) -> World:
    workers = (*world.workers[:place], worker, *world.workers[place + 1 :])
    return world._replace(workers=workers)
