"""What may be asked of a command that answers at once: a question in, a text out, under limits."""

from collections.abc import Mapping
from typing import Protocol

from tidegate.core.records import record


@record
class Answer:
    """What a command printed, or why that is no answer; `fault` is empty where it is one."""

    text: str = ""
    fault: str = ""
    code: int | None = None
    """Its exit code, or minus the signal that ended it; None where it did not end by itself."""
    complaint: str = ""
    """The end of what it said on standard error, where the cause of a fault stands."""


class Consult(Protocol):
    """Runs a shell command to its end, or ends it."""

    def __call__(
        self,
        command: str,
        question: str,
        *,
        folder: str,
        environment: Mapping[str, str],
        limit_s: float,
        bytes_max: int,
    ) -> Answer:
        """Give it the question on its standard input and take what it prints.

        Nothing that it started in its process group outlives the call. It never raises for what
        the command does: a wrong exit code, too much output or too long a time are faults.
        """
        ...
