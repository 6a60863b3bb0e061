"""Waiting for the end of runners: of our own children, and of those that an earlier process left.

A pidfd becomes readable when its process ends, whoever the parent is. Reaping is by pidfd as well,
so that no status of anybody else's child is ever taken.
"""

import contextlib
import math
import os
import select
from dataclasses import dataclass

from tidegate.runner import process_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who a beat's `runner_pid` means: the same pid elsewhere, or later, is somebody else."""

    boot_id: str
    pid_namespace: int
    runner_pid: int
    runner_start_ticks: int


class Watch:
    """The runners whose end ends a wait, by folder. Only `wake` may be called from elsewhere."""

    def __init__(self) -> None:
        self._pidfds: dict[str, int] = {}
        self._wake_reader, self._wake_writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._bells: list[int] = []

    def __contains__(self, folder: str) -> bool:
        return folder in self._pidfds

    def listen_to(self, bell: int) -> None:
        """End waits whenever this descriptor, which does not block, can be read."""
        self._bells.append(bell)

    def add(self, folder: str, pidfd: int) -> None:
        """Watch a runner by its pidfd, which is closed when it has ended."""
        self._pidfds[folder] = pidfd

    def add_child(self, folder: str, pid: int) -> None:
        """Watch a child that nobody has reaped yet."""
        with contextlib.suppress(OSError):  # out of descriptors: it is adopted when next seen
            self.add(folder, os.pidfd_open(pid))

    def adopt(self, folder: str, identity: Identity) -> None:
        """Watch a runner that somebody else started, if it is still the one that is meant."""
        here = (process_table.boot_id(), process_table.pid_namespace())
        if here != (identity.boot_id, identity.pid_namespace):
            return
        try:
            pidfd = os.pidfd_open(identity.runner_pid)
        except OSError:
            return
        # Checked after the pidfd was opened: then it is the pidfd's process that has this name.
        process = process_table.find(identity.runner_pid)
        if process is not None and process.start_ticks == identity.runner_start_ticks:
            self._pidfds[folder] = pidfd
        else:
            os.close(pidfd)

    def wait(self, timeout_s: float) -> None:
        """Sleep until a watched runner ends, `wake` is called, or the time is over."""
        ready = self._poll(timeout_s)
        for reader in ready.intersection((self._wake_reader, *self._bells)):
            with contextlib.suppress(BlockingIOError):
                while os.read(reader, 512):
                    pass
        for folder in [folder for folder, pidfd in self._pidfds.items() if pidfd in ready]:
            self._forget(folder)

    def wake(self) -> None:
        """End a wait under way, or the next one. Safe in a signal handler and in a thread."""
        with contextlib.suppress(BlockingIOError):  # full: many wakes are waiting already
            os.write(self._wake_writer, b"w")

    def close(self) -> None:
        """Let go of all descriptors; the runners go on."""
        ours = (self._wake_reader, self._wake_writer, *self._bells)
        for descriptor in (*self._pidfds.values(), *ours):
            os.close(descriptor)
        self._pidfds.clear()
        self._bells.clear()

    def _poll(self, timeout_s: float) -> set[int]:
        poll = select.poll()
        for descriptor in (self._wake_reader, *self._bells, *self._pidfds.values()):
            poll.register(descriptor, select.POLLIN)
        # Rounded up, since a wait that ends a little early would only be asked for again.
        return {descriptor for descriptor, _ in poll.poll(max(0, math.ceil(timeout_s * 1000)))}

    def _forget(self, folder: str) -> None:
        pidfd = self._pidfds.pop(folder)
        with contextlib.suppress(OSError):  # not our child: its parent or init reaps it
            os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOHANG)
        os.close(pidfd)
