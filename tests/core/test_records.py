"""A record, and a copy of one, is what the standard library makes of it."""

import copy
import dataclasses
import pickle
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from tests.core.samples import made
from tidegate.core.lane import Attempt, Lane, Turn
from tidegate.core.records import record, replace
from tidegate.core.run import Run


@record
class Berth:
    """A record as the program has them."""

    quay: str
    key: str = field(repr=False)
    draft_m: float = 4.0
    notes: Mapping[str, int] = field(default_factory=dict)


@record
class Reserved(Berth):
    """One that has more."""

    until: int = 0

    def __repr__(self) -> str:
        """Its own."""
        return f"reserved until {self.until}"


@record(kw_only=False)
class Buoy:
    """One that is made of values in their order."""

    light: str
    period_s: int = 3


@record
class Fresh:
    """One that no test makes."""

    quay: str
    key: str


@record
class Nothing:
    """One that says all by its kind."""


def berth(**given: Any) -> Berth:
    """A berth at the same quay."""
    return Berth(quay="north", key="secret", **given)


def test_a_record_is_equal_by_what_it_holds() -> None:
    """Equal ones have the same hash; one of another kind with the same values is another."""
    assert berth() == berth(draft_m=4.0)
    assert berth() != berth(draft_m=5.0)
    assert berth() != Reserved(quay="north", key="secret")
    assert len({Buoy("red"), Buoy("red", 3), Buoy("green")}) == 2
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())


def test_what_was_not_given_is_there() -> None:
    """Each record has its own of what is made anew."""
    assert berth().draft_m == 4.0
    assert berth().notes == {}
    assert berth().notes is not berth().notes
    assert Reserved(quay="north", key="secret").until == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"quay": "north"}, "missing 1 required keyword-only argument: 'key'"),
        ({"quay": "north", "key": "", "keys": ""}, "unexpected keyword argument 'keys'"),
    ],
)
def test_a_record_is_whole(given: dict[str, Any], said: str) -> None:
    """The message is Python's own and names the class, for the first of a kind and later."""
    for _ in range(2):
        with pytest.raises(TypeError, match=rf"Fresh\.__init__\(\).*{said}"):
            Fresh(**given)


def test_only_one_with_an_order_takes_values_without_names() -> None:
    """`kw_only=False` says that the order is plain."""
    assert Buoy("red", 5) == Buoy(light="red", period_s=5)
    with pytest.raises(TypeError, match="positional"):
        Berth("north", "secret")  # type: ignore[call-arg]  # what is refused


@pytest.mark.parametrize(
    "change",
    [
        lambda given: setattr(given, "draft_m", 5.0),
        lambda given: setattr(given, "drafts", 5.0),
        lambda given: delattr(given, "draft_m"),
    ],
)
def test_nothing_changes_a_record(change: Callable[[Berth], None]) -> None:
    """Neither a field, nor one that it has not."""
    given = berth()
    with pytest.raises(FrozenInstanceError):
        change(given)
    assert given == berth()


def test_a_record_hides_what_it_is_to_hide() -> None:
    """A token is in no message; what a class says of itself stays."""
    assert repr(berth()).endswith("Berth(quay='north', draft_m=4.0, notes={})")
    assert repr(Reserved(quay="north", key="secret", until=7)) == "reserved until 7"


@pytest.mark.parametrize("given", [berth(notes={"a": 1}), Buoy("red"), Nothing()])
def test_a_record_goes_to_another_process_and_back(given: object) -> None:
    """Pickled or copied it is equal to what it was."""
    assert pickle.loads(pickle.dumps(given)) == given  # noqa: S301 - our own
    assert copy.deepcopy(given) == given
    assert copy.copy(given) == given


def test_a_record_is_a_dataclass_to_whoever_asks() -> None:
    """Its fields are found, and the standard library copies it."""
    assert dataclasses.is_dataclass(berth())
    assert [each.name for each in dataclasses.fields(Reserved)][-1] == "until"
    assert dataclasses.replace(berth(), draft_m=2.0) == berth(draft_m=2.0)
    assert dataclasses.asdict(Buoy("red")) == {"light": "red", "period_s": 3}
    assert not hasattr(berth(), "__dict__")


@pytest.mark.parametrize("kind", [Lane, Attempt, Turn, Run])
def test_each_field_is_changed_and_no_other(kind: type) -> None:
    """Field by field, the same as `dataclasses.replace`; and what was copied is as it was."""
    given: Any = made(kind)
    for each in dataclasses.fields(kind):
        change = {each.name: object()}
        assert replace(given, **change) == dataclasses.replace(given, **change)
    assert given == made(kind)
    assert replace(given) == given
    assert replace(given) is not given


def test_a_field_that_is_not_there_is_refused() -> None:
    """A slip of the pen is no new attribute."""
    with pytest.raises(TypeError, match="Turn has no turns"):
        replace(Turn(number=1, epoch=1, deadline_s=1.0), turns=2)


def test_a_record_of_one_field_is_copied_too() -> None:
    """One field is read as one value."""
    single = dataclasses.make_dataclass("Single", ["one"], frozen=True, slots=True)
    assert replace(single(1), one=2) == single(2)
