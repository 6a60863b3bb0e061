"""The runner: one process that owns one agent's process and outlives the controller.

It holds the folder's lock from before the agent's start until its record is safe on disk. It opens
no ledger, reads no configuration and decides nothing but what its spec says. It starts an agent at
most once in a folder, whatever happened there before.
"""

import errno
import json
import os
import sys
import time

from tidegate.runner import files, lock, process_table, signals
from tidegate.runner.agent import Agent, CannotStartError, Outputs, start
from tidegate.runner.descriptors import close_others
from tidegate.runner.prctl import become_subreaper
from tidegate.runner.requests import is_acknowledged, is_fenced, reason_of_stop
from tidegate.runner.spec import Call, Spec, take_environment
from tidegate.runner.supervision import Supervision

_RECORD_TRIES_MAX = 200_000
_RECORD_PAUSE_S = 0.5
"""More than a day in all: for a day a controller waits for room."""


def main(spec_path: str, call: Call | None = None) -> int:
    """Run the turn of this spec to its end; 0 when how it ended is on record, else 1.

    With `call` that is called with the command line, in a fork, instead of starting a program.
    """
    signals.hold_back()
    environment = take_environment()
    close_others()
    with open(spec_path, "rb") as file:
        spec = Spec(file.read())
    lock.take(spec.folder)  # and never let go of: it is free when this process is no more
    if files.exists(spec.folder, files.EXIT):
        return 0
    if files.exists(spec.folder, files.STDOUT):
        sys.stderr.write("this turn was begun by a runner that died: it is not begun again\n")
        return 1
    _write(spec, _turn(spec, environment, call))
    return 0


def _turn(spec: Spec, environment: dict[bytes, bytes], call: Call | None) -> dict[str, object]:
    """The whole turn, and its record."""
    if is_fenced(spec.folder, own_epoch=spec.epoch):
        return _nothing_ran("fenced")
    is_signalled = signals.is_asked_to_end()
    if is_acknowledged(spec.folder, own_epoch=spec.epoch, is_signalled=is_signalled):
        return _nothing_ran("stopped", asked=reason_of_stop(spec.folder))
    become_subreaper()
    kills_before = process_table.out_of_memory_kills()
    try:
        outputs = Outputs(spec.folder)
        agent = start(spec, environment, outputs, call)
    except CannotStartError as failure:
        return _nothing_ran("not_started", error=str(failure))
    supervision = Supervision(spec, agent, outputs)
    reason = supervision.until_due()
    if agent.status is None:
        supervision.end()
    swept, leftovers = supervision.sweep()
    if spec.is_durable:
        outputs.sync()
    stdout_bytes, stderr_bytes = outputs.sizes()
    return {
        "reason": reason,
        "asked": reason_of_stop(spec.folder) if reason == "stopped" else "",
        **_ending(agent),
        "stdout_bytes": stdout_bytes,
        "stderr_bytes": stderr_bytes,
        "leftovers": leftovers,
        "swept": swept,
        "steps": supervision.steps,
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


def _nothing_ran(reason: str, *, error: str | None = None, asked: str = "") -> dict[str, object]:
    now_utc = _utc(time.time())
    return {
        "reason": reason,
        "asked": asked,
        "code": None,
        "signal": None,
        "started_utc": now_utc,
        "ended_utc": now_utc,
        "active_s": 0.0,
        "stdout_bytes": 0,
        "stderr_bytes": 0,
        "leftovers": (),
        "swept": 0,
        "steps": (),
        "error": error,
        "oom_kills": 0,
    }


def _write(spec: Spec, record: dict[str, object]) -> None:
    """Put the record on disk, waiting for room where there is none. Raises OSError.

    While the runner waits it holds the lock, so its turn is not taken for lost. Any other failure,
    of fsync above all, ends the runner without a record: what is not known to be safe is not said.
    """
    content = json.dumps(record).encode() + b"\n"
    for _ in range(_RECORD_TRIES_MAX):
        try:
            files.replace(spec.folder, files.EXIT, content, durable=spec.is_durable)
        except OSError as failure:
            if failure.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            time.sleep(_RECORD_PAUSE_S)
        else:
            return
    raise OSError(errno.ENOSPC, "no room for the record of a turn", spec.folder)


def _utc(seconds: float) -> str:
    whole, milliseconds = divmod(int(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{milliseconds:03d}Z"
