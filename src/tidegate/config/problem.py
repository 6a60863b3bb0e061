"""What is wrong in a file that a person wrote: one line each, and all of them at once.

It only carries what was found; finding it is the business of the readers.
"""

from collections.abc import Iterable, Sequence

from tidegate.core.errors import Misused
from tidegate.core.records import record
from tidegate.core.text import printable

SHOWN_MAX = 20
"""How many problems a message spells out; the count always tells of the rest."""


@record
class Problem:
    """One thing that is wrong: where, what, and what to do about it. Lines count from 1."""

    file: str
    line: int
    what: str
    fix: str
    did_you_mean: str | None = None

    def __str__(self) -> str:
        return f"{self.where_and_what}: {self.remedy}"

    @property
    def where_and_what(self) -> str:
        """The first half of the line, as compilers write it."""
        return printable(f"{self.file}:{self.line}: {self.what}")

    @property
    def remedy(self) -> str:
        """The second half: the likely intention first, then what helps in any case."""
        guess = f"did you mean `{self.did_you_mean}`? " if self.did_you_mean else ""
        return printable(guess + self.fix)


class Misconfigured(Misused):
    """Files that people wrote cannot be used. `problems` holds everything that was found."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        first, *rest = problems
        lines = [printable(first.fix), *(str(problem) for problem in rest[: SHOWN_MAX - 1])]
        if len(problems) > SHOWN_MAX:
            lines.append(f"and {len(problems) - SHOWN_MAX} more")
        super().__init__(
            first.where_and_what, hint="\n".join(lines), did_you_mean=first.did_you_mean
        )
        self.problems = tuple(problems)


def closest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that a mistyped word most likely meant."""
    import difflib  # noqa: PLC0415 - few words are mistyped

    return next(iter(difflib.get_close_matches(word, list(choices), n=1)), None)
