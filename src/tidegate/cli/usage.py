"""Wrong use of the command line, said as every other error is: one line, or JSON.

The parser finds out what is wrong; here it gets its code, its remedy and the likely intention.
"""

from collections.abc import Mapping, Sequence

import click

from tidegate.config.problem import closest
from tidegate.core.errors import Misused


class UnknownCommand(click.UsageError):
    """A first word that is no command; `meant` is the nearest one that is."""

    def __init__(self, name: str, meant: str | None, context: click.Context) -> None:
        super().__init__(f"there is no command {name!r}", ctx=context)
        self.meant = meant


SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Begin": ("demo", "prove", "init", "add", "doctor"),
    "Run": ("run", "stop", "drain", "undrain", "land"),
    "Look": ("status", "queue", "next", "explain", "show", "log", "events", "receipts"),
    "Rule": ("answer", "veto", "rule", "retry", "reconcile"),
    "Prove what is kept": ("fsck", "audit", "backup"),
    "Set up and tidy up": ("config", "completion", "service", "gc"),
}
"""The commands as `--help` lists them: by what somebody wants to do, as it comes on a first day."""
_WHOLE = 200
"""Characters of a command's first sentence: none is longer, so that none is cut."""


class Commands(click.Group):
    """A group that knows what was meant by a mistyped command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for."""
        del ctx
        widest = max(map(len, self.commands))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                first = {name: self.commands[name].get_short_help_str(_WHOLE) for name in names}
                formatter.write_dl([(name.ljust(widest), said) for name, said in first.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word."""
        name = args[0]
        is_unknown = self.get_command(ctx, name) is None and not name.startswith("-")
        if is_unknown and not ctx.resilient_parsing:  # a shell that completes asks without a fault
            raise UnknownCommand(name, closest(name, self.list_commands(ctx)), ctx)
        return super().resolve_command(ctx, args)


def as_misused(error: click.ClickException) -> Misused:
    """The parser's complaint in our words."""
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context is not None else ""
    match error:
        case UnknownCommand(message=message, meant=meant):
            return Misused(message, hint=hint, did_you_mean=meant)
        case click.NoSuchOption(option_name=name, possibilities=possible):
            meant = next(iter(possible or ()), None)
            return Misused(f"there is no option {name}", hint=hint, did_you_mean=meant)
        case _:
            said = error.format_message().strip().rstrip(".")
            return Misused(said[:1].lower() + said[1:], hint=hint)


def json_flag(arguments: Sequence[str]) -> bool | None:
    """What a command line that could not be parsed says about JSON."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    said = [word == "--json" for word in options if word in {"--json", "--no-json"}]
    return said[-1] if said else None
