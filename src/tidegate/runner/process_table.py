"""What /proc says about processes, and signals that cannot reach the wrong one.

A pid alone names nobody: it may be used again. A process is named by its pid and its start time,
and is signalled through a pidfd that was opened before that name was checked.
"""

import os
import signal
import time
from collections.abc import Iterable, Mapping

MARK = "TIDEGATE_MARK"
"""The variable that every process of a turn carries in its environment."""

MARK_BYTES_MAX = 4096
"""Marks are paths; what is longer can be the path of nothing."""
ROOM_FOR_A_MARK = {MARK: "-" * MARK_BYTES_MAX}
"""What a process has to be started with, for its forks to carry marks of their own."""

_MARK_PREFIX = MARK.encode() + b"="
_LOCK_LINE = b"\nlock:"
"""What the kernel says of a descriptor through which a lock is held."""
_EXEC_PAUSE_S = 0.001
_EXEC_LOOKS_MAX = 250
_KERNEL_THREAD = 0x00200000  # PF_KTHREAD


class Process:
    """One live process. Two of the same pid and start are the same process."""

    __slots__ = ("group", "is_kernel_thread", "is_zombie", "parent", "pid", "start_ticks")

    def __init__(self, pid: int, stat: bytes) -> None:
        # The second field is the program's name in brackets, and may hold brackets and blanks.
        fields = stat[stat.rindex(b")") + 2 :].split()
        self.pid = pid
        self.is_zombie = fields[0] in (b"Z", b"X")
        self.parent = int(fields[1])
        self.group = int(fields[2])
        self.is_kernel_thread = bool(int(fields[6]) & _KERNEL_THREAD)
        self.start_ticks = int(fields[19])


def boot_id() -> str:
    """The name of this boot of the machine."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


def pid_namespace() -> int:
    """The number of the namespace in which this process's pids mean anything."""
    return os.stat("/proc/self/ns/pid").st_ino


def out_of_memory_kills() -> int:
    """How many processes this machine's kernel has killed for want of memory; 0 if it won't say."""
    for line in (_read("/proc/vmstat") or b"").splitlines():
        if line.startswith(b"oom_kill "):
            return int(line.split()[1])
    return 0


def find(pid: int) -> Process | None:
    """The process of this pid, if there is one."""
    stat = _read(f"/proc/{pid}/stat")
    return Process(pid, stat) if stat else None


def everyone() -> dict[int, Process]:
    """All processes of this pid namespace, zombies included."""
    seen = (find(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return {process.pid: process for process in seen if process is not None}


def holders(path: str) -> list[Process]:
    """The processes that hold a lock on this file, this one left out.

    Whoever only has it open, as a probe has for a moment, is none of them. Other users' processes
    cannot be asked.
    """
    real = os.path.realpath(path)
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit() and _holds(name, real)]
    found = (find(pid) for pid in sorted(pids) if pid != os.getpid())
    return [process for process in found if process is not None]


def _holds(pid: str, path: str) -> bool:
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except OSError:  # it is gone, or another user's
        return False
    for number in numbers:
        try:
            is_it = os.readlink(f"/proc/{pid}/fd/{number}") == path
        except OSError:  # closed meanwhile
            continue
        if is_it and _LOCK_LINE in (_read(f"/proc/{pid}/fdinfo/{number}") or b""):
            return True
    return False


def carriers(table: Mapping[int, Process], marks: Iterable[str]) -> dict[str, set[int]]:
    """The pids that carry each of these marks. Other users' processes cannot be asked."""
    found: dict[str, set[int]] = {mark: set() for mark in marks}
    for process in table.values():
        if not (process.is_zombie or process.is_kernel_thread):
            for mark in _marks_in(_environment(process.pid) or b""):
                found.get(mark, set()).add(process.pid)
    return found


def with_descendants(table: Mapping[int, Process], roots: Iterable[int]) -> set[int]:
    """These pids and all that descends from them."""
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.pid)
    reached: set[int] = set()
    ahead = list(roots)
    while ahead:
        pid = ahead.pop()
        if pid not in reached:
            reached.add(pid)
            ahead.extend(children.get(pid, ()))
    return reached


def living(table: Mapping[int, Process], roots: Iterable[int]) -> list[Process]:
    """These pids and their descendants as far as they live, the asking process left out."""
    pids = with_descendants(table, roots) - {os.getpid()}
    return [table[pid] for pid in pids if pid in table and not table[pid].is_zombie]


def send(process: Process, number: signal.Signals) -> None:
    """Signal this process and no other, whoever has its pid by now. Gone or forbidden: nothing."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        return
    try:
        current = find(process.pid)
        if current is not None and current.start_ticks == process.start_ticks:
            signal.pidfd_send_signal(descriptor, number)
    except (ProcessLookupError, PermissionError):
        pass
    finally:
        os.close(descriptor)


def _environment(pid: int) -> bytes | None:
    """A process's environment; None where it is gone, or another user's.

    In the middle of an execve a process shows neither environment nor command line, and on a busy
    machine it may stay there for a while. It is waited for: else it would be taken for nobody's.
    """
    for _ in range(_EXEC_LOOKS_MAX):
        environment = _read(f"/proc/{pid}/environ")
        if environment != b"":
            return environment
        if _read(f"/proc/{pid}/cmdline") != b"":
            return _read(f"/proc/{pid}/environ")  # there by now, or it was started without one
        current = find(pid)
        if current is None or current.is_zombie:
            break
        time.sleep(_EXEC_PAUSE_S)
    return None


def _marks_in(environment: bytes) -> list[str]:
    if _MARK_PREFIX not in environment:
        return []
    entries = environment.split(b"\0")
    return [os.fsdecode(e[len(_MARK_PREFIX) :]) for e in entries if e.startswith(_MARK_PREFIX)]


def _read(path: str) -> bytes | None:
    """A file of /proc; None where the process is gone, or not ours to look at."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
