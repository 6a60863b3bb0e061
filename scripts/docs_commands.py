"""Write, or check, the reference page of the command line.

    python -m scripts.docs_commands [--check]

Run it at the top of the project. The page is made from the commands that the program has, whole, so
nothing of it is edited by hand.
"""

import inspect
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from scripts.reference_page import table, write
from tidegate.cli.app import EXIT_CODES, tidegate
from tidegate.cli.command import reading_commands
from tidegate.verbs.summary import (
    LandedIssue,
    RefusedIssue,
    StoppedIssue,
    Summary,
    Target,
    WaitingIssue,
)

PAGE = Path("docs/reference/commands.md")

_HEAD = """\
# Commands

This page is written by `scripts/docs_commands.py` from the code; edit the code.

Every command works on the repository that the current folder is in, from any folder of it, or on
the one that `-C DIR` names: `tidegate -C ~/my-repository status`. A linked worktree shares the
ledger of its repository.

## Exit codes
"""

_ANSWERS = """
A wrong word on the command line is wrong use. `doctor` ends with 3 where a run
would not start, and with 5 where what is recorded is damaged.

## Answers

People get a few plain lines. Programs get JSON: `--json` asks for it, and
{reading} print it by themselves where standard output is no
terminal; `--no-json` asks for the lines. A run tells of its progress on standard error, so that
its result can be piped. Colours follow `NO_COLOR`.

What cannot be done is one line on standard error, or with JSON one object on standard output:

```json
{error}
```

`code` does not change between versions; the other texts may. `events` and `log --json` print one
object a line; [events](events.md) says what is in it. On a terminal, what is too long for a line
goes on below itself; what is piped is one line a row, whole, whatever `COLUMNS` says.

## Commands
"""

_RUN = """
It exits with 0 where all that was open has landed, or nothing was; with 1 where something stopped,
waits, or could not be given to your branch; with 3 where a run could not go on, for a red base, a
missing agent or a disk that was full before it began; with 4 where another controller is at work,
or where your branch and what landed have both moved on; with 130 after an interrupt. In all but
the first case the output says what to do. What waits because you wished it, by `--max`, by
`--only` or by a word such as `deferred`, is told and changes no exit code.

`run --json` ends with one object. *stopped* is a STOP, a critical stop or a lane that is blocked;
*waiting* waits for another issue, for the run to go on, or for what you wished; of an issue that
was opened again the last lane counts; `run` is null where no run was begun; `note` says what a
person should know or do.

```json
{summary}
```
"""

_ERROR = {
    "error": {
        "code": "misused",
        "message": "there is no command 'statsu'",
        "hint": "see `tidegate --help`",
        "did_you_mean": "status",
    }
}

_SUMMARY = Summary(
    run="20260314-0915",
    landed=(LandedIssue(issue="001", lane="001", commit="65289e9169…"),),
    refused=(RefusedIssue(issue="002", kind="refused", reason="it is a duplicate of 001"),),
    stopped=(StoppedIssue(issue="003", lane="003", reason="STOP at FAIL 3"),),
    waiting=(WaitingIssue(issue="004", waits_for="issue 003"),),
    target=Target(ref="refs/heads/tidegate/20260314-0915", commit="65289e9169…"),
)


def page() -> str:
    """The page as the code has it now."""
    codes = table(("code", "meaning"), ((f"{code}", said) for code, said in EXIT_CODES.items()))
    names = sorted(reading_commands())
    reading = f"{', '.join(f'`{name}`' for name in names[:-1])} and `{names[-1]}`"
    answers = _ANSWERS.format(reading=reading, error=_json(_ERROR))
    return "\n".join([_HEAD, codes + answers, *_commands()])


def _commands() -> Iterator[str]:
    for name, command in sorted(tidegate.commands.items()):
        yield _command(name, command)


def _command(name: str, command: click.Command) -> str:
    usage = " ".join(["tidegate", name, "[OPTIONS]", *map(_word, _arguments(command))])
    says = inspect.cleandoc(command.help or "")
    options = table(("option", "meaning"), map(_row, _options(command)))
    more = _RUN.format(summary=_json(_SUMMARY.as_json())) if name == "run" else ""
    return f"### `{name}`\n\n```\n{usage}\n```\n\n{says}\n\n{options}{more}"


def _arguments(command: click.Command) -> list[click.Argument]:
    return [each for each in command.params if isinstance(each, click.Argument)]


def _options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option)]


def _word(argument: click.Argument) -> str:
    name = str(argument.name).upper()
    return name if argument.required else f"[{name}]"


def _row(option: click.Option) -> Sequence[str]:
    names = "/".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {option.metavar or _kind(option.type)}"
    return (f"`{names}{value}`", option.help or "")


def _kind(kind: object) -> str:
    return "NUMBER" if isinstance(kind, click.types.IntParamType) else "TEXT"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with --check only say whether it is current; 1 where it is not."""
    return write(PAGE, page(), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
