"""What the user has: every file of the checkout and of its git folder, byte for byte.

Left out is what Tidegate may write: its own folder, branches that begin with `tidegate/`, and
objects and large files, of which git may hold any number without anything being different for the
user. In a submodule's store refs of Tidegate's own keep what was delivered there.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_OURS = re.compile(
    r"""\.git/(?:
        (?:modules/[^/]+/)?objects/
        | modules/[^/]+/refs/tidegate/
        | lfs/objects/
        | tidegate/
        | (?:logs/)?refs/heads/tidegate/
    )""",
    re.VERBOSE,
)


def snapshot(checkout: Path) -> Mapping[str, str]:
    """Path below the checkout -> what is there: a digest with the mode, or where a link leads."""
    return {
        name: _print_of(path)
        for path in sorted(checkout.rglob("*"))
        if not _OURS.match(name := str(path.relative_to(checkout)))
        and (path.is_symlink() or path.is_file())
    }


def _print_of(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{path.stat().st_mode:o} {digest}"


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Each path that is not what it was, and what happened to it."""
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield f"{name} is gone"
        elif name not in before:
            yield f"{name} is new"
        elif before[name] != after[name]:
            yield f"{name} is another"
