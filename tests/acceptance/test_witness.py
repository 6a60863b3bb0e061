"""What counts as touching the user's checkout."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acceptance import witness


def write(path: Path, text: str = "x") -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Something that looks like a checkout."""
    for name in ("code.py", ".git/HEAD", ".git/index", ".git/refs/heads/main"):
        write(tmp_path / name)
    (tmp_path / "link").symlink_to("code.py")
    return tmp_path


def seen(checkout: Path, change: Callable[[], object]) -> list[str]:
    """What the witness says of a change."""
    before = witness.snapshot(checkout)
    change()
    return list(witness.changes(before, witness.snapshot(checkout)))


@pytest.mark.parametrize(
    "name",
    [
        "code.py",
        ".git/HEAD",
        ".git/index",
        ".git/refs/heads/main",
        ".git/config",
        "new.py",
        ".git/modules/words/HEAD",
        ".git/modules/words/refs/heads/main",
        ".git/lfs/tmp/left",
        ".gitmodules",
    ],
)
def test_every_file_counts(checkout: Path, name: str) -> None:
    """Files of the checkout and of git's folder, HEAD, the index and the refs among them."""
    what = "another" if (checkout / name).exists() else "new"
    assert seen(checkout, lambda: write(checkout / name, "y")) == [f"{name} is {what}"]


def test_a_file_that_is_gone_is_seen(checkout: Path) -> None:
    """A removal is a change."""
    assert seen(checkout, (checkout / "code.py").unlink) == ["code.py is gone"]


def test_a_mode_counts(checkout: Path) -> None:
    """Making a file executable is a change."""
    assert seen(checkout, lambda: (checkout / "code.py").chmod(0o755)) == ["code.py is another"]


def test_a_link_counts_by_where_it_leads(checkout: Path) -> None:
    """A link is what it says, not what it leads to."""

    def lead_elsewhere() -> None:
        (checkout / "link").unlink()
        (checkout / "link").symlink_to("elsewhere")

    assert seen(checkout, lead_elsewhere) == ["link is another"]


@pytest.mark.parametrize(
    "name",
    [
        ".git/objects/ab/cd",
        ".git/modules/words/objects/ab/cd",
        ".git/modules/words/refs/tidegate/delivered/abcd",
        ".git/lfs/objects/ab/cd/abcd",
        ".git/tidegate/ledger.db",
        ".git/refs/heads/tidegate/20260101-0000",
        ".git/logs/refs/heads/tidegate/20260101-0000",
    ],
)
def test_what_tidegate_may_write_does_not_count(checkout: Path, name: str) -> None:
    """Objects and large files, its own folder, and its own branches and refs."""
    assert seen(checkout, lambda: write(checkout / name)) == []
