"""What a report claims of paths, and where the change says something else (G6-16)."""

import pytest

from tidegate.rules.claims import CLAIMS_MAX, Claims, mismatches, read_claims

REPORT = """\
# Report
CHANGES
- src/service.py: removed helper `wipe_cache` and its only call
- tests/test_service.py: new case

UNTOUCHED
- src/schema.sql
"""


def test_lists_of_paths_are_read() -> None:
    """G6-16: both lists, whatever words stand behind a path."""
    assert read_claims(REPORT) == Claims(
        ("src/service.py", "tests/test_service.py"), ("src/schema.sql",)
    )


@pytest.mark.parametrize(
    ("report", "claims"),
    [
        ("**Changed:**\n* `./a.py` - why\n", Claims(("a.py",))),
        ("## Untouched\n\n- b/c\n", Claims((), ("b/c",))),
        ("CHANGED:\n- everything is better now\n- and faster.\n", Claims()),
        ("CHANGED: a.py\n- b.py\n", Claims()),
        ("I changed:\n- a.py\n", Claims()),
        ("CHANGED:\n- a.py\nIt went well:\n- b.py\n", Claims(("a.py",))),
        ("CHANGED:\n- https://example.org/x.py\n- ../up.py\n", Claims(("../up.py",))),
        ("", Claims()),
    ],
)
def test_only_a_list_under_its_name_is_a_claim(report: str, claims: Claims) -> None:
    """A sentence that happens to begin with a mark is none."""
    assert read_claims(report) == claims


def test_a_claim_is_held_against_the_change_both_ways() -> None:
    """G6-16: a change that is not there, and one that was denied."""
    found = list(mismatches(read_claims(REPORT), {"src/service.py", "src/schema.sql"}))
    assert [(each.path, "was not" in each.detail) for each in found] == [
        ("tests/test_service.py", True),
        ("src/schema.sql", False),
    ]


def test_a_report_without_lists_claims_nothing() -> None:
    """Nobody has to list anything."""
    assert not list(mismatches(read_claims("Fixed it.\n"), {"a.py"}))


def test_a_report_without_end_is_bounded() -> None:
    """A hostile list costs its reading and no more."""
    report = "CHANGED:\n" + "- a/b.py\n" * (CLAIMS_MAX * 3)
    assert len(read_claims(report).changed) == CLAIMS_MAX
