"""How what a person says reaches a run that a controller is at work on.

Only the controller writes the run's state. So whoever wants something of it leaves a request,
rings, and waits for a reply; the controller takes requests in its next tick and replies once what
it made of them is durable. An asker who finds no controller becomes it for a moment. So each
request is taken under the controller's lock, and none is heard twice; one whose asker was killed
stays, and is taken by whoever is the controller next.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from tidegate.core.records import record


@record
class Request:
    """What somebody asks of a run. `lane` is empty where it is about all of it."""

    id: str
    run: str
    """The run that was open when it was said: no other one heeds it."""
    verb: str
    by: str
    lane: str = ""
    says: Mapping[str, str] = field(default_factory=dict)
    """What else the verb wants: `answer`, `reason`, `question` …, each a text."""
    items: tuple[str, ...] = ()
    controller_epoch: int = 0
    """The controller that a drain is meant for: what was said to one does not end the next."""


@record
class Reply:
    """What became of a request: done, or refused with the reason and what to do."""

    is_done: bool
    message: str
    hint: str = ""


class Inbox(Protocol):
    """The requests that one repository's controller has to take."""

    def listen(self) -> None:
        """Be told when somebody rings. Listening twice is listening once."""
        ...

    def waiting(self) -> Sequence[Request]:
        """The requests that have no reply yet, oldest first. One that cannot be read is dropped."""
        ...

    def reply(self, request: Request, reply: Reply) -> None:
        """Say what became of a request, and take it off the pile."""
        ...

    def leave(self, request: Request) -> None:
        """Leave a request, and ring. Raises Misused where it is longer than anybody would read."""
        ...

    def hear(
        self, request: Request, *, wait_s: float, is_heard: Callable[[], bool]
    ) -> Reply | None:
        """Wait for its reply for as long as `is_heard`; None where none came in that time."""
        ...

    def take_back(self, request: Request) -> Reply | None:
        """Take a request off the pile; its reply where it has one.

        Only who holds the controller's lock may: nobody else takes it at that moment then.
        """
        ...
