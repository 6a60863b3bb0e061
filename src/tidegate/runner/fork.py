"""A program of ours that is called in a fork instead of being started.

What it sees is what it would see as a program of its own: arguments, environment, working
directory, streams, signals, and a session that it leads. It carries its mark as a program does, in
the environment that /proc shows of it, and it dies with its runner.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence

from tidegate.runner import carried_mark, prctl, process_table, signals
from tidegate.runner.descriptors import close_others
from tidegate.runner.spec import Call

_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def spawn(
    call: Call,
    argv: Sequence[str],
    environment: Mapping[bytes, bytes],
    streams: tuple[int, int, int],
) -> int:
    """Call it in a process of its own; the pid, once that leads its session. Raises OSError."""
    ready, told = os.pipe()
    runner = os.getpid()
    pid = os.fork()
    if pid == 0:
        end(lambda: _called(call, argv, environment, streams, runner=runner, told=told))
    os.close(told)
    os.read(ready, 1)  # the end of it as well: then it is over, which the runner will hear
    os.close(ready)
    return pid


def _called(
    call: Call,
    argv: Sequence[str],
    environment: Mapping[bytes, bytes],
    streams: tuple[int, int, int],
    *,
    runner: int,
    told: int,
) -> int:
    prctl.die_with_parent()
    if os.getppid() != runner:
        return 1
    os.setsid()
    os.write(told, b".")
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    close_others()  # the runner's lock above all
    carried_mark.show(environment[process_table.MARK.encode()])
    os.environb.clear()
    os.environb.update(environment)
    for number in signals.everything():
        is_ignored = number in _IGNORED_BY_PYTHON
        signal.signal(number, signal.SIG_IGN if is_ignored else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return call(argv)


def end(work: Callable[[], int]) -> None:
    """Do the work and end this process. It never returns into what it was forked from.

    On a full disk not even the words for an error can be written.
    """
    code = 1
    try:
        try:
            code = work()
        except SystemExit as asked:
            code = asked.code if isinstance(asked.code, int) else int(asked.code is not None)
        except BaseException:  # noqa: BLE001 - whatever it is, it ends here, and is told
            import traceback  # noqa: PLC0415 - 1 ms that only a bug needs

            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
