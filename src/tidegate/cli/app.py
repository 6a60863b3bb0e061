"""The commands. Each says what it does, what it prints and how it exits."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

import click

from tidegate import __version__
from tidegate.cli import completing
from tidegate.cli.command import COUNT_MAX, command, here, reading_commands
from tidegate.cli.holding import drain, receipts, reconcile, service, undrain
from tidegate.cli.keeping import audit, backup, fsck
from tidegate.cli.output import (
    READER_GONE,
    OutputLost,
    complain,
    fail,
    forsake_output,
    occupy_standard_descriptors,
    show_json,
    show_lines,
    wants_json,
)
from tidegate.cli.proving import prove
from tidegate.cli.upkeep import completion, config, events, gc
from tidegate.cli.usage import Commands, as_misused, json_flag
from tidegate.core.errors import Misused
from tidegate.verbs.house import House

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

INTERRUPTED, BUG = 130, 70
EXIT_CODES: Mapping[int, str] = {
    0: "done",
    1: "finished, but something needs you",
    2: "wrong use or configuration",
    3: "this machine or repository is not ready",
    4: "refused in this state",
    5: "an integrity check failed",
    BUG: "a bug of Tidegate's",
    INTERRUPTED: "interrupted",
    READER_GONE: "whoever read the output has left",
}
_WORDS = ("open", "gated", "deferred", "refused")
_RULINGS = ("land", "stop", "again", "build", "refuse")
_SHOWN_CODES = "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())


@click.group(
    cls=Commands,
    context_settings=_CONTEXT,
    epilog=f"Exit codes: {_SHOWN_CODES}.",
    invoke_without_command=True,
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option(
    "-C", "folder", type=click.Path(), metavar="DIR", help="Work as if started in this folder."
)
@click.pass_context
def tidegate(context: click.Context, folder: str | None) -> None:
    """Run coding agents over a queue of issues, and land only what is proved.

    `tidegate demo` shows how that goes. In a repository of yours: init, add TITLE, run.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(Misused.exit_code)
    if folder is not None:
        try:
            os.chdir(folder)
        except OSError as error:
            raise click.BadParameter(f"{folder}: {error.strerror}", param_hint="'-C'") from error


@tidegate.command()
@command(is_reading=False)
def init(house: House, *, as_json: bool) -> None:
    """Write tidegate.toml and .tidegate/. What exists stays; .gitignore may get one more line."""
    from tidegate.verbs.setup import init as verb  # noqa: PLC0415 - each command loads its own

    done = verb(house, here())
    if as_json:
        show_json(done)
        return
    show_lines(*(f"wrote  {path}" for path in done.written))
    show_lines(*(f"kept   {path}" for path in done.kept))
    if "tidegate.toml" in done.kept:
        show_lines("next: see what a run would say, `tidegate doctor`")
        return
    next_step = (
        f"check: {done.check}  (guessed; see [check] in tidegate.toml)"
        if done.check
        else "next: name the command that proves a change, [check] in tidegate.toml"
    )
    show_lines(next_step, "next: name your agent, [roles.build] command in tidegate.toml")


@tidegate.command()
@click.argument("title")
@click.option("--text", default="", help="What is wanted, at length; `-` reads standard input.")
@click.option(
    "--footprint",
    multiple=True,
    metavar="PATTERN",
    help="Paths that the change may touch, and no other; repeatable.",
)
@click.option("--priority", type=int, default=0, show_default=True, help="Higher goes first.")
@command(is_reading=False)
def add(
    house: House,
    *,
    as_json: bool,
    title: str,
    text: str,
    footprint: tuple[str, ...],
    priority: int,
) -> None:
    """Write an issue under the next free number, or hand it to your tracker's command.

    What the change may touch is a pattern of paths:

        tidegate add "Fix the date parser" --footprint 'src/dates/**'
    """
    from tidegate.cli.queue import standard_input  # noqa: PLC0415 - each command loads its own
    from tidegate.verbs.setup import add as verb  # noqa: PLC0415 - each command loads its own

    body = standard_input() if text == "-" else text
    issue, advice = verb(house, here(), title, text=body, footprint=footprint, priority=priority)
    if as_json:
        said = {"issue": issue.id, "title": issue.title, "path": issue.path, "advice": advice}
        show_json(said)
    else:
        shown = f"issue {issue.id}: {issue.path}" if issue.path else f"issue {issue.id}"
        show_lines(shown, *(f"note: {each}" for each in advice))


