"""The proof's face: progress while it goes on, a table and one sentence at its end."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import isnan
from typing import TYPE_CHECKING

import click

from tidegate.cli.command import command
from tidegate.cli.output import clean_text, columns, show_json, show_lines
from tidegate.core.errors import IntegrityError, Misused
from tidegate.verbs.house import House

if TYPE_CHECKING:
    from tidegate.showcase.proving.faults import Fault


@click.command()
@click.option(
    "--minutes",
    type=click.FloatRange(min=0.1, max=24 * 60),
    default=2.0,
    show_default=True,
    help="For how long faults go on; each kind happens once at least.",
)
@click.option("--seed", type=int, default=None, help="The same faults in the same order again.")
@click.option(
    "--kills",
    type=click.IntRange(min=1),
    default=None,
    help="So many kill -9 of the controller instead, and no other fault.",
)
@click.option(
    "--fault",
    "only",
    multiple=True,
    metavar="NAME",
    help="This kind of fault once, and no other; repeatable.",
)
@click.option("--keep", is_flag=True, help="Leave its folder for you to look at.")
@command(is_reading=False)
def prove(
    house: House,
    *,
    as_json: bool,
    minutes: float,
    seed: int | None,
    kills: int | None,
    only: Sequence[str],
    keep: bool,
) -> None:
    """Do the worst to real runs on this machine, and count what is lost or done twice.

    In a temporary folder it makes a repository with agents that write, test and commit, and runs
    over it. It kills the controller, runners and agents by SIGKILL, stops them for longer than a
    lease, starts a second controller, takes the run over behind its back, makes its writes fail
    and steps its clock. Then it lets the run finish and examines everything that is left.

    It exits with 5 where anything was lost or done twice, or a fault had no effect.
    """
    from tidegate.showcase.proving.driver import (  # noqa: PLC0415 - only the proof needs it
        ProveWish,
        run_prove,
    )
    from tidegate.showcase.proving.report import closing, table  # noqa: PLC0415 - as above

    if isnan(minutes):  # it is neither below a range nor above it, and would never be over
        raise Misused("'nan' is no number of minutes", hint="see `tidegate prove --help`")
    wish = ProveWish(
        minutes=minutes,
        seed=int(house.new_token()[:6], 16) if seed is None else seed,
        kills=kills or 0,
        only=tuple(map(_fault, only)),
        keep=keep,
    )
    with _interruptible():
        proof = run_prove(house, wish, _tell)
    if as_json:
        show_json(proof.as_json())
    else:
        show_lines(*columns([tuple(row) for row in table(proof)]), "", *closing(proof))
    sys.exit(0 if proof.holds else IntegrityError.exit_code)


def _fault(name: str) -> "Fault":
    from tidegate.showcase.proving.faults import Fault  # noqa: PLC0415 - as above

    named = {each.name.lower().replace("_", "-"): each for each in Fault}
    if name not in named:
        raise Misused(f"there is no fault {name!r}", hint=f"one of {', '.join(named)}")
    return named[name]


def _tell(text: str) -> None:
    with suppress(OSError):
        click.echo(clean_text(text), err=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Whatever asks it to end, it ends all that it started first, and says that nothing goes on."""
    wanted = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.default_int_handler) for number in wanted}
    try:
        yield
    except KeyboardInterrupt:
        raise click.Abort(_ENDED) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_ENDED = "what it started is ended, its folder is gone, and nothing is proved"
