"""The runner: one process that owns one agent's process and outlives the controller.

It holds the folder's lock from before the agent's start until its record is safe on disk. It opens
no ledger, reads no configuration and decides nothing but what its spec says. It starts an agent at
most once in a folder, whatever happened there before.
"""

import _ctypes
import contextlib
import errno
import json
import os
import sys
import time

from tidegate.runner import files, lock, process_table, signals
from tidegate.runner.agent import Agent, CannotStartError, Outputs, start
from tidegate.runner.requests import is_acknowledged, is_fenced
from tidegate.runner.spec import Spec, take_environment
from tidegate.runner.supervision import Supervision

_PR_SET_CHILD_SUBREAPER = 36
_RECORD_TRIES_MAX = 3000
_RECORD_PAUSE_S = 0.2


def main(spec_path: str) -> int:
    """Run the turn of this spec to its end; 0 when how it ended is on record, else 1."""
    signals.hold_back()
    environment = take_environment()
    _close_inherited()
    with open(spec_path, "rb") as file:
        spec = Spec(file.read())
    lock.take(spec.folder)  # and never let go of: it is free when this process is no more
    if files.exists(spec.folder, files.EXIT):
        return 0
    if files.exists(spec.folder, files.STDOUT):
        sys.stderr.write("this turn was begun by a runner that died: it is not begun again\n")
        return 1
    _write(spec.folder, _turn(spec, environment))
    return 0


def _turn(spec: Spec, environment: dict[bytes, bytes]) -> dict[str, object]:
    """The whole turn, and its record."""
    if is_fenced(spec.folder, own_epoch=spec.epoch):
        return _nothing_ran("fenced")
    is_signalled = signals.is_asked_to_end()
    if is_acknowledged(spec.folder, own_epoch=spec.epoch, is_signalled=is_signalled):
        return _nothing_ran("stopped")
    _become_subreaper()
    kills_before = process_table.out_of_memory_kills()
    try:
        outputs = Outputs(spec.folder)
        agent = start(spec, environment, outputs)
    except CannotStartError as failure:
        return _nothing_ran("not_started", error=str(failure))
    supervision = Supervision(spec, agent, outputs)
    reason = supervision.until_due()
    if agent.status is None:
        supervision.end()
    swept, leftovers = supervision.sweep()
    outputs.sync()
    stdout_bytes, stderr_bytes = outputs.sizes()
    return {
        "reason": reason,
        **_ending(agent),
        "stdout_bytes": stdout_bytes,
        "stderr_bytes": stderr_bytes,
        "leftovers": leftovers,
        "swept": swept,
        "error": None,
        "oom_kills": process_table.out_of_memory_kills() - kills_before,
    }


def _ending(agent: Agent) -> dict[str, object]:
    """How the agent's own process ended; neither code nor signal where it would not die."""
    exit_code = None if agent.status is None else os.waitstatus_to_exitcode(agent.status)
    return {
        "code": exit_code if exit_code is not None and exit_code >= 0 else None,
        "signal": -exit_code if exit_code is not None and exit_code < 0 else None,
        "started_utc": _utc(agent.started_s),
        "ended_utc": _utc(agent.ended_s),
        "active_s": agent.ended_monotonic_s - agent.started_monotonic_s,
    }


def _nothing_ran(reason: str, *, error: str | None = None) -> dict[str, object]:
    now_utc = _utc(time.time())
    return {
        "reason": reason,
        "code": None,
        "signal": None,
        "started_utc": now_utc,
        "ended_utc": now_utc,
        "active_s": 0.0,
        "stdout_bytes": 0,
        "stderr_bytes": 0,
        "leftovers": (),
        "swept": 0,
        "error": error,
        "oom_kills": 0,
    }


def _write(folder: str, record: dict[str, object]) -> None:
    """Put the record on disk, waiting for room where there is none. Raises OSError.

    While the runner waits it holds the lock, so its turn is not taken for lost. Any other failure,
    of fsync above all, ends the runner without a record: what is not known to be safe is not said.
    """
    content = json.dumps(record).encode() + b"\n"
    for _ in range(_RECORD_TRIES_MAX):
        try:
            files.replace(folder, files.EXIT, content, durable=True)
        except OSError as failure:
            if failure.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            time.sleep(_RECORD_PAUSE_S)
        else:
            return
    raise OSError(errno.ENOSPC, "no room for the record of a turn", folder)


def _close_inherited() -> None:
    """Close what came along besides the standard channels: another's lock, say."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:  # noqa: PLR2004 - the number of standard error
            with contextlib.suppress(OSError):  # the listing's own is closed already
                os.close(int(name))


def _become_subreaper() -> None:
    """Have every orphan among the descendants become our child, so that none escapes the sweep.

    The call has no name in the standard library. What ctypes is made of calls it as well as ctypes
    does, without 0.3 MB and 2 ms for the making of types.
    """
    this_program = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # as ctypes.CDLL(None) does
    prctl = _ctypes.dlsym(this_program, "prctl")
    if _ctypes.call_function(prctl, (_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) != 0:
        raise OSError("the runner cannot become the reaper of its orphans")


def _utc(seconds: float) -> str:
    whole, milliseconds = divmod(int(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{milliseconds:03d}Z"
