"""Words for a shell that completes a command line. Never an error: then there is nothing to offer.

A command line names the folder that it works in, and so may the one that is being typed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from tidegate.cli.output import clean

if TYPE_CHECKING:  # every command would pay for it
    from click.shell_completion import CompletionItem

    from tidegate.verbs.house import House

VARIABLE = "_TIDEGATE_COMPLETE"
"""With it in its environment, the program answers a shell and does nothing else."""
OFFERED_MAX = 200

Offer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def script(shell: str) -> str:
    """What a shell has to read, to complete the words of `tidegate`."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - as below

    found = get_completion_class(shell)
    assert found is not None, shell
    made = found(click.Group(), {}, "tidegate", VARIABLE)
    # Not made.source(): that starts a bash to see its version, and complains where there is none.
    return made.source_template % made.source_vars()


def _offered(names: Callable[[House, str, click.Context], Iterable[tuple[str, str]]]) -> Offer:
    """Offer those of the names that begin as what was typed."""

    def offer(context: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - no command needs it

        with suppress(Exception):
            found = names(context.find_root().obj(), _folder(context), context)
            fitting = [each for each in found if each[0].startswith(typed)]
            return [CompletionItem(w, help=clean(says)) for w, says in fitting[:OFFERED_MAX]]
        return []

    return offer


def _folder(context: click.Context) -> str:
    """The folder that -C names: no command has gone there yet."""
    return os.path.abspath(context.find_root().params.get("folder") or "")  # noqa: PTH100 - a path as the ports take them


def _runs(house: House, folder: str, _: click.Context) -> list[tuple[str, str]]:
    from tidegate.verbs import known  # noqa: PLC0415 - no command needs it

    return [(each.word, each.meaning) for each in known.runs(house, folder)]


def _lanes(house: House, folder: str, context: click.Context) -> list[tuple[str, str]]:
    from tidegate.verbs import known  # noqa: PLC0415 - no command needs it

    found = known.lanes(house, folder, context.params.get("run_id"))
    return [(each.word, each.meaning) for each in found]


def _issues(house: House, folder: str, _: click.Context) -> list[tuple[str, str]]:
    from tidegate.verbs import known  # noqa: PLC0415 - no command needs it

    return [(each.word, each.meaning) for each in known.issues(house, folder)]


def _questions(house: House, folder: str, _: click.Context) -> list[tuple[str, str]]:
    from tidegate.verbs import known  # noqa: PLC0415 - no command needs it

    return [(each.word, each.meaning) for each in known.questions(house, folder)]


def _kinds(_house: House, _folder: str, _: click.Context) -> list[tuple[str, str]]:
    from tidegate.core.events import KINDS  # noqa: PLC0415 - no command needs it

    return [(kind, "") for kind in KINDS]


def _keys(_house: House, _folder: str, _: click.Context) -> list[tuple[str, str]]:
    from tidegate.config.keys import KEYS  # noqa: PLC0415 - no command needs it

    return [("path", "the files that are read"), *((k, key.meaning) for k, key in KEYS.items())]


runs, lanes, issues = _offered(_runs), _offered(_lanes), _offered(_issues)
questions, kinds, keys = _offered(_questions), _offered(_kinds), _offered(_keys)
