"""Real power cuts: a file system on a loop device that is shut down without writing its log.

The ioctl is the kernel's own (``_IOR('X', 125, __u32)`` of ext4, the same number of xfs): all that
was not written out is gone, and the next mount replays the journal. It drops what is unwritten; it
does not tear or reorder sectors. Nothing of it may stay behind: not a mount, not a loop device.
"""

import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.waiting import until

KINDS = ("ext4", "xfs")
_SHUTDOWN = 0x8004587D
_WITHOUT_LOG = struct.pack("I", 2)
_SIZE_BYTES = {"ext4": 96 << 20, "xfs": 320 << 20}
"""The smallest that hold a seed; xfs makes none below 300 MB. The file has holes."""
PREFIX = "tidegate-cut-"
"""Begins the name of an image, or the source of a tmpfs; the pid of its maker comes next."""
_MAKE = {"ext4": ("mkfs.ext4", "-q", "-F"), "xfs": ("mkfs.xfs", "-q", "-f")}
_PACKAGES = {"ext4": "e2fsprogs", "xfs": "xfsprogs"}
_NEEDED = ("losetup", "mount", "umount")


def missing(kind: str) -> str:
    """What this machine lacks for power cuts; empty where nothing is."""
    if os.geteuid() != 0:
        return "power cuts need root: a loop device is mounted"
    for program in (*_NEEDED, _MAKE[kind][0]):
        if shutil.which(program) is None:
            package = _PACKAGES[kind] if program.startswith("mkfs") else "mount"
            return f"{program} is not installed (Debian: apt install {package})"
    if not Path("/dev/loop-control").exists():
        return "there is no /dev/loop-control: this machine has no loop devices"
    known = Path("/proc/filesystems").read_text(encoding="utf-8").split()
    if kind not in known and _run("modprobe", kind).returncode:
        return f"this kernel has no {kind}"
    probe = _run("losetup", "--find")
    if probe.returncode:
        return f"no loop device is to be had: {probe.stderr.strip()}"
    return ""


class Disk:
    """A mounted file system that can lose its power."""

    def __init__(self, device: str, mount: Path, kind: str) -> None:
        self.mount = mount
        self._device = device
        self._kind = kind

    def cut(self) -> None:
        """Lose all that is not written out, and come back as after a boot."""
        descriptor = os.open(self.mount, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, _WITHOUT_LOG)
        finally:
            os.close(descriptor)
        self.take_off()
        self.put_on()

    def settle(self) -> None:
        """Write out everything, so that the next cut finds it."""
        descriptor = os.open(self.mount, os.O_RDONLY | os.O_DIRECTORY)
        try:
            done = _run("sync", "-f", str(self.mount))
            assert done.returncode == 0, done.stderr
        finally:
            os.close(descriptor)

    def put_on(self) -> None:
        """Mount it; the kernel replays its journal."""
        _must("mount", "-t", self._kind, self._device, str(self.mount))

    def take_off(self) -> None:
        """Unmount it. A process that just ended may hold it for a moment."""
        until(lambda: _run("umount", str(self.mount)).returncode == 0)


@contextmanager
def disk(kind: str, folder: Path) -> Iterator[Disk]:
    """A fresh file system in a file of this folder. All of it is gone afterwards."""
    image = folder / f"{PREFIX}{os.getpid()}-{kind}"
    mount = folder / "mounted"
    mount.mkdir(parents=True)
    try:
        with image.open("wb") as file:
            file.truncate(_SIZE_BYTES[kind])
        device = _must("losetup", "--find", "--show", str(image)).strip()
        _must(*_MAKE[kind], device)
        made = Disk(device, mount, kind)
        made.put_on()
        yield made
    finally:
        _clear(image)


def clear_left() -> None:
    """Take away what an earlier process of this program left when it was killed."""
    for image in list(_images().values()):
        if _is_left(image.name):
            _clear(image)
    for row in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        source, place, *_ = row.split(" ")
        if _is_left(source):
            _run("umount", place)


def _is_left(name: str) -> bool:
    """Whether this is ours, and of a process that is no more."""
    pid = name.removeprefix(PREFIX).partition("-")[0]
    return name.startswith(PREFIX) and pid.isdecimal() and not Path("/proc", pid).exists()


def _clear(image: Path) -> None:
    for device, file in list(_images().items()):
        if file == image:
            for place in _mounts(device):
                until(lambda place=place: _run("umount", place).returncode == 0)  # type: ignore[misc]  # bound at once
            _must("losetup", "--detach", device)
    with suppress(FileNotFoundError):
        image.unlink()


def _images() -> dict[str, Path]:
    """Loop devices in use, with their files. The kernel notes one that was deleted meanwhile."""
    rows = _run("losetup", "--list", "--noheadings", "--raw", "--output", "NAME,BACK-FILE").stdout
    pairs = (row.split(" ", 1) for row in rows.splitlines())
    return {
        device: Path(file.removesuffix(" (deleted)").removesuffix("\\x20(deleted)"))
        for device, file in pairs
    }


def _mounts(device: str) -> Sequence[str]:
    rows = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    return [row.split(" ")[1] for row in rows if row.startswith(f"{device} ")]


def _must(*argv: str) -> str:
    done = _run(*argv)
    assert done.returncode == 0, f"{' '.join(argv)}: {done.stderr}"
    return done.stdout


def _run(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, check=False)
