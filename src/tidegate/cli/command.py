"""What every command has: `--json`, the house, and the one way in which errors are said."""

import errno
import os
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click

from tidegate.cli.output import fail, wants_json
from tidegate.core.errors import Misused, NotReady, TidegateError, Unavailable
from tidegate.verbs.house import House

Body = Callable[..., None]

COUNT_MAX = (1 << 63) - 1
"""The largest number that the ledger can be asked about."""

_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)

_reading: set[str] = set()


def command(*, is_reading: bool = True) -> Callable[[Body], Body]:
    """Give a command its `--json`, the house, and the one way in which errors are said."""

    def decorate(body: Body) -> Body:
        if is_reading:
            _reading.add(body.__name__.rstrip("_"))

        @click.option(
            "--json/--no-json",
            "json_flag",
            default=None,
            help="Answer in JSON (by itself when piped)." if is_reading else "Answer in JSON.",
        )
        @click.pass_context
        @wraps(body)
        def run(context: click.Context, /, *, json_flag: bool | None, **values: Any) -> None:
            as_json = wants_json(flag=json_flag, is_reading=is_reading)
            house: House = context.obj()
            try:
                _require_text(values.values())
                body(house, as_json=as_json, **values)
            except TidegateError as error:
                fail(_for_people(error, house.mask), as_json=as_json)
            except OSError as error:
                fail(_unavailable(error), as_json=as_json)

        return run

    return decorate


MESSAGE_MAX = 2_000
"""How many characters of an error are told; git may say a thousand lines."""
_NEXT = "mend that and do the same again; `tidegate doctor` says what else is in the way"


def _for_people(error: TidegateError, mask: Callable[[str], str]) -> TidegateError:
    """The error without secrets, in bounds, and with something to do where nothing was said."""
    message = mask(error.message)
    if len(message) > MESSAGE_MAX:
        message = f"{message[:MESSAGE_MAX]}… ({len(message)} characters)"
    error.message = message
    error.hint = mask(error.hint) or (_NEXT if isinstance(error, Unavailable) else "")
    error.args = (message,)
    return error


def _require_text(values: Iterable[object]) -> None:
    """Raise Misused for words that are no text: neither the ledger nor an issue could hold them."""
    for value in values:
        for word in value if isinstance(value, tuple) else (value,):
            if isinstance(word, str) and not _is_text(word):
                shown = os.fsencode(word).decode(errors="backslashreplace")
                raise Misused(f"'{shown}' is no text", hint="write it in UTF-8")


def _is_text(word: str) -> bool:
    """Bytes that are no text come in as surrogates, which no encoding takes."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unavailable(error: OSError) -> Unavailable:
    """What the system refused, with the path that it names."""
    where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
    advice = (
        "allow more open files, see `ulimit -n`"
        if error.errno in _TOO_MANY_FILES
        else "see its permissions and the free space"
    )
    hint = f"{advice}; nothing else was changed"
    return Unavailable(f"{where}{error.strerror or error}", hint=hint)


def reading_commands() -> frozenset[str]:
    """The names of the commands that only look: these answer in JSON where nobody looks on."""
    return frozenset(_reading)


def here() -> str:
    """The current folder. Raises NotReady where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - a path as the ports take them
    except FileNotFoundError:
        raise NotReady("the current folder is gone", hint="cd into your repository") from None
