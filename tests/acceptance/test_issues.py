"""The issues of the acceptance, its agent, and its independence."""

import ast
from pathlib import Path

import pytest

from acceptance.__main__ import AGENT
from acceptance.issues import LANDED, RIVALS, STOPPED, WANTED, WIDTH


def test_the_agent_knows_every_issue() -> None:
    """Each issue has an arm of its own in the agent's script."""
    script = AGENT.read_text(encoding="utf-8")
    for wanted in WANTED:
        assert f"\n{wanted.id})" in script


def test_the_rivals_start_together() -> None:
    """They are the first issues, as many as there are lanes: both start from the base."""
    assert {wanted.id for wanted in WANTED[:WIDTH]} == RIVALS


def test_every_issue_has_one_expected_end() -> None:
    """It lands or is stopped."""
    assert {wanted.id for wanted in WANTED} == LANDED | STOPPED
    assert not LANDED & STOPPED


@pytest.mark.parametrize("path", sorted(AGENT.parent.glob("*.py")), ids=lambda path: path.name)
def test_the_acceptance_imports_nothing_of_tidegate(path: Path) -> None:
    """A witness that used the code it judges would share its mistakes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                assert all(not name.name.startswith("tidegate") for name in names)
            case ast.ImportFrom(module=str() as module):
                assert not module.startswith("tidegate")
            case _:
                pass
