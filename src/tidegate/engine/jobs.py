"""Jobs: slow work of the engine itself, each in a runner of its own.

A job's folder is named by what it is for and by how often it failed before, so that starting it
twice is starting it once, also across a restart of the controller. The folder of a job that failed
stays until the run is over: its number is taken, its output tells why, and where it was lost its
fence keeps out a runner that comes too late.
"""

from collections.abc import Callable
from typing import assert_never

from tidegate.engine.engine import INTERRUPTED, Engine
from tidegate.engine.monitor import watch_job
from tidegate.engine.sight import Lost, Unsettled, see
from tidegate.ports.git import PrepareWork, PublishWork, Work, WorkFailed, WorkResult
from tidegate.ports.runners import Absent, EndReason, Exit, RunnerSpec, Running

_OUTPUT_MAX_BYTES = 50_000_000
_EPOCH = 1


def look_at_job(
    engine: Engine,
    name: str,
    work: Work,
    *,
    may_start: Callable[[], bool] = lambda: True,
    is_wanted: Callable[[], bool] = lambda: True,
    keeps: bool = False,
) -> WorkResult | None:
    """What came of a job; None while it runs, or where it will be started after the commit.

    `is_wanted` is asked after the commit: another lane may have changed what this is for in the
    same tick. With `keeps` its folder stays: it is the only record that the job was done.
    """
    folder = engine.setup.places.job(name)
    seen = see(engine, folder, fence=_EPOCH + 1)
    match seen:
        case Absent():
            if may_start():
                engine.after_commit(folder, lambda: _start_if(is_wanted, engine, folder, work))
            return None
        case Running():
            watch_job(engine, folder, seen, deadline_s=_deadline_s(engine, work))
            return None
        case Unsettled():
            return None
        case Exit():
            return _heard(engine, folder, work, seen, keeps=keeps)
        case Lost():
            return WorkFailed(reason="lost", message=f"the runner of {name} died")
        case _:
            assert_never(seen)


def _heard(
    engine: Engine, folder: str, work: Work, ending: Exit, *, keeps: bool
) -> WorkResult | None:
    if ending.reason is EndReason.STOPPED and ending.asked == INTERRUPTED:
        engine.tidy_after_commit(folder)  # a person's wish is no failure: it is begun anew
        return None
    result = _result(engine, folder, work, ending)
    if not keeps and not isinstance(result, WorkFailed):
        engine.tidy_after_commit(folder)
    return result


def _result(engine: Engine, folder: str, work: Work, ending: Exit) -> WorkResult:
    if ending.reason is EndReason.EXITED and ending.signal is None:
        return engine.ports.git.result(work, folder)
    if ending.reason is EndReason.EXITED:
        told = f"it was killed from outside, by signal {ending.signal}"
        return WorkFailed(reason="killed", message=told)
    told = ending.error or f"it was ended: {ending.reason}"
    return WorkFailed(reason=str(ending.reason), message=told)


def is_quiet(engine: Engine, name: str) -> bool:
    """No such job is under way; what came of it does not matter."""
    folder, deadlines = engine.setup.places.job(name), engine.setup.policy.deadlines
    seen = see(engine, folder, fence=_EPOCH + 1)
    if isinstance(seen, Running):
        watch_job(engine, folder, seen, deadline_s=deadlines.job_s + deadlines.setup_s)
    return not isinstance(seen, Running | Unsettled)


def _start_if(is_wanted: Callable[[], bool], engine: Engine, folder: str, work: Work) -> None:
    if is_wanted():
        start_job(engine, folder, work)


def start_job(engine: Engine, folder: str, work: Work) -> None:
    """Start the job's runner. Called after the facts that ask for it are durable."""
    deadlines, setup = engine.setup.policy.deadlines, engine.setup
    is_push = isinstance(work, PublishWork)
    engine.ports.runners.start(
        RunnerSpec(
            folder=folder,
            epoch=_EPOCH,
            argv=engine.ports.git.command(work, folder),
            env=setup.push_environment if is_push else setup.environment,
            cwd=engine.setup.places.home,
            mark=folder,
            deadline_s=_deadline_s(engine, work),
            output_max_bytes=_OUTPUT_MAX_BYTES,
            grace_s=deadlines.term_grace_s,
            beat_s=deadlines.beat_s,
            is_durable=False,  # git's part it has made durable itself; the rest is done again
        )
    )


def _deadline_s(engine: Engine, work: Work) -> float:
    deadlines = engine.setup.policy.deadlines
    return deadlines.job_s + (deadlines.setup_s if isinstance(work, PrepareWork) else 0.0)
