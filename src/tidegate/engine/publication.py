"""Publication: what the user's repository was given is pushed to a remote of theirs.

Intent, push, outcome, as with a delivery. Of a push of which nobody knows what became of it the
remote is asked first, and no other is made before that is known.
"""

from tidegate.core.events import PublishIntended, PublishSettled
from tidegate.core.run_words import reconcile
from tidegate.engine.book import CONTROLLER
from tidegate.engine.engine import Engine
from tidegate.engine.jobs import look_at_job
from tidegate.ports.git import (
    NotPublished,
    Published,
    PublishWork,
    Unmoved,
    WorkFailed,
    WorkResult,
)
from tidegate.ports.runners import EndReason

PUBLICATION = "publication"
"""What a failed push's pause goes by."""

CUT_SHORT = frozenset({
    "lost", "killed", "git_timed_out", EndReason.DEADLINE, EndReason.OUTPUT_CAP, EndReason.STOPPED,
})  # fmt: skip
"""Reasons of a failure after which what was to move may have moved all the same."""


def advance_publication(engine: Engine) -> None:
    """Push what was delivered, where a remote is named. What is refused waits for a person."""
    run, remote = engine.book.run, engine.setup.publish
    if run.publication is not None:
        _settle(engine, run.publication)
        return
    if run.unknown_push is not None:
        _ask(engine, run.unknown_push)
        return
    new = run.delivered
    if remote is None or new is None or new in (run.published, engine.refused_publication):
        return
    if engine.may_try(PUBLICATION):
        engine.book.record_run(
            PublishIntended(
                receipt=f"{run.id}-publication-{run.publications + 1}",
                remote=remote.name,
                ref=remote.ref,
                old=run.published,
                new=new,
            )
        )


def _ask(engine: Engine, push: PublishIntended) -> None:
    """Ask the remote what became of a push: before that is known, no other is made.

    Where the remote cannot be asked its owner has to say it: nothing is pushed by this controller.
    """
    looks = engine.publication_looks
    if looks >= engine.setup.policy.limits.infra_max:
        return
    work = PublishWork(remote=push.remote, ref=push.ref, old=push.old, new=push.new, only_asks=True)
    name = f"{push.receipt}-ask-{engine.book.fence.controller_epoch}-{looks}"
    result = look_at_job(engine, name, work, may_start=lambda: engine.may_try(PUBLICATION))
    match result:
        case None:
            return
        case Published():
            _reconcile(engine, push, "done", f"{push.remote} has it")
        case Unmoved():
            _reconcile(engine, push, "failed", f"the branch of {push.remote} is where it was")
        case NotPublished(reason=reason):
            _reconcile(engine, push, "failed", reason)
        case _:
            engine.publication_looks += 1
            if engine.publication_looks < engine.setup.policy.limits.infra_max:
                engine.hold_back(PUBLICATION, failures=engine.publication_looks)


def _reconcile(engine: Engine, push: PublishIntended, outcome: str, reason: str) -> None:
    engine.publication_looks = 0
    engine.book.record_run(
        reconcile(engine.book.run, push.receipt, outcome, by=CONTROLLER, reason=reason)
    )


def _settle(engine: Engine, intent: PublishIntended) -> None:
    work = PublishWork(remote=intent.remote, ref=intent.ref, old=intent.old, new=intent.new)
    result = look_at_job(engine, intent.receipt, work)
    if result is None:
        return
    outcome, detail = _outcome(result)
    _count_failures(engine, intent, outcome)
    engine.book.record_run(PublishSettled(receipt=intent.receipt, outcome=outcome, detail=detail))


def _outcome(result: WorkResult) -> tuple[str, str]:
    match result:
        case Published():
            return "published", ""
        case NotPublished(reason=reason):
            return "refused", reason
        case WorkFailed(reason=reason, message=message) if reason in CUT_SHORT:
            return "unknown", f"nobody knows whether it was pushed: {message}"
        case WorkFailed(message=message):
            return "failed", message
        case _:
            return "failed", f"unexpected answer: {result}"


def _count_failures(engine: Engine, intent: PublishIntended, outcome: str) -> None:
    """What went wrong by itself is tried again, in bounds; what was refused is not."""
    is_tried_again = outcome in ("failed", "unknown")
    engine.publications_failed = engine.publications_failed + 1 if is_tried_again else 0
    is_given_up = engine.publications_failed >= engine.setup.policy.limits.infra_max
    if outcome == "refused" or is_given_up:
        engine.refused_publication = intent.new
        engine.publications_failed = 0
    elif is_tried_again:
        engine.hold_back(PUBLICATION, failures=engine.publications_failed)
