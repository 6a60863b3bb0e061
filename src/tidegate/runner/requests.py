"""What the controller may have left in the folder for its runner: a fence, a request to stop."""

import contextlib
import json

from tidegate.runner import files


class StopRequest:
    """Why the agent has to end, and under which epoch that was asked."""

    __slots__ = ("epoch", "reason")

    def __init__(self, epoch: int, reason: str) -> None:
        self.epoch = epoch
        self.reason = reason

    def encode(self) -> bytes:
        """The bytes of `stop` and of `stopping.json`."""
        return json.dumps({"epoch": self.epoch, "reason": self.reason}).encode() + b"\n"


def read_stop(folder: str, *, own_epoch: int) -> StopRequest | None:
    """The request that stands, if any. One that cannot be read came by hand: it is meant for us."""
    try:
        content = files.read(folder, files.STOP)
        if content is None:
            return None
        fields = json.loads(content)
        return StopRequest(int(fields["epoch"]), str(fields["reason"]))
    except (OSError, ValueError, TypeError, KeyError):
        return StopRequest(own_epoch, "stop file of unknown origin")


def is_acknowledged(folder: str, *, own_epoch: int, is_signalled: bool) -> bool:
    """Whether the runner was asked to stop; if so, `stopping.json` says that it heard."""
    request = read_stop(folder, own_epoch=own_epoch)
    if request is not None and request.epoch < own_epoch:
        request = None  # from a controller whose right to ask had ended before this turn began
    if request is None and is_signalled:
        request = StopRequest(own_epoch, "signal")
    if request is None:
        return False
    with contextlib.suppress(OSError):  # on a full disk the stop is unheard of, and still happens
        files.replace(folder, files.STOPPING, request.encode(), durable=False)
    return True


def reason_of_stop(folder: str) -> str:
    """Why the turn in this folder was stopped, as its runner has acknowledged it."""
    try:
        return str(json.loads(files.read(folder, files.STOPPING) or b"{}").get("reason", ""))
    except (OSError, ValueError, AttributeError):
        return ""


def is_fenced(folder: str, *, own_epoch: int) -> bool:
    """Whether the folder was given up before this runner began. An unreadable fence shuts out."""
    try:
        return own_epoch < int(files.read(folder, files.FENCE) or b"0")
    except ValueError:
        return True
