"""What a runner is told: the spec in its folder, and the agent's environment on its standard input.

The environment holds keys and tokens, and any agent of the same user can read a file of that user.
So it is never written: it comes through a memory file that is gone as soon as it has been read.
"""

import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence

Call = Callable[[Sequence[str]], int]
"""A program of ours as a function: of a whole command line to an exit code."""


class Spec:
    """The fields of the port's RunnerSpec, without the environment."""

    __slots__ = (
        "argv",
        "beat_s",
        "cwd",
        "deadline_s",
        "epoch",
        "folder",
        "grace_s",
        "is_durable",
        "mark",
        "output_max_bytes",
        "stdin_path",
    )

    def __init__(self, content: bytes) -> None:
        fields = json.loads(content)
        self.argv: tuple[str, ...] = tuple(fields["argv"])
        self.beat_s: float = fields["beat_s"]
        self.cwd: str = fields["cwd"]
        self.deadline_s: float = fields["deadline_s"]
        self.epoch: int = fields["epoch"]
        self.folder: str = fields["folder"]
        self.grace_s: float = fields["grace_s"]
        self.is_durable: bool = fields.get("is_durable", True)
        self.mark: str = fields["mark"]
        self.output_max_bytes: int = fields["output_max_bytes"]
        self.stdin_path: str | None = fields["stdin_path"]


def encode_environment(environment: Mapping[str, str]) -> bytes:
    """NAME=VALUE, each ended by a zero byte, as in /proc/PID/environ."""
    return b"".join(os.fsencode(f"{name}={value}") + b"\0" for name, value in environment.items())


def take_environment() -> dict[bytes, bytes]:
    """Read the environment from standard input to its end, and let go of what held it.

    A memory file is read from its beginning whoever else has it: it may have been given twice.
    """
    of_input = os.fstat(0)
    if stat.S_ISREG(of_input.st_mode):
        content = os.pread(0, of_input.st_size, 0)
    else:
        with open(0, "rb", closefd=False) as file:
            content = file.read()
    entries = content.split(b"\0")
    os.close(0)
    os.open(os.devnull, os.O_RDONLY)  # the lowest free number: it becomes standard input
    pairs = (entry.partition(b"=") for entry in entries if entry)
    return {name: value for name, _, value in pairs}
