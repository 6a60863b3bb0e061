"""Both backends do what a ledger must: the suite that a third one will have to pass."""

from pathlib import Path

import pytest

from tests.ledger.backends import memory_backend, sqlite_backend
from tidegate.testing.ledger_conformance import CASES, SHARED_CASES, Case


def _name(case: Case) -> str:
    return case.__name__


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_sqlite(case: Case, tmp_path: Path) -> None:
    """The ledger in SQLite does what the case says."""
    case(sqlite_backend(tmp_path / "tidegate"))


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_memory(case: Case) -> None:
    """The ledger in memory does what the case says."""
    case(memory_backend())


@pytest.mark.parametrize("case", SHARED_CASES, ids=_name)
def test_sqlite_between_processes(case: Case, tmp_path: Path) -> None:
    """Processes that share a ledger in SQLite do what the case says."""
    case(sqlite_backend(tmp_path / "tidegate"))


def test_each_case_states_its_fact() -> None:
    """Every case has a docstring and is listed once."""
    cases = (*CASES, *SHARED_CASES)
    assert all(case.__doc__ for case in cases)
    assert len({case.__name__ for case in cases}) == len(cases)
