"""What every ledger must do, whatever keeps its rows: a backend is one when all cases pass.

A case is a function of a `Backend` at an empty place; its docstring states the fact. `CASES` are
for all backends, `SHARED_CASES` for those that several processes can open. The suite knows no
backend: how one is opened, verified and damaged on purpose is told to it.
"""

from tidegate.testing import (
    ledger_lease_cases,
    ledger_record_cases,
    ledger_shared_cases,
    ledger_state_cases,
    ledger_word_cases,
)
from tidegate.testing.ledger_backend import Backend, Case

__all__ = ["CASES", "SHARED_CASES", "Backend", "Case"]

CASES: tuple[Case, ...] = (
    *ledger_state_cases.CASES,
    *ledger_lease_cases.CASES,
    *ledger_record_cases.CASES,
    *ledger_word_cases.CASES,
)
SHARED_CASES: tuple[Case, ...] = ledger_shared_cases.CASES
