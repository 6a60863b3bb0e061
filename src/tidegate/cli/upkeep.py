"""Further commands: for programs that look on, for what is configured, and for what is left over.

`app` names them; they are here since one file of all commands would be too long to read.
"""

import sys

import click

from tidegate.cli import completing
from tidegate.cli.command import COUNT_MAX, command, here
from tidegate.cli.output import show_json, show_lines
from tidegate.verbs.house import House


@click.command()
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=completing.runs,
    help="This run, not the newest.",
)
@click.option(
    "--lane", metavar="LANE", shell_complete=completing.lanes, help="Only the events of this lane."
)
@click.option(
    "--after",
    type=click.IntRange(0, COUNT_MAX),
    default=0,
    metavar="SEQUENCE",
    help="Only what came after this one: the last that you have seen.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    shell_complete=completing.kinds,
    help="Only events of this kind; repeatable.",
)
@click.option(
    "-n", "last", type=click.IntRange(1, COUNT_MAX), help="Only the last so many to begin with."
)
@click.option("--follow", is_flag=True, help="Go on with what comes, until the run ends.")
@command()
def events(
    house: House,
    *,
    as_json: bool,
    run_id: str | None,
    lane: str | None,
    after: int,
    kinds: tuple[str, ...],
    last: int | None,
    follow: bool,
) -> None:
    """Print the events of a run for programs: one JSON object a line, in order, all fields.

    What the fields are is in docs/reference/events.md. For people there is `tidegate log`.

    With --follow it goes on until the run ends, and exits with 1 where its controller leaves
    before. A program that was away goes on with the last sequence it has seen:

        tidegate events --follow --after 120 --kind landed --kind lane_ended
    """
    from tidegate.cli.stream import events as body  # noqa: PLC0415 - each command loads its own
    from tidegate.verbs.events import Choice  # noqa: PLC0415 - as above

    del as_json  # a person who asks for events gets them as they are
    choice = Choice(run=run_id, lane=lane, after=after, kinds=kinds, last=last)
    sys.exit(body(house, here(), choice, follow=follow))


@click.command()
@click.argument("key", required=False, shell_complete=completing.keys)
@click.option("--run", "of_run", is_flag=True, help="Where the open run differs from the files.")
@command()
def config(house: House, *, as_json: bool, key: str | None, of_run: bool) -> None:
    """Show what is configured: each key, the file that set it, and its value.

    With KEY it prints that value alone; a section such as `check` stands for its keys. The word
    `path` lists the files that are read, in the order in which they win. A run keeps what it began
    with; --run tells where that differs from the files as they are now.
    """
    from tidegate.cli import configuration as body  # noqa: PLC0415 - each command loads its own

    if of_run:
        body.differences(house, here(), key, as_json=as_json)
    elif key == "path":
        body.sources(house, here(), as_json=as_json)
    elif key is not None:
        body.one(house, here(), key, as_json=as_json)
    else:
        body.every(house, here(), as_json=as_json)


@click.command()
@click.option("--yes", is_flag=True, help="Remove it; without this it is only shown.")
@click.option(
    "--older-than",
    "older_than_days",
    type=click.IntRange(min=0, max=36_500),
    default=14,
    show_default=True,
    metavar="DAYS",
    help="Folders and branches of runs that ended so long ago.",
)
@click.option("--with-evidence", is_flag=True, help="Also what a critical stop has left.")
@command(is_reading=False)
def gc(
    house: House, *, as_json: bool, yes: bool, older_than_days: int, with_evidence: bool
) -> None:
    """Show what runs have left and nobody needs; with --yes remove it.

    That is workspaces of lanes that are over and harvested, folders of runs that ended, and
    branches `tidegate/<run>` that your branch has all of. The newest run of a branch is kept, and
    so is whatever is not proved to be dead or not proved to be safe elsewhere: it is told why. The
    ledger and all that was ever harvested stay.
    """
    from tidegate.cli.tidying import gc as body  # noqa: PLC0415 - each command loads its own
    from tidegate.verbs.leftovers import Scope  # noqa: PLC0415 - as above

    scope = Scope(older_than_days=older_than_days, with_evidence=with_evidence)
    sys.exit(body(house, here(), scope, removes=yes, as_json=as_json))


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@command(is_reading=False)
def completion(house: House, *, as_json: bool, shell: str) -> None:
    """Print what makes your shell complete the words of `tidegate`.

    Put it where your shell looks, or for this shell alone:

        source <(tidegate completion bash)

    docs/how-to/complete-words.md has the places for bash, zsh and fish.
    """
    del house
    text = completing.script(shell)
    if as_json:
        show_json({"shell": shell, "script": text})
    else:
        show_lines(text)
