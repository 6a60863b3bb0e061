"""The closed list of kinds: what the ledger stores must be told apart for ever."""

import dataclasses
from typing import get_args

import pytest

from tests.core.samples import made
from tidegate.core import events as e


def test_every_event_has_a_kind_of_its_own() -> None:
    """The kind is the class's name in snake case, and leads back to the class."""
    classes = {*get_args(e.RunEvent), *get_args(e.LaneEvent)}
    assert set(e.KINDS.values()) == classes
    assert {e.KINDS[kind] for kind in e.NAMES.values()} == classes
    assert e.NAMES[e.ControllerTookOver] == "controller_took_over"


def test_events_are_frozen() -> None:
    """A fact is never changed."""
    for kind in e.KINDS.values():
        event: object = made(kind)
        name = dataclasses.fields(kind)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(event, name, "another")
