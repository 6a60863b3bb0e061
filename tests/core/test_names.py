"""What an id says is read from its end, whatever the issue is called."""

import pytest

from tidegate.core.names import attempt_id, role_of
from tidegate.core.values import Role


@pytest.mark.parametrize("lane", ["001", "ABC-check-1", "a-verify-2", "build", "x-build-1-r2"])
@pytest.mark.parametrize("role", Role)
def test_an_attempts_role_stands_at_the_end_of_its_id(lane: str, role: Role) -> None:
    """An issue of the tracker's may be named as an attempt is."""
    assert role_of(attempt_id(lane, role, 12)) is role


@pytest.mark.parametrize(
    "name", ["", "check", "owner", "001", "-check-1", "001-check-", "001-dance-1"]
)
def test_what_is_no_attempts_id_has_no_role(name: str) -> None:
    """The owner, a lane, a role alone."""
    assert role_of(name) is None
