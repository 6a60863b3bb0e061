"""What a report claims of paths, and where the change says something else (G6-16)."""

import pytest

from tidegate.rules.claims import (
    CLAIMS_MAX,
    PATH_CHARACTERS_MAX,
    Claims,
    in_question,
    mismatches,
    read_claims,
)

REPORT = """\
# Report
CHANGES
- src/service.py: removed helper `wipe_cache` and its only call
- tests/test_service.py: new case

UNTOUCHED
- src/schema.sql
"""


def test_lists_of_paths_are_read() -> None:
    """G6-16: both lists, whatever words stand behind a path; under a title all may be prose."""
    changed, untouched = ("src/service.py", "tests/test_service.py"), ("src/schema.sql",)
    assert read_claims(REPORT) == Claims(changed, untouched, (*changed, *untouched))
    labelled = REPORT.replace("CHANGES", "CHANGED:").replace("UNTOUCHED", "UNTOUCHED:")
    assert read_claims(labelled) == Claims(changed, untouched, changed)


@pytest.mark.parametrize(
    ("report", "claims"),
    [
        ("**Changed:**\n* `./a.py` - why\n", Claims(("a.py",), (), ("a.py",))),
        ("**CHANGED**:\n* a.py\n", Claims(("a.py",))),
        ("## CHANGED:\r\n\r\n- a.py\r\n", Claims(("a.py",))),
        ("### **Untouched:**\n\n- `b/c`\n", Claims((), ("b/c",))),
        ("CHANGED:\n- a.py \u2014 why\n", Claims(("a.py",), (), ("a.py",))),
        ("## Untouched\n\n- b/c\n", Claims()),
        ("## Changes\n- parser.parse_date accepts more\n- and/or\n- v1.2\n", Claims()),
        ("Changes\n- a.py\n", Claims()),
        ("Changes:\n- a.py\n", Claims()),
        ("**CHANGED\n- a.py\n", Claims()),
        ("CHANGED:\n- parser.parse_date accepts more\n- a.py and b.py\n", Claims()),
        ("CHANGED:\n- a.py,b.py\n- `a.py` too\n- `a.py\n- c.py\n", Claims(("c.py",))),
        ("CHANGED:\n- it works\n  and well\n+ so it is\n- c.py\n", Claims(("c.py",))),
        ("CHANGED:\n- a.py\n**Notes**\n- b.py\n", Claims(("a.py",))),
        ("CHANGED:\n- Makefile\n- a.py\n", Claims(("Makefile", "a.py"), (), ("Makefile",))),
        (f"CHANGED:\n- {'a/' * PATH_CHARACTERS_MAX}b\n", Claims()),
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
    claims, changed = read_claims(REPORT), {"src/service.py", "src/schema.sql"}
    assert in_question(claims, changed) == ("tests/test_service.py",)
    found = list(mismatches(claims, changed, {"tests/test_service.py"}))
    assert [(each.path, "was not" in each.detail) for each in found] == [
        ("tests/test_service.py", True),
        ("src/schema.sql", False),
    ]


def test_words_behind_what_is_no_path_are_prose() -> None:
    """G6-16: of a name with a dot and a remark nobody can tell, but by the tree."""
    claims = read_claims("CHANGED:\n- parser.parse_date: takes weeks\n- and/or - both\n- a.py\n")
    assert in_question(claims, ("a.py",)) == ("parser.parse_date", "and/or")
    assert list(mismatches(claims, ("a.py",))) == []
    assert [each.path for each in mismatches(claims, (), ("and/or",))] == ["and/or", "a.py"]
    up = read_claims("CHANGED:\n- ../up.py: why\n")
    assert (in_question(up, ()), list(mismatches(up, ()))) == ((), [])


def test_a_report_without_lists_claims_nothing() -> None:
    """Nobody has to list anything."""
    assert not list(mismatches(read_claims("Fixed it.\n"), {"a.py"}))


def test_a_report_without_end_is_bounded() -> None:
    """A hostile list costs its reading and no more."""
    report = "CHANGED:\n" + "- a/b.py\n" * (CLAIMS_MAX * 3)
    assert len(read_claims(report).changed) == CLAIMS_MAX
