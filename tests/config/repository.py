"""A made-up repository that holds configuration files and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tidegate.config.load import Loaded, load
from tidegate.config.problem import Misconfigured

MAIN = "tidegate.toml"
LOCAL = "tidegate.local.toml"
ROLE = ".tidegate/roles/build.md"


def write(root: Path, **files: str | bytes) -> None:
    """Write `main`, `local` and `role` under their real names."""
    names = {"main": MAIN, "local": LOCAL, "role": ROLE}
    for name, content in files.items():
        path = root / names[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def loaded(root: Path, **files: str | bytes) -> Loaded:
    """Write the files, and load them."""
    write(root, **files)
    return load(root)


def complaints(root: Path, **files: str | bytes) -> list[str]:
    """Write the files, and return each problem that loading them finds, as people read it."""
    write(root, **files)
    return refused(lambda: load(root))


def refused(action: Callable[[], object]) -> list[str]:
    """The problems for which something is refused, one line each."""
    with pytest.raises(Misconfigured) as caught:
        action()
    lines = [str(problem) for problem in caught.value.problems]
    assert all("\n" not in line for line in lines)
    return lines
