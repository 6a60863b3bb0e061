"""The fork server: one process that has a program of ours ready, and forks a runner for each job.

    python -I -S PATH/TO/tidegate/runner --serve MODULE < SOCKET

A message on the socket is the path of a spec, with the job's environment as a descriptor; the
answer is a pidfd of the runner. Half of the time of a small job is that of starting Python twice
and importing what the job needs; here both are done before. The runner does all that one which was
started as a program does, and the server knows nothing of it afterwards: it may be killed at any
moment, and ends when the socket's other side is closed. MODULE imports all that jobs need, and its
`main` does the job of a whole command line.
"""

import contextlib
import gc
import os
import select
import socket
from importlib import import_module

from tidegate.runner import carried_mark, files, program
from tidegate.runner.descriptors import close_others
from tidegate.runner.fork import end
from tidegate.runner.spec import Call

REQUEST_BYTES_MAX = 1 << 16
_REAP_MS = 500
"""How long a runner that is over may stay a zombie."""


def main(module: str) -> int:
    """Serve until the other side is gone."""
    close_others()
    carried_mark.find_room()
    call: Call = import_module(module).main
    gc.collect()
    gc.freeze()  # so that collections in the children do not copy what all of them share
    with socket.socket(fileno=0) as channel:
        while True:
            _reap_until_asked(channel)
            spec_path, descriptors, _, _ = socket.recv_fds(
                channel, REQUEST_BYTES_MAX, 1, socket.MSG_CMSG_CLOEXEC
            )
            if not spec_path:
                return 0
            (environment,) = descriptors
            _serve(channel, os.fsdecode(spec_path), environment, call)


def _serve(channel: socket.socket, spec_path: str, environment: int, call: Call) -> None:
    """Fork a runner, and hand over what the other side can wait for it by."""
    pid = os.fork()
    if pid == 0:
        end(lambda: _runner(spec_path, environment, call))
    pidfd = os.pidfd_open(pid)  # nobody has reaped it, so the pid is still its own
    socket.send_fds(channel, [b"runs"], [pidfd])
    os.close(environment)
    os.close(pidfd)


def _reap_until_asked(channel: socket.socket) -> None:
    """Collect the runners that are over, until there is a request. Without any nothing is done."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while _has_children():
        if poll.poll(_REAP_MS):
            return


def _has_children() -> bool:
    """Whether a runner is still at work; those that are over are collected."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _runner(spec_path: str, environment: int, call: Call) -> int:
    os.setsid()
    log = f"{os.path.dirname(spec_path)}/{files.LOG}"
    os.dup2(environment, 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    return program.main(spec_path, call)
