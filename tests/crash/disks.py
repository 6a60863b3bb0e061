"""Disks that are full or cannot be written: real ones where there is root, limits elsewhere."""

import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.crash.power import PREFIX
from tests.waiting import until

SMALL_BYTES = 24 << 20
_ROOM_LEFT_BYTES = 0


def missing() -> str:
    """What this machine lacks for a small disk of its own; empty where nothing is."""
    if os.geteuid() != 0:
        return "a tmpfs can be mounted by root alone"
    return ""


class SmallDisk:
    """A tmpfs of a few megabytes."""

    def __init__(self, mount: Path) -> None:
        self.mount = mount
        self._filler = mount / "filler"

    def fill(self) -> None:
        """Leave no room at all."""
        with self._filler.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(1 << 16)):
                    pass
            except OSError:
                pass
        status = os.statvfs(self.mount)
        assert status.f_bavail == _ROOM_LEFT_BYTES

    def empty(self) -> None:
        """Give the room back."""
        self._filler.unlink()

    def forbid(self) -> None:
        """Have it refuse every write."""
        self._remount("ro")

    def allow(self) -> None:
        """Have it take writes again."""
        self._remount("rw")

    def _remount(self, option: str) -> None:
        mounted = ["mount", "-o", f"remount,{option}", str(self.mount)]
        until(lambda: subprocess.run(mounted, capture_output=True, check=False).returncode == 0)


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Mounted in this folder, and gone afterwards."""
    mount = folder / "small"
    mount.mkdir()
    size = f"size={SMALL_BYTES},mode=755"
    source = f"{PREFIX}{os.getpid()}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, source, str(mount)], check=True)
    try:
        yield SmallDisk(mount)
    finally:
        unmounted = ["umount", str(mount)]
        until(lambda: subprocess.run(unmounted, capture_output=True, check=False).returncode == 0)


def short_files(limit_bytes: int) -> Callable[[], None]:
    """What a child does before its program begins: no file of its may grow beyond this.

    The write that crosses the limit is short, and the next one fails: no signal ends the child.
    """

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    return limit
