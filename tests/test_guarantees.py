"""The architecture page names a test and a mutant for each guarantee, and both are there."""

import re
from pathlib import Path

from tests.sim.mutants import MUTANTS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
_ROW = re.compile(r"^\| (G\d+) \| .+? \| `(\S+)::(\w+)` \| (.+?) \|$", re.MULTILINE)
GUARANTEES = [f"G{number}" for number in range(1, 10)]


def test_each_guarantee_has_a_test_and_a_mutant() -> None:
    """G1 to G9, in their order, and nothing that is not there."""
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert [row[0] for row in rows] == GUARANTEES
    for _, path, name, mutant in rows:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), name
        assert mutant in MUTANTS


def test_there_are_more_than_25_mutants() -> None:
    """Each takes away one guard of the running code."""
    assert len(MUTANTS) >= 25
