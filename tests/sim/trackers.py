"""A tracker that is told, in the simulated world: it does each key once, and answers or not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.sim.process import Ending, Script
from tidegate.ports.runners import EndReason, Exit
from tidegate.ports.trackers import Answer, Call, Request

TRACKER = "tracker"
GIVEN = Answer(outcome="done")
TAKEN = Answer(outcome="refused", detail="ABC has it")
BROKEN = Answer(outcome="failed", detail="exit code 3")
SILENT = Answer(outcome="unknown", detail="no answer")


@dataclass(slots=True)
class FakeTrackerJobs:
    """See ports.trackers.TrackerJobs. `says` answers a request; what it did is in `done`."""

    says: Callable[[Request], Answer] = lambda _: GIVEN
    work_s: float = 1.0
    asked: list[str] = field(default_factory=list)
    """The keys of all requests that reached it, in order."""
    done: dict[str, Request] = field(default_factory=dict)
    """What it did, under its keys: asked again, it does nothing more."""
    requests: dict[str, Request] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)

    def call(self, request: Request, folder: str) -> Call:
        """A process of the simulated host."""
        self.requests[folder] = request
        env: Mapping[str, str] = {}
        return Call(
            argv=(TRACKER,),
            env=env,
            cwd=folder,
            stdin_path="",
            deadline_s=60.0,
            output_max_bytes=1000,
        )

    def script(self, folder: str) -> Script:
        """It acts first and says so afterwards."""
        request = self.requests[folder]
        yield self.work_s
        self.asked.append(request.key)
        answer = self.says(request)
        if answer.outcome in ("done", "unknown"):
            self.done.setdefault(request.key, request)
        yield self.work_s
        self.answers[folder] = answer
        return Ending(code=0)

    def answer(self, folder: str, ending: Exit) -> Answer:
        """What it said, where it came to that."""
        if ending.reason is not EndReason.EXITED or ending.signal is not None:
            return SILENT
        return self.answers[folder]

    def kinds(self) -> list[tuple[str, str]]:
        """What it did to which issue."""
        return [(each.do, each.issue) for each in self.done.values()]
