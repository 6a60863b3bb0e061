"""The tests of this folder start real programs and break them."""

from pathlib import Path

import pytest

from tests.crash.power import clear_left

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def _nothing_left() -> None:
    """What a run of these tests left that was killed itself: loop devices and their mounts."""
    clear_left()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """They take seconds: `make fast` leaves this folder out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)
