"""The facts of a run as a whole: its own stream, lane "". They are part of `events`."""

from tidegate.core.policy import Policy
from tidegate.core.records import record
from tidegate.core.values import Verdict


@record
class RunStarted:
    """One frozen request. `target` is the branch that `land` serves; `ref` is where work lands.

    `delivered_from` is what the user's own `ref` was at the start; None where it did not exist.
    """

    playbook: str
    target: str
    ref: str
    base: str
    base_tree: str
    delivered_from: str | None
    config_digest: str
    gate_digest: str
    policy: Policy


@record
class ControllerTookOver:
    """A controller began to write, under a new epoch of the run. One for each start."""

    controller_epoch: int
    holder: str
    version: str
    utc: str
    monotonic_s: float
    boottime_s: float
    boot_id: str


@record
class BaseChecked:
    """The check ran on the untouched base. A red base ends the run before anything is spent."""

    commit: str
    tree: str
    verdict: Verdict
    log_digest: str


@record
class DeliveryIntended:
    """The user's repository is about to get a ref. It precedes the move; `receipt` is its key."""

    receipt: str
    ref: str
    old: str | None
    new: str


@record
class DeliverySettled:
    """What became of a delivery: delivered, waiting (and for what), or diverged."""

    receipt: str
    outcome: str
    detail: str


@record
class PublishIntended:
    """A branch of a remote of the user's is about to move. It precedes the push.

    `old` is what we published there last, None before the first time in this run.
    """

    receipt: str
    remote: str
    ref: str
    old: str | None
    new: str


@record
class PublishSettled:
    """What became of a push: published, refused (the remote is elsewhere), failed, or unknown."""

    receipt: str
    outcome: str
    detail: str


@record
class EffectIntended:
    """The tracker is about to be told something of an issue.

    `receipt` is the key under which it does this once, however often it is asked. `kind` is claim,
    comment, close or release; a comment has its text by `text_digest`, a close what landed where.
    """

    receipt: str
    kind: str
    issue: str
    text_digest: str | None = None
    commit: str | None = None
    target: str | None = None


@record
class EffectSettled:
    """What the tracker made of it: done, refused, failed, or unknown, in its own words."""

    receipt: str
    outcome: str
    detail: str


@record
class ReceiptReconciled:
    """What nobody knew the end of is known: it was looked at again, or its owner says so.

    What was recorded before stays. `outcome` is done or failed, `by` who says so.
    """

    receipt: str
    outcome: str
    by: str
    reason: str


@record
class DrainAsked:
    """From here on nothing new begins in this run, whoever carries it, until that is lifted."""

    by: str
    reason: str


@record
class DrainLifted:
    """The run goes on as before."""

    by: str


@record
class RunEnded:
    """The run has nothing left to do by itself."""

    landed: int
    stopped: int
    waiting: int
    reason: str
