"""The long form says in one table what was killed where, and what came of it."""

import json

import pytest

from tests.crash import injection
from tests.crash.__main__ import main
from tests.crash.sweep import Tally

pytestmark = pytest.mark.skipif(bool(injection.missing()), reason=injection.missing())
SHORT = ["--only", "publish", "--cap", "2", "--cuts", "0"]


def test_the_table_has_a_line_for_each_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    """Points, kills, faults that fired, recoveries; nothing lost, doubled or broken."""
    assert main(SHORT) == 0
    head, row, *_ = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["operation", "whose", "points"]
    assert row.split()[:8] == ["publish", "ours", "9", "2", "2", "2", "0", "0"]


def test_programs_are_told_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """With the seed, and what this machine could not do."""
    assert main([*SHORT, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["seed"]
    [proof] = said["proofs"]
    assert (proof["operation"], proof["fired"], proof["is_proved"]) == ("publish", 2, True)


def test_what_did_not_fire_proves_nothing() -> None:
    """A sweep whose faults were not there is no proof, though nothing is wrong."""
    told = Tally(operation="publish", whose="ours", points=9, killed_at=9, fired=8, recovered=9)
    assert not told.is_proved
    told.fired = 9
    assert told.is_proved
