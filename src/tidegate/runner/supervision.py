"""Living with the agent: beats, deadline, output cap, stop requests, and its end.

Between two events the runner sleeps. It wakes for a beat, for the deadline, for a child's end, for
a stop, and for output: at once for the first byte after a silence, then a few times a second while
output goes on, and much faster while what is left of the cap shrinks fast.
"""

import contextlib
import json
import os
import signal
import time
from collections.abc import Collection

from tidegate.runner import ending, files, process_table, signals
from tidegate.runner.agent import Agent, Outputs
from tidegate.runner.notice import Notice
from tidegate.runner.requests import is_acknowledged
from tidegate.runner.spec import Spec

SWEEP_GRACE_MAX_S = 1.0
"""How long what outlives the agent may take to end by itself when told to, or the agent's own grace
if that is shorter."""

_LOOK_S = 0.1
_CLOSE_LOOK_S = 0.01
_CLOSE_SHARE = 16
"""Output that took this part of what was left of the cap since the last look is watched closely."""

_PROOF_LOOKS_MAX = 100
_PIDS_SHOWN_MAX = 20

_WALL_FACTOR = 2
"""A writer that goes on while it is being ended gets no grace past so many caps. RLIMIT_FSIZE would
be a harder wall, but it would also forbid large files in the workspace."""


class Supervision:
    """One agent's supervision from its start to the end of the last process of its turn."""

    def __init__(self, spec: Spec, agent: Agent, outputs: Outputs) -> None:
        self.steps: list[str] = []
        """What was done to end it, for the record."""
        self._spec = spec
        self._agent = agent
        self._outputs = outputs
        self._notice = Notice(spec.folder)
        self._identity = {**_identity(agent), "started_monotonic_s": agent.started_monotonic_s}
        self._sequence = 0
        self._next_beat_s = agent.started_monotonic_s
        self._output_bytes = 0
        self._look_s = _CLOSE_LOOK_S
        self._is_quiet = True
        self._is_signalled = False
        self._is_stopping = False

    def until_due(self) -> str:
        """Go on until the agent is over or has to be ended; the reason."""
        deadline_s = self._agent.started_monotonic_s + self._spec.deadline_s
        while True:
            self._look()
            if self._agent.status is not None:
                return "exited"
            if self._is_stopping:
                return "stopped"
            if self._output_bytes > self._spec.output_max_bytes:
                return "output_cap"
            if time.monotonic() >= deadline_s:
                return "deadline"
            self._sleep_until(deadline_s)

    def end(self) -> None:
        """TERM to the agent's group, its grace, KILL."""
        self._signal(signal.SIGTERM)
        kill_s = time.monotonic() + self._spec.grace_s
        wall_bytes = _WALL_FACTOR * self._spec.output_max_bytes
        while self._agent.status is None and self._output_bytes <= wall_bytes:
            if time.monotonic() >= kill_s:
                break
            self._sleep_until(kill_s)
            self._look()
        if self._agent.status is None:
            self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        self._agent.signal_group(number)
        self._note(f"{number.name} to the group of {self._agent.pid}")

    def _note(self, what: str) -> None:
        elapsed_s = time.monotonic() - self._agent.started_monotonic_s
        self.steps.append(f"{elapsed_s:.1f} s: {what}")

    def sweep(self) -> tuple[int, tuple[int, ...]]:
        """End all that is left of the turn: how many outlived the agent, and who would not die."""
        told, leftovers = ending.end_all(
            self._survivors,
            grace_s=min(self._spec.grace_s, SWEEP_GRACE_MAX_S),
            kill_max_s=ending.KILL_MAX_S,
            pause=self._pause,
        )
        swept = told - {self._agent.pid}
        if swept:
            self._note(f"swept {_shown(swept)}")
        if leftovers:
            self._note(f"left, since they would not die: {_shown(leftovers)}")
        return len(swept), leftovers

    def _survivors(self) -> list[process_table.Process]:
        """The runner's descendants, and whoever else carries the mark.

        Having no child at all proves that no descendant lives. An empty list does not, as long as
        there are children: one may have died during the look and left some of its own.
        """
        living: list[process_table.Process] = []
        for _ in range(_PROOF_LOOKS_MAX):
            has_children = self._agent.reap()
            table = process_table.everyone()
            carriers = process_table.carriers(table, [self._spec.mark])[self._spec.mark]
            living = process_table.living(table, carriers | {os.getpid()})
            if living or not has_children:
                break
        return living

    def _pause(self, seconds: float) -> None:
        self._sleep_until(time.monotonic() + seconds)
        self._look()

    def _look(self) -> None:
        """See what has changed, and give the signs that are due."""
        self._agent.reap()
        if self._is_quiet and not self._notice.is_armed:
            self._notice.arm()  # before looking, so that nothing falls between the two
        self._measure()
        if not self._is_stopping:
            self._is_stopping = is_acknowledged(
                self._spec.folder, own_epoch=self._spec.epoch, is_signalled=self._is_signalled
            )
        if time.monotonic() >= self._next_beat_s:
            self._beat()

    def _measure(self) -> None:
        total_bytes = sum(self._outputs.sizes())
        grown_bytes = total_bytes - self._output_bytes
        left_bytes = max(0, self._spec.output_max_bytes - total_bytes)
        is_fast = grown_bytes * _CLOSE_SHARE > left_bytes
        self._look_s = _CLOSE_LOOK_S if is_fast else min(_LOOK_S, 2 * self._look_s)
        self._is_quiet = grown_bytes == 0
        self._output_bytes = total_bytes

    def _sleep_until(self, limit_s: float) -> None:
        pause_s = min(limit_s, self._next_beat_s) - time.monotonic()
        if not self._notice.is_armed:
            pause_s = min(pause_s, self._look_s)
        received = signals.next_within(pause_s)
        if received == signal.SIGTERM:
            self._is_signalled = True
        elif received == signal.SIGIO:
            # Not armed again before a look has found silence: a writer cannot keep us busy.
            self._notice.fired()
            self._is_quiet = False
            self._look_s = _CLOSE_LOOK_S

    def _beat(self) -> None:
        self._sequence += 1
        self._next_beat_s = time.monotonic() + self._spec.beat_s
        stdout_bytes, stderr_bytes = self._outputs.sizes()
        beat = {
            "sequence": self._sequence,
            "monotonic_s": time.monotonic(),
            "stdout_bytes": stdout_bytes,
            "stderr_bytes": stderr_bytes,
            **self._identity,
        }
        with contextlib.suppress(OSError):  # a full disk costs the beat, not the agent
            files.replace(
                self._spec.folder, files.BEAT, json.dumps(beat).encode() + b"\n", durable=False
            )


def _shown(pids: Collection[int]) -> str:
    shown = ", ".join(map(str, sorted(pids)[:_PIDS_SHOWN_MAX]))
    more = len(pids) - _PIDS_SHOWN_MAX
    return f"{shown} and {more} more" if more > 0 else shown


def _identity(agent: Agent) -> dict[str, object]:
    """Who is meant by the pids of a beat, even after other processes got them."""
    this = process_table.find(os.getpid())
    return {
        "boot_id": process_table.boot_id(),
        "pid_namespace": process_table.pid_namespace(),
        "runner_pid": os.getpid(),
        "runner_start_ticks": this.start_ticks if this else 0,
        "agent_pid": agent.pid,
    }
