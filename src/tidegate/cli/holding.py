"""Commands for a run that goes on for days: hold it, settle what is unknown, keep it going.

`app` names them, as it does those of `upkeep`.
"""

import sys

import click

from tidegate.cli.command import command, here
from tidegate.verbs.house import House


@click.command()
@click.argument("reason", required=False, default="")
@click.option("--wait", is_flag=True, help="Return when nothing of the run is under way.")
@command(is_reading=False)
def drain(house: House, *, as_json: bool, reason: str, wait: bool) -> None:
    """Have nothing new begin in the open run, until `tidegate undrain`.

    What runs comes to its end and is recorded; a change that passed is ruled and queued; a landing
    under way finishes, and no other starts. It outlives the controller: `tidegate run` takes a
    drained run up, records what ended, begins nothing and exits with 1. `tidegate stop` without a
    lane ends the controller at work alone.

        tidegate drain --wait "upgrade to the next version"
    """
    from tidegate.cli import held as body  # noqa: PLC0415 - each command loads its own

    body.drain(house, here(), reason, wait=wait, as_json=as_json)


@click.command()
@command(is_reading=False)
def undrain(house: House, *, as_json: bool) -> None:
    """Lift the drain of the open run. A controller at work goes on at once."""
    from tidegate.cli import held as body  # noqa: PLC0415 - each command loads its own

    body.undrain(house, here(), as_json=as_json)


@click.command()
@click.option("--all", "every", is_flag=True, help="Those of all runs.")
@command()
def receipts(house: House, *, as_json: bool, every: bool) -> None:
    """Show what the newest run did outside, and what of any run nobody knows the end of.

    That is deliveries to your branch, pushes, and what a tracker was told. Nothing of an issue
    goes on while one of its receipts is unknown.
    """
    from tidegate.cli import held as body  # noqa: PLC0415 - each command loads its own

    body.receipts(house, here(), every=every, as_json=as_json)


@click.command()
@click.argument("receipt")
@click.argument("outcome", type=click.Choice(["done", "failed"]))
@click.argument("reason", required=False, default="")
@command(is_reading=False)
def reconcile(house: House, *, as_json: bool, receipt: str, outcome: str, reason: str) -> None:
    """Say how something outside ended of which Tidegate does not know.

    Look there first. The unknown receipt stays in the ledger, and your word is recorded beside it.

        tidegate reconcile 20260314-0915-004-close done "the ticket is closed"
    """
    from tidegate.cli import held as body  # noqa: PLC0415 - each command loads its own

    body.reconcile(house, here(), receipt, outcome, reason, as_json=as_json)


@click.command()
@click.option("--print", "prints", is_flag=True, help="Print the units, and write nothing.")
@click.option("--uninstall", is_flag=True, help="Take the units away again.")
@command(is_reading=False)
def service(house: House, *, as_json: bool, prints: bool, uninstall: bool) -> None:
    """Write units with which systemd keeps this repository's run going, as you.

    A timer starts `tidegate run` now and every quarter of an hour: where nothing is to be done it
    ends at once, and a controller that died is started again. Stopping the unit leaves the agents
    at work. Where there is no systemd it says what to do instead, and exits with 1.
    """
    from tidegate.cli import held as body  # noqa: PLC0415 - each command loads its own

    code = body.service(house, here(), prints=prints, uninstall=uninstall, as_json=as_json)
    sys.exit(code)