@tidegate.command()
@click.option(
    "--width", type=click.IntRange(1, 1024), help="How many lanes may work at once, this time."
)
@click.option("--base", metavar="REF", help="Start a new run from this commit.")
@click.option("--anew", is_flag=True, help="End the run that is open, and begin another.")
@click.option(
    "--max", "opened_max", type=click.IntRange(min=1), help="Open at most so many lanes, this time."
)
@click.option(
    "--only",
    multiple=True,
    metavar="ISSUE",
    shell_complete=completing.issues,
    help="Take this issue and no other; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Say what would start and why, and do nothing.")
@command(is_reading=False)
def run(
    house: House,
    *,
    as_json: bool,
    width: int | None,
    base: str | None,
    anew: bool,
    opened_max: int | None,
    only: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Build, check, rework and land the open issues.

    It goes on until the queue is empty. A run that was interrupted, or whose controller died, is
    taken up again: its live agents go on. The first Ctrl-C lets what runs come to its end and
    starts nothing new; the second stops the agents; the third leaves at once.

    A run keeps the configuration that it began with. With --anew the open run is ended: its agents
    are stopped, what they did is kept, what landed stays, and issues that were not decided are
    open again.

    --max 1 works on one issue and ends. With --only, what an issue needs must have landed all the
    same. What is left by either is told, and is no reason for another exit code.
    """
    from tidegate.verbs.start import RunWish  # noqa: PLC0415 - each command loads its own

    wish = RunWish(width=width, base=base, anew=anew, only=only, opened_max=opened_max)
    if dry_run:
        from tidegate.cli.preview import preview  # noqa: PLC0415 - as above

        sys.exit(preview(house, here(), wish, as_json=as_json))
    from tidegate.cli.running import run as body  # noqa: PLC0415 - as above

    sys.exit(body(house, here(), wish, as_json=as_json))


@tidegate.command()
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=completing.runs,
    help="This run, not the newest.",
)
@command()
def status(house: House, *, as_json: bool, run_id: str | None) -> None:
    """Show the newest run: open lanes, and what became of the others."""
    from tidegate.cli.status import status as show_status  # noqa: PLC0415 - each command loads its own

    show_status(house, here(), run_id, as_json=as_json)


@tidegate.command()
@click.argument("lane", required=False, shell_complete=completing.lanes)
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=completing.runs,
    help="This run, not the newest.",
)
@click.option("-n", "last", type=click.IntRange(1, COUNT_MAX), help="Only the last so many events.")
@click.option("--all", "everything", is_flag=True, help="The quiet events too.")
@command(is_reading=False)
def log(
    house: House,
    *,
    as_json: bool,
    lane: str | None,
    run_id: str | None,
    last: int | None,
    everything: bool,
) -> None:
    """Print the events of a run, or of one lane, in order."""
    from tidegate.cli.history import log as show_log  # noqa: PLC0415 - each command loads its own

    show_log(
        house, here(), lane=lane, run=run_id, last=last, everything=everything, as_json=as_json
    )


@tidegate.command()
@click.argument("lane", shell_complete=completing.lanes)
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=completing.runs,
    help="This run, not the newest that has the lane.",
)
@click.option("--report", is_flag=True, help="Its report: what was proved, and each finding.")
@command()
def show(house: House, *, as_json: bool, lane: str, run_id: str | None, report: bool) -> None:
    """Show one lane: its attempts, why each round failed, and the reports."""
    from tidegate.cli import story  # noqa: PLC0415 - each command loads its own

    body = story.report if report else story.show
    body(house, here(), lane, run_id, as_json=as_json)


@tidegate.command()
@click.argument("issue", required=False, shell_complete=completing.issues)
@command()
def explain(house: House, *, as_json: bool, issue: str | None) -> None:
    """Say why an issue is next, or is not; without one, all of them.

    Of an issue that is under way, or of its lane, it says the stage, since when, and what it waits
    for.
    """
    from tidegate.cli.queue import (  # noqa: PLC0415 - each command loads its own
        show_issue,
        show_queue,
    )

    if issue is None:
        show_queue(house, here(), as_json=as_json)
    else:
        show_issue(house, here(), issue, as_json=as_json)


@tidegate.command()
@command()
def queue(house: House, *, as_json: bool) -> None:
    """Show all issues in their order, each with the one reason for its place."""
    from tidegate.cli.queue import show_queue  # noqa: PLC0415 - each command loads its own

    show_queue(house, here(), as_json=as_json)


@tidegate.command("next")
@click.option(
    "-n", "count", type=click.IntRange(1, 1024), default=1, help="As many as would start together."
)
@command()
def next_(house: House, *, as_json: bool, count: int) -> None:
    """Print the id of the issue that comes next.

    It exits with 1 where nothing can be taken, and says why on standard error.
    """
    from tidegate.cli.queue import show_next  # noqa: PLC0415 - each command loads its own

    sys.exit(show_next(house, here(), count, as_json=as_json))


@tidegate.command()
@click.argument(
    "issues",
    nargs=-1,
    required=True,
    metavar="ISSUE...",
    shell_complete=completing.issues,
)
@click.option("--reason", default="", help="Why it is worth another try.")
@command(is_reading=False)
def retry(house: House, *, as_json: bool, issues: tuple[str, ...], reason: str) -> None:
    """Open issues again that were stopped, refused or set aside.

    The next run takes them, and so does one that is under way. What became of them before is kept.
    """
    from tidegate.cli.standing import retry as body  # noqa: PLC0415 - each command loads its own

    body(house, here(), issues, reason=reason, as_json=as_json)


@tidegate.command()
@click.argument("issue", metavar="ISSUE|LANE", shell_complete=completing.issues)
@click.argument("word", type=click.Choice([*_WORDS, *_RULINGS]))
@click.option("--reason", default="", help="Why; a standing word needs its reason.")
@command(is_reading=False)
def rule(house: House, *, as_json: bool, issue: str, word: str, reason: str) -> None:
    """Say a standing word on an issue, or rule on a lane of the run.

    open, gated, deferred and refused bind all later runs until another is said. What is gated,
    deferred or refused is not taken; open takes an issue again, whatever came of it.

    land, stop, again, build and refuse rule on a lane that is under way, for this run alone: they
    answer what it asks.

        tidegate rule 004 deferred --reason "not before the release"
    """
    if word in _RULINGS:
        from tidegate.cli.ruling import rule as ruled  # noqa: PLC0415 - each command loads its own

        ruled(house, here(), issue, word, reason=reason, as_json=as_json)
        return
    from tidegate.cli.standing import rule as body  # noqa: PLC0415 - each command loads its own

    body(house, here(), issue, word, reason=reason, as_json=as_json)


@tidegate.command()
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=completing.runs,
    help="This run, not the newest.",
)
@command(is_reading=False)
def land(house: House, *, as_json: bool, run_id: str | None) -> None:
    """Fast-forward your branch to what a run has proved.

    Nothing is merged and nothing of yours is overwritten. Where [land] publish names a remote, what
    landed is pushed there too.
    """
    from tidegate.verbs.land import land as verb  # noqa: PLC0415 - each command loads its own

    done = verb(house, here(), run=run_id)
    if as_json:
        show_json(done)
    else:
        show_lines(done.note, *([f"published to {done.published}"] if done.published else ()))


@tidegate.command()
@click.argument("question", required=False, shell_complete=completing.questions)
@click.argument("said", metavar="[ANSWER]", required=False)
@click.option("--words", default="", help="What you want to say with it; the next agent hears it.")
@command()
def answer(
    house: House, *, as_json: bool, question: str | None, said: str | None, words: str
) -> None:
    """Answer a question of the run; without one, show those that wait for you.

    The recommended answer is the first. `defer` leaves the question open; it is listed at the end
    of the run. An answer binds this run alone.

        tidegate answer 004-q1 build --words "it is wanted all the same"
    """
    from tidegate.cli.ruling import answer as body  # noqa: PLC0415 - each command loads its own

    body(house, here(), question, said, words, as_json=as_json)


@tidegate.command()
@click.argument("lane", shell_complete=completing.lanes)
@click.option("--item", "items", multiple=True, help="One thing that has to change; repeatable.")
@command(is_reading=False)
def veto(house: House, *, as_json: bool, lane: str, items: tuple[str, ...]) -> None:
    """Rule against a PASS, by a list: it goes back to the builder, and counts as a FAIL.

    tidegate veto 004 --item "keep the old name too" --item "no new dependency"
    """
    from tidegate.cli.ruling import veto as body  # noqa: PLC0415 - each command loads its own

    body(house, here(), lane, items, as_json=as_json)


@tidegate.command()
@click.argument("lane", required=False, shell_complete=completing.lanes)
@click.option("--reason", default="no reason given", help="Why; it is kept.")
@click.option("--now", is_flag=True, help="Stop the run's agents too.")
@command(is_reading=False)
def stop(house: House, *, as_json: bool, lane: str | None, reason: str, now: bool) -> None:
    """Stop one lane; without one, let the run at work start nothing more.

    What a stopped lane did is kept. A run that was stopped is taken up again by `tidegate run`.
    With --now agents are stopped that have outlived their controller, too.
    """
    from tidegate.cli.ruling import stop as body  # noqa: PLC0415 - each command loads its own

    body(house, here(), lane, reason, now=now, as_json=as_json)


@tidegate.command()
@command()
def doctor(house: House, *, as_json: bool) -> None:
    """Say what would not work here, before anything is spent."""
    from tidegate.cli.health import doctor as show_health  # noqa: PLC0415 - each command loads its own

    sys.exit(show_health(house, here(), as_json=as_json))


@tidegate.command()
@click.option("--keep", is_flag=True, help="Leave the demo's repository for you to look at.")
@click.option(
    "--chaos", is_flag=True, help="Kill the controller while agents work, and start it again."
)
@command(is_reading=False)
def demo(house: House, *, as_json: bool, keep: bool, chaos: bool) -> None:
    """Watch nine lanes: passed, reworked, refused, caught and stopped ones.

    It makes a small repository with tests in a temporary folder and runs over it.
    """
    from tidegate.cli.running import demo as body  # noqa: PLC0415 - each command loads its own

    sys.exit(body(house, keep=keep, chaos=chaos, as_json=as_json))


for further in (
    completion,
    config,
    drain,
    events,
    gc,
    prove,
    fsck,
    audit,
    backup,
    receipts,
    reconcile,
    service,
    undrain,
):
    tidegate.add_command(further)


def main(build_house: Callable[[], House]) -> NoReturn:
    """Run the command line. The house is built once a command needs it."""
    occupy_standard_descriptors()
    if sys.stdout is not None:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # standard output is a text file here
    try:
        sys.exit(_ended(build_house))
    except OutputLost:
        forsake_output()
        sys.exit(READER_GONE)
    except Exception:  # noqa: BLE001 - the last place that can say what to do about a bug
        if completing.VARIABLE in os.environ:
            sys.exit(BUG)  # what is told would stand in the midst of somebody's command line
        import traceback  # noqa: PLC0415 - half a megabyte that a controller would keep

        traceback.print_exc()
        complain(
            "this is a bug; please report what stands above. Nothing is lost: agents go on, and "
            "`tidegate run` takes the run up again"
        )
        sys.exit(BUG)


def _ended(build_house: Callable[[], House]) -> int:
    """The exit code of the command."""
    try:
        code = tidegate.main(prog_name="tidegate", obj=build_house, standalone_mode=False)
    except click.Abort as stop:
        complain(f"interrupted; {str(stop) or 'the same command goes on from there'}")
        return INTERRUPTED
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        is_reading = context is not None and context.info_name in reading_commands()
        flag = json_flag(sys.argv[1:])
        fail(as_misused(error), as_json=wants_json(flag=flag, is_reading=is_reading))
    return code if isinstance(code, int) else 0
