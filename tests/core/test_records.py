"""A copy with some fields changed is what the standard library makes of it."""

import dataclasses
from typing import Any

import pytest

from tests.core.samples import made
from tidegate.core.lane import Attempt, Lane, Turn
from tidegate.core.records import replace
from tidegate.core.run import Run


@pytest.mark.parametrize("kind", [Lane, Attempt, Turn, Run])
def test_each_field_is_changed_and_no_other(kind: type) -> None:
    """Field by field, the same as `dataclasses.replace`; and what was copied is as it was."""
    record: Any = made(kind)
    for each in dataclasses.fields(kind):
        change = {each.name: object()}
        assert replace(record, **change) == dataclasses.replace(record, **change)
    assert record == made(kind)
    assert replace(record) == record
    assert replace(record) is not record


def test_a_field_that_is_not_there_is_refused() -> None:
    """A slip of the pen is no new attribute."""
    with pytest.raises(TypeError, match="Turn has no turns"):
        replace(Turn(number=1, epoch=1, deadline_s=1.0), turns=2)


def test_a_record_of_one_field_is_copied_too() -> None:
    """One field is read as one value."""
    single = dataclasses.make_dataclass("Single", ["one"], frozen=True, slots=True)
    assert replace(single(1), one=2) == single(2)
