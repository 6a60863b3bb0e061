"""What the tests of this folder are given."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage that is cleared after the test."""
    stage = Stage(tmp_path)
    yield stage
    stage.clear()
