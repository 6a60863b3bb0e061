"""Events to bodies and back: nothing is lost, and nothing that is not understood is passed over."""

import json
from dataclasses import fields

import pytest

from tests.ledger.story import batches
from tidegate.core.errors import IntegrityError
from tidegate.core.events import NAMES, Event
from tidegate.ledger.codec import decode, encode
from tidegate.testing.ledger_history import RUN_STARTED, History


def _events() -> list[Event]:
    told = [entry.event for batch in batches(History()) for entry in batch.entries]
    return [RUN_STARTED, *told]


def test_every_event_comes_back() -> None:
    """An event of any kind is read back as it was, and as plain JSON with its fields' names."""
    for event in _events():
        body = encode(event)
        assert decode(NAMES[type(event)], body) == event
        assert set(json.loads(body)) == {each.name for each in fields(event)}
        assert encode(event) == body


def test_an_unknown_kind_is_an_error() -> None:
    """A kind of a later version stops the reader and says what to do."""
    with pytest.raises(IntegrityError, match=r"unknown kind 'lane_teleported'.*newer Tidegate"):
        decode("lane_teleported", "{}")


@pytest.mark.parametrize("body", ["", "{", "[]", '{"attempt": 1}', "{}"])
def test_a_body_that_cannot_be_read_is_an_error(body: str) -> None:
    """A body that is no event of its kind stops the reader and names the kind."""
    with pytest.raises(IntegrityError, match="accepted"):
        decode("accepted", body)


def test_a_field_of_a_later_version_is_passed_over() -> None:
    """A field that this version does not know does not keep it from reading the others."""
    event = next(each for each in _events() if NAMES[type(each)] == "accepted")
    body = json.dumps({**json.loads(encode(event)), "mood": "good"})
    assert decode("accepted", body) == event


def test_a_number_that_is_no_number_is_an_error() -> None:
    """Types are held to: a text is not taken for a number."""
    ended = next(each for each in _events() if NAMES[type(each)] == "run_ended")
    body = encode(ended).replace('"landed":1', '"landed":"1"')
    with pytest.raises(IntegrityError):
        decode("run_ended", body)
