"""An inbox in memory: what a person asks of the run, and what the controller said to it."""

from collections.abc import Callable, Sequence

from tests.sim.safety import require
from tidegate.ports.inbox import Reply, Request


class FakeInbox:
    """See ports.inbox.Inbox. Requests stay until they have their reply, as files do."""

    def __init__(self, check: Callable[[Request, Reply], None] = lambda *_: None) -> None:
        """`check` sees each reply before it is given."""
        self._check = check
        self.requests: list[Request] = []
        self.replies: dict[str, Reply] = {}

    def listen(self) -> None:
        """Nobody rings: the loop looks at each tick."""

    def waiting(self) -> Sequence[Request]:
        """What has no reply yet."""
        return tuple(self.requests)

    def reply(self, request: Request, reply: Reply) -> None:
        """Keep what was said; the request is done, and gets no second reply."""
        require(request in self.requests, "a second reply", request)
        self._check(request, reply)
        self.replies[request.id] = reply
        self.requests.remove(request)

    def leave(self, request: Request) -> None:
        """Leave a request for the next tick."""
        self.requests.append(request)

    def hear(
        self, request: Request, *, wait_s: float, is_heard: Callable[[], bool]
    ) -> Reply | None:
        """Its reply, if it has one by now."""
        del wait_s, is_heard
        return self.replies.get(request.id)

    def take_back(self, request: Request) -> Reply | None:
        """Take it off again."""
        if request in self.requests:
            self.requests.remove(request)
        return self.replies.get(request.id)
