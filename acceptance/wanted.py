"""What a package is worked on with: its issues, what must become of each, and what happens.

Data and no more; each package has a module of its own in `acceptance/packages`. The agent that does
its issues is `acceptance/agents/NAME.sh`.
"""

from dataclasses import dataclass
from enum import StrEnum

WIDTH = 4
FAILS_MAX = 3


class End(StrEnum):
    """What becomes of an issue."""

    LANDED = "landed"
    STOPPED = "stopped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One issue.

    `proof` is a command that exits with 1 on the base and with 0 where the change is in; an issue
    that does not land has none. `fails` is how many FAILs its builder deserves, and
    `because` is what the run gives as the reason of each.
    """

    id: str
    title: str
    text: str
    footprint: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()
    fails: int = 0
    because: str = ""
    end: End = End.LANDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A source distribution with tests of its own, pinned: what is run is what was looked at.

    `tests` is what passes on the package as it was published. `rivals` are two issues that want the
    one path `disputed` changed in the same lines, and reserve nothing.
    """

    name: str
    version: str
    sha256: str
    tests: str
    wanted: tuple[Wanted, ...]
    rivals: frozenset[str] = frozenset()
    disputed: str = ""
    has_adjudicator: bool = False
    is_flaky: bool = False
    """Its check fails each third time, whatever it looks at."""
    has_parts: bool = False
    """It is given a submodule, a large file under a filter, and a test that reads both."""
    builder_killed: str = ""
    """The issue whose first builder is killed from outside."""
    controller_killed: str = ""
    """The issue at whose first builder's work the controller is killed."""
    taken_later: str = ""
    """The issue whose builder shows that another controller is at work: it needs a free slot."""

    def ending(self, end: End) -> frozenset[str]:
        """The issues that must end so."""
        return frozenset(wanted.id for wanted in self.wanted if wanted.end is end)

    @property
    def deserved(self) -> dict[str, tuple[int, str]]:
        """How many FAILs the builder of each issue deserves, and for what."""
        return {wanted.id: (wanted.fails, wanted.because) for wanted in self.wanted}

    @property
    def proofs(self) -> dict[str, tuple[str, ...]]:
        """The proof of each issue that has one."""
        return {wanted.id: wanted.proof for wanted in self.wanted if wanted.proof}


def ruff(*arguments: str) -> tuple[str, ...]:
    """A run of ruff without settings of anybody's. It exits with 1 where it finds something."""
    alone = ("--isolated", "--no-cache", "--target-version", "py311", "--quiet")
    return ("ruff", "check", *alone, *arguments)


def has(text: str, path: str) -> tuple[str, ...]:
    """A look for a text in a file, which exits with 1 where it is not there."""
    return ("grep", "--quiet", "--no-messages", "--fixed-strings", "-e", text, path)


def pytest(*paths: str) -> str:
    """A run of pytest in a fixed order that leaves no folder behind."""
    return " ".join(("python -m pytest -q -p no:randomly -p no:cacheprovider", *paths))
