"""All operations that are interrupted. One is loaded without the others, since it starts often."""

from collections.abc import Mapping
from importlib import import_module

from tests.crash.operation import Operation

_PLACES: Mapping[str, str] = {
    "publish": "tests.crash.artifacts:PUBLISH",
    "ledger": "tests.crash.transitions:TRANSITIONS",
    "turn": "tests.crash.turns:TURN",
    "harvest": "tests.crash.git_work:HARVEST",
    "remove": "tests.crash.git_work:REMOVE",
    "land": "tests.crash.git_work:LAND",
    "move": "tests.crash.git_work:MOVE",
    "deliver": "tests.crash.git_work:DELIVER",
    "run": "tests.crash.whole_run:RUN",
}
NAMES = tuple(_PLACES)

WITH_GIT = ("harvest", "remove", "land", "deliver")
"""Those that start git: its processes are killed in a sweep of their own."""


def load(name: str) -> Operation:
    """One operation."""
    module, _, attribute = _PLACES[name].partition(":")
    operation = getattr(import_module(module), attribute)
    assert isinstance(operation, Operation)
    return operation
