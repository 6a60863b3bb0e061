"""A small repository of a user's, its hub, and the paths around them. Real git throughout."""

import shutil
from pathlib import Path

import pytest

from tests.git.world import World, seed

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the configuration of whoever runs the tests out of them."""
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text("[user]\n\tname = User\n\temail = user@example.invalid\n")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def seed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository and its hub, made once and copied for each test."""
    folder = tmp_path_factory.mktemp("seed")
    seed(folder)
    return folder


@pytest.fixture
def world(tmp_path: Path, seed_folder: Path) -> World:
    """A repository with one commit, and its hub with that commit as base."""
    shutil.copytree(seed_folder / "repository", tmp_path / "repository", symlinks=True)
    shutil.copytree(seed_folder / "hub.git", tmp_path / "hub.git", symlinks=True)
    shutil.copy(seed_folder / "base", tmp_path)
    return World(tmp_path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """It starts git many times: `make fast` leaves this folder out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)
