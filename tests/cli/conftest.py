"""A desk for each test: one tiny repository, made once and copied."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.desk import Desk
from tests.waiting import until

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, and a home with nothing but a name in it."""
    desk = Desk(tmp_path_factory.mktemp("seed"))
    desk.repository.mkdir()
    (desk.folder / "home").mkdir()
    (desk.folder / "home" / ".gitconfig").write_text(
        "[user]\n\tname = Owner\n\temail = owner@example.invalid\n", encoding="utf-8"
    )
    desk.git("init", "-q", "-b", "main", "--template=")
    desk.commit("part.txt", "first\n")
    return desk.folder


@pytest.fixture
def desk(tmp_path: Path, seed: Path) -> Iterator[Desk]:
    """A fresh desk. A test that leaves a process behind fails."""
    desk = Desk.copy_of(seed, tmp_path)
    try:
        yield desk
        if not any(process.poll() is None for process in desk.started):
            until(lambda: not desk.living(), within_s=5.0)
    finally:
        desk.clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """It starts the whole program: `make fast` leaves this folder out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)
