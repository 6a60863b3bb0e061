"""Whether a hub has what it should have; see ports.examination. Nothing here prunes or rewrites."""

import os
from collections.abc import Collection, Mapping, Sequence

from tidegate.core.errors import Unavailable
from tidegate.git import durable, landing, locks
from tidegate.git.command import LONG_S, Git
from tidegate.git.hub import Hub
from tidegate.ports.repository import HUB

LINES_SHOWN_MAX = 3
_CARRIED = ("config", "HEAD", "info/exclude", "hooks/pre-receive")
"""The files of a hub that git does not make anew."""


class HubFolder:
    """See ports.examination.HubExaminer."""

    def refs(self, home: str) -> Mapping[str, str]:
        """As git lists them."""
        return _hub(home).pins("refs/")

    def flaw(self, home: str) -> str:
        """Only what refs lead to is followed: a file that nobody needs is no flaw."""
        git = _hub(home).git.within(LONG_S)
        options = ("--connectivity-only", "--no-dangling", "--no-progress")
        said = git.run("fsck", *options, ok_codes=range(256))
        if said.code == 0:
            return ""
        lines = os.fsdecode(said.stdout + said.stderr).splitlines()
        told = [line.strip() for line in lines if line.strip()]
        return "; ".join(told[:LINES_SHOWN_MAX]) or "git fsck finds it damaged"

    def absent(self, home: str, commits: Collection[str]) -> frozenset[str]:
        """One process for all."""
        wanted = sorted(commits)
        found = _hub(home).look_up(*(f"{each}^{{commit}}" for each in wanted)) if wanted else ()
        return frozenset(c for c, oid in zip(wanted, found, strict=True) if oid is None)

    def unreachable(self, home: str, commits: Collection[str]) -> frozenset[str]:
        """What is left of them when all that refs lead to is taken away."""
        wanted = sorted(commits)
        if not wanted:
            return frozenset()
        held = sorted(set(self.refs(home).values()))
        lines = "".join((*(f"{c}\n" for c in wanted), *(f"^{oid}\n" for oid in held))).encode()
        git = _hub(home).git.within(LONG_S)
        left = git.run("rev-list", "--stdin", stdin=lines).text.split()
        return frozenset(wanted) & frozenset(left)

    def is_before(self, home: str, old: str, new: str) -> bool:
        """False also where one is not there."""
        git = _hub(home).git
        said = git.run("merge-base", "--is-ancestor", old, new, ok_codes=(0, 1, 128))
        return said.code == 0

    def point(self, home: str, ref: str, commit: str, *, old: str | None) -> None:
        """As a landing moves it."""
        moved = landing.move(_hub(home), ref, new=commit, old=old)
        if isinstance(moved, landing.Elsewhere):
            raise Unavailable(f"{ref} is at {moved.actual} by now", hint="look again")

    def locks(self, home: str) -> Sequence[str]:
        """Those that are older than every git at work."""
        return locks.stale_in_hub(_hub(home).path)

    def clear_locks(self, home: str) -> Sequence[str]:
        """The same, removed."""
        return locks.clear_hub(_hub(home).path)

    def copy(self, home: str, target: str, refs: Mapping[str, str]) -> Mapping[str, str]:
        """By a pack of everything that refs lead to.

        A clone would not do: the hub hides its pins from whoever asks over a transport. A bundle
        holds them, but has to be unpacked before anybody can look whether it is whole.
        """
        source, made = _hub(home), _hub(target)
        kept = {**source.pins("refs/"), **refs}
        git = Git(trusts_user=False, cwd=os.path.dirname(made.path), timeout_s=LONG_S)
        object_format = source.git.run("rev-parse", "--show-object-format").text
        options = ("--bare", "--template=", f"--object-format={object_format}")
        git.run("init", "-q", *options, made.path)
        _carry(source.path, made.path)
        base = os.path.join(made.path, "objects", "pack", "pack")
        tips = "".join(f"{oid}\n" for oid in sorted(set(kept.values()))).encode()
        source.git.within(LONG_S).run("pack-objects", "-q", "--revs", base, stdin=tips)
        made.pin(kept)
        durable.sync_file_system(made.path)
        return kept


def _hub(home: str) -> Hub:
    return Hub(os.path.join(home, HUB))


def _carry(source: str, target: str) -> None:
    for name in _CARRIED:
        path, place = os.path.join(source, name), os.path.join(target, name)
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            content = file.read()
        os.makedirs(os.path.dirname(place), exist_ok=True)
        durable.write_file(place, content)
        os.chmod(place, os.stat(path).st_mode & 0o777)
