"""Delivery: what landed is given to the user's own repository."""

from tidegate.core.events import DeliveryIntended, DeliverySettled
from tidegate.core.run_words import DONE, reconcile
from tidegate.engine.book import CONTROLLER
from tidegate.engine.engine import Engine
from tidegate.engine.jobs import look_at_job
from tidegate.engine.publication import CUT_SHORT
from tidegate.ports.git import Delivered, DeliverWork, NotDelivered, WorkFailed

DELIVERY = "delivery"
"""What a failed delivery's pause goes by."""


def advance_delivery(engine: Engine) -> None:
    """Give the user's repository what the run's ref is at: intent, move, outcome.

    A delivery that has to wait (a dirty checkout) is tried again when the target moves, and when
    the run is taken up again.
    """
    run = engine.book.run
    if run.delivery is not None:
        _settle(engine, run.delivery)
        return
    is_new = run.target not in (run.started.base, run.delivered)
    if not is_new or engine.refused_delivery == run.target or not engine.may_try(DELIVERY):
        return
    engine.book.record_run(
        DeliveryIntended(
            receipt=f"{run.id}-delivery-{run.deliveries + 1}",
            ref=run.started.ref,
            old=run.delivered or run.started.delivered_from,
            new=run.target,
        )
    )


def _settle(engine: Engine, intent: DeliveryIntended) -> None:
    work = DeliverWork(ref=intent.ref, old=intent.old, new=intent.new)
    result = look_at_job(engine, intent.receipt, work)
    match result:
        case None:
            return
        case Delivered():
            outcome, detail = "delivered", ""
        case NotDelivered(reason=reason):
            outcome, detail = "waiting", reason
        case WorkFailed(reason=reason, message=message) if reason in CUT_SHORT:
            outcome, detail = "unknown", f"nobody knows whether it was delivered: {message}"
        case WorkFailed(message=message):
            outcome, detail = "failed", message
        case _:
            outcome, detail = "failed", f"unexpected answer: {result}"
    _count_failures(engine, intent, outcome)
    engine.book.record_run(DeliverySettled(receipt=intent.receipt, outcome=outcome, detail=detail))
    if outcome == "delivered":
        _reconcile(engine)


def _reconcile(engine: Engine) -> None:
    """What a branch was given holds what was to be given before it.

    A delivery that waits says nothing of those: what is in its way may have come after them.
    """
    run = engine.book.run
    for receipt, each in run.unknown.items():
        if isinstance(each.intent, DeliveryIntended):
            known = "the branch has it"
            engine.book.record_run(reconcile(run, receipt, DONE, by=CONTROLLER, reason=known))


def _count_failures(engine: Engine, intent: DeliveryIntended, outcome: str) -> None:
    """What failed by itself is offered again, in bounds; what has to wait is not."""
    is_tried_again = outcome in ("failed", "unknown")
    engine.deliveries_failed = engine.deliveries_failed + 1 if is_tried_again else 0
    is_given_up = engine.deliveries_failed >= engine.setup.policy.limits.infra_max
    if outcome == "waiting" or is_given_up:
        engine.refused_delivery = intent.new
        engine.deliveries_failed = 0
    elif is_tried_again:
        engine.hold_back(DELIVERY, failures=engine.deliveries_failed)
