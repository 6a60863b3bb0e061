"""The base: it is checked before anything is spent, in a workspace that is nobody's attempt.

A try that is ended from outside is spent and the next one has a folder of its own, so that a
controller that comes back finds its place by looking.
"""

from typing import assert_never

from tidegate.core.events import BaseChecked
from tidegate.core.values import Verdict
from tidegate.engine.engine import BASE, Engine, base_preparation
from tidegate.engine.jobs import look_at_job
from tidegate.engine.monitor import watch_job
from tidegate.engine.sight import Lost, Unsettled, see
from tidegate.engine.turns import check_result, read_tail
from tidegate.ports.git import Prepared, PrepareWork, Removed, RemoveWork, WorkFailed
from tidegate.ports.runners import Absent, Exit, RunnerSpec, Running

_EPOCH = 1
SETUP_FAILED = "setup_failed"
"""The reason of a job whose set-up command failed."""


def advance_base(engine: Engine) -> bool:
    """Check the untouched base before anything is spent; True once it has passed."""
    verdict = engine.book.run.base_verdict
    if verdict is None:
        _check_base(engine)
        return False
    if not engine.is_base_removed:
        _remove_base(engine)
    if verdict is Verdict.FAIL:
        engine.halt = "the check fails on the base"
    return verdict is Verdict.PASS


def _workspace(engine: Engine) -> str:
    return f"{engine.setup.workspaces}/{engine.book.run.id}/{BASE}"


def _check_base(engine: Engine) -> None:
    folder = engine.setup.places.turn(BASE, engine.base_try)
    seen = see(engine, folder, fence=_EPOCH + 1)
    match seen:
        case Absent():
            _come_to_check(engine, folder)
        case Exit():
            _note_base(engine, folder, seen)
        case Lost():
            _try_again(engine, "its runner died")
        case Running():
            watch_job(engine, folder, seen, deadline_s=engine.setup.policy.deadlines.check_s)
        case Unsettled():
            pass
        case _:
            assert_never(seen)


def _try_again(engine: Engine, reason: str) -> None:
    """This try is spent, which is nobody's verdict."""
    engine.base_try += 1
    engine.is_base_dirty = True
    engine.base_losses += 1
    if engine.base_losses >= engine.setup.policy.limits.infra_max:
        engine.halt = f"the check of the base could not be run: {reason}"
    _check_base(engine)


def _come_to_check(engine: Engine, folder: str) -> None:
    """Make the workspace and start the check. While nothing may start, no workspace is left."""
    clearing = f"base-clear-{engine.base_try}"
    if not isinstance(engine.ports.runners.look(engine.setup.places.job(clearing)), Absent):
        _clear(engine, clearing)
        return
    name = base_preparation(engine.base_try)
    result = look_at_job(
        engine,
        name,
        _preparation(engine),
        may_start=lambda: not engine.is_held and engine.may_try(BASE),
        keeps=True,
    )
    place = engine.setup.places.job(name)
    if isinstance(result, WorkFailed):
        if result.reason == SETUP_FAILED:  # the user's own command fails as fast as it is tried
            _try_again(engine, result.message)
        else:
            engine.hold_back(BASE, failures=engine.base_losses + 1, is_new_work=True)
            _try_again(engine, result.headline)
    elif engine.is_held:
        is_there = isinstance(result, Prepared) or engine.is_base_dirty
        if is_there and place not in engine.running and not engine.clinging_since:
            _clear(engine, clearing)
    elif isinstance(result, Prepared):
        engine.after_commit(folder, lambda: _start_check(engine, folder))


def _preparation(engine: Engine) -> PrepareWork:
    start = engine.book.run.started.base
    return engine.setup.preparation(_workspace(engine), commit=start, branch="tidegate/base")


def _clear(engine: Engine, name: str) -> None:
    """Remove the workspace of a check that will not be run now; a later one is a further try."""
    work = RemoveWork(workspace=_workspace(engine))
    result = look_at_job(engine, name, work, keeps=True)
    if result is None:
        return
    engine.base_try += 1
    engine.base_clearings_failed += isinstance(result, WorkFailed)
    is_given_up = engine.base_clearings_failed >= engine.setup.policy.limits.infra_max
    engine.is_base_dirty = isinstance(result, WorkFailed) and not is_given_up
    _check_base(engine)


def _start_check(engine: Engine, folder: str) -> None:
    policy = engine.setup.policy
    engine.ports.runners.start(
        RunnerSpec(
            folder=folder,
            epoch=_EPOCH,
            argv=engine.setup.check_argv,
            env=engine.setup.environment,
            cwd=_workspace(engine),
            mark=folder,
            deadline_s=policy.deadlines.check_s,
            output_max_bytes=policy.limits.output_max_bytes,
            grace_s=policy.deadlines.term_grace_s,
            beat_s=policy.deadlines.beat_s,
        )
    )


def _note_base(engine: Engine, folder: str, ending: Exit) -> None:
    started = engine.book.run.started
    tail = read_tail(f"{folder}/stdout", engine.setup.policy.limits.finding_max_bytes)
    result = check_result(engine.setup.check_command, ending, tail=tail)
    if result.is_external:
        _try_again(engine, ending.error or f"it was ended from outside ({ending.reason})")
        return
    engine.book.record_run(
        BaseChecked(
            commit=started.base,
            tree=started.base_tree,
            verdict=Verdict.FAIL if result.failure else Verdict.PASS,
            log_digest=engine.ports.ledger.put_text(result.report),
        )
    )


def _remove_base(engine: Engine) -> None:
    """Failures are few and tried again at once: there may be nothing else that a tick waits for."""
    most = engine.setup.policy.limits.infra_max
    while engine.base_removals_failed < most:
        name = f"base-remove-{engine.base_removals_failed}"
        result = look_at_job(engine, name, RemoveWork(workspace=_workspace(engine)))
        if not isinstance(result, WorkFailed):
            engine.is_base_removed = isinstance(result, Removed)
            return
        engine.base_removals_failed += 1
    engine.is_base_removed = True
