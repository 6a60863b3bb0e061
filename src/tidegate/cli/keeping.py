"""The commands that prove what is kept: nothing is lost, nothing happened twice.

`app` names them; they are here as those of `upkeep` are.
"""

import sys

import click

from tidegate.cli import completing
from tidegate.cli.command import command, here
from tidegate.verbs.house import House


@click.command()
@click.option("--repair", is_flag=True, help="Mend what is safe to mend, and say what was done.")
@command()
def fsck(house: House, *, as_json: bool, repair: bool) -> None:
    """Hold everything that is kept against everything else, and say what differs.

    The ledger's pages, chains and rows, stored texts, the hub's commits and refs, artifacts, turns,
    workspaces, processes and small files. It changes nothing, and works while a controller does:
    what moves then is told as in use.

    With --repair it mends what can be made anew from what is recorded, and moves what nobody knows
    into quarantine. It deletes no evidence; what it does not dare it tells, with a remedy. It exits
    with 5 where something is wrong and was not mended.
    """
    from tidegate.cli.examined import fsck as body  # noqa: PLC0415 - each command loads its own

    sys.exit(body(house, here(), repairs=repair, as_json=as_json))


@click.command()
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=completing.runs,
    help="This run alone; without it, all.",
)
@command()
def audit(house: House, *, as_json: bool, run_id: str | None) -> None:
    """Replay what is recorded, and check every rule that a lawful history keeps.

    A copy of the ledger goes event by event through the very functions that a controller decides
    by. It needs no controller, touches nothing, and prints each rule with how many events it was
    asked of and how many break it. It exits with 5 where one does.
    """
    from tidegate.cli.examined import audit as body  # noqa: PLC0415 - each command loads its own

    sys.exit(body(house, here(), run_id, as_json=as_json))


@click.command()
@click.argument("target", metavar="FOLDER", type=click.Path(file_okay=False))
@click.option("--verify", is_flag=True, help="Prove that the backup there can be restored.")
@command(is_reading=False)
def backup(house: House, *, as_json: bool, target: str, verify: bool) -> None:
    """Copy everything that is recorded into a new folder, also while a controller works.

    That is the ledger at one moment, all stored texts, the artifacts, and the hub with all that its
    refs lead to. With --verify it is the other way round: a drill that opens the backup in a
    temporary place and looks at all of it. docs/how-to/back-up-and-restore.md says how to restore.
    """
    from tidegate.cli.examined import backup as body  # noqa: PLC0415 - each command loads its own

    sys.exit(body(house, here(), target, verifies=verify, as_json=as_json))
