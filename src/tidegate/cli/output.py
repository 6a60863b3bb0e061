"""How a command answers: JSON for programs, a few plain lines for people, one line for errors."""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from typing import Any, NoReturn

import click

from tidegate.cli.layout import laid_out
from tidegate.core.errors import TidegateError
from tidegate.core.text import printable

STDERR = 2
READER_GONE = 141
"""The exit code where whoever read our output has left: what a shell says of a SIGPIPE."""


class OutputLost(Exception):
    """Nobody takes our answer any more: the pipe is closed, the terminal gone, the disk full."""


def wants_json(*, flag: bool | None, is_reading: bool) -> bool:
    """What the flag says; a reading command without one speaks JSON where nobody looks on."""
    if flag is not None:
        return flag
    return is_reading and sys.stdout is not None and not sys.stdout.isatty()


def show_json(value: Any) -> None:
    """One JSON document on standard output."""
    show_lines(json_text(value, indent=2))


def json_text(value: Any, *, indent: int | None = None) -> str:
    """JSON in ASCII: no terminal is moved by it, and no locale is unable to print it."""
    return json.dumps(_plain(value), indent=indent, default=str)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def show_lines(*lines: str) -> None:
    """Plain lines; what came from outside was made printable before. Raises OutputLost."""
    try:
        for line in lines:
            click.echo(line)
    except OSError as error:
        raise OutputLost from error


def forsake_output() -> None:
    """Point standard output nowhere, so that Python does not complain about it at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), sys.stdout.fileno())


def occupy_standard_descriptors() -> None:
    """Fill closed standard streams with nothing.

    Else the next file that is opened, the ledger for one, gets the number that a child takes for
    its standard output.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - it takes no keyword
    os.close(descriptor)


def columns(rows: Sequence[Sequence[str]], *, gap: int = 2) -> list[str]:
    """Rows as lines that fit the terminal; where there is none, each row is one line, and whole."""
    return laid_out(rows, gap=gap, width=screen_width())


def screen_width() -> int | None:
    """The columns of the terminal that standard output is; None where it is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    import shutil  # noqa: PLC0415 - 5 ms that what is printed as JSON need not wait for

    return shutil.get_terminal_size().columns


def clean(text: str) -> str:
    """A text of somebody else's, made harmless for a terminal and put on one line."""
    return printable(" ".join(text.split()))


def clean_text(text: str) -> str:
    """A text of many lines, made harmless for a terminal; its lines and spaces stay."""
    return printable(text.replace("\r\n", "\n"), keep="\n\t")


def fail(error: TidegateError, *, as_json: bool) -> NoReturn:
    """Say what went wrong and end with the error's code.

    In JSON it is one line: a program that reads line by line gets it after what was told before.
    """
    if as_json:
        said = {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "did_you_mean": error.did_you_mean,
        }
        show_lines(json_text({"error": said}))
    else:
        complain(_line(error))
    sys.exit(error.exit_code)


def complain(text: str) -> None:
    """One line on standard error, where anybody listens."""
    with suppress(OSError):
        click.echo(f"tidegate: {text}", err=True)


def _line(error: TidegateError) -> str:
    meant = f" (did you mean {error.did_you_mean!r}?)" if error.did_you_mean else ""
    return clean_text(f"{error}{meant}")
