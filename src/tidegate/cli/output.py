"""How a command answers: JSON for programs, a few plain lines for people, one line for errors."""

import json
import sys
from dataclasses import asdict, is_dataclass
from typing import Any, NoReturn

import click

from tidegate.core.errors import TidegateError
from tidegate.core.text import printable


def wants_json(*, flag: bool | None, is_reading: bool) -> bool:
    """What the flag says; a reading command without one speaks JSON where nobody looks on."""
    if flag is not None:
        return flag
    return is_reading and not sys.stdout.isatty()


def show_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(_plain(value), ensure_ascii=False, indent=2, default=str))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def show_lines(*lines: str) -> None:
    """Plain lines; what came from outside was made printable before."""
    for line in lines:
        click.echo(line)


def columns(rows: list[tuple[str, ...]], *, gap: int = 2) -> list[str]:
    """Rows as aligned columns; nothing is cut, the last column runs on."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    return [
        (" " * gap)
        .join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
        .rstrip()
        for row in rows
    ]


def clean(text: str) -> str:
    """A text of somebody else's, made harmless for a terminal and put on one line."""
    return printable(" ".join(text.split()))


def fail(error: TidegateError, *, as_json: bool) -> NoReturn:
    """Say what went wrong and end with the error's code."""
    if as_json:
        show_json(
            {
                "error": {
                    "code": error.code,
                    "message": error.message,
                    "hint": error.hint,
                    "did_you_mean": error.did_you_mean,
                }
            }
        )
    else:
        click.echo(f"tidegate: {_line(error)}", err=True)
    sys.exit(error.exit_code)


def _line(error: TidegateError) -> str:
    meant = f" (did you mean {error.did_you_mean!r}?)" if error.did_you_mean else ""
    return f"{error}{meant}"
