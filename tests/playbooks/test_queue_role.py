"""What a queue role prints is checked line by line; any fault means the order without it."""

import json

import pytest

from tidegate.core.issue import Issue
from tidegate.playbooks.queue_role import NOTE_MAX, Fault, Ranking, question, ranking_of

ISSUES = [
    Issue(id="001", title="One", text="secret text", priority=2, footprint=("src/",)),
    Issue(id="002", title="Two", text="", needs=("001",), labels=("bug",)),
    Issue(id="003", title="Three", text=""),
]


def test_the_role_is_asked_with_an_object_a_line() -> None:
    """B05: it gets what it can order by, in the order that there is without it, and no text."""
    first, second, _ = (json.loads(line) for line in question(ISSUES).splitlines())
    assert first == {
        "id": "001",
        "title": "One",
        "priority": 2,
        "needs": [],
        "footprint": ["src/"],
        "labels": [],
    }
    assert (second["needs"], second["labels"]) == (["001"], ["bug"])
    assert "secret text" not in question(ISSUES)


@pytest.mark.parametrize(
    ("output", "rank", "notes"),
    [
        ("003\n001\n002\n", {"003": 0, "001": 1, "002": 2}, {}),
        ("003 it blocks  two\n\n  001\n", {"003": 0, "001": 1}, {"003": "it blocks  two"}),
        ("002\tthe adopters wait\r\n", {"002": 0}, {"002": "the adopters wait"}),
        ("001 \x1b[31mred\n", {"001": 0}, {"001": "\\x1b[31mred"}),
    ],
)
def test_an_order_is_taken_with_its_reasons(
    output: str, rank: dict[str, int], notes: dict[str, str]
) -> None:
    """One id a line, the text behind it is its reason; to leave issues out is no fault."""
    assert ranking_of(output, ISSUES) == Ranking(rank=rank, notes=notes)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "it names no issue"),
        ("\n \n", "it names no issue"),
        ("001\n004\n", "line 2: '004' is no open issue"),
        ("1\n", "line 1: '1' is no open issue"),
        ("001\n\n001 again\n", "line 3: '001' is there twice"),
        ("Here is the order:\n001\n", "line 1: 'Here' is no open issue"),
        ("\x1b[31m001\n", "line 1: '\\\\x1b[31m001' is no open issue"),
        (f"{'9' * 500}\n", f"line 1: '{'9' * 40}' is no open issue"),
    ],
)
def test_any_fault_means_no_order(output: str, reason: str) -> None:
    """B05: unknown and doubled ids, prose and silence are refused whole, with the line."""
    assert ranking_of(output, ISSUES) == Fault(reason)


def test_a_reason_is_kept_short() -> None:
    """A role that writes a page about an issue does not fill everybody's screen."""
    found = ranking_of(f"001 {'x' * 5000}\n", ISSUES)
    assert isinstance(found, Ranking)
    assert found.notes == {"001": "x" * NOTE_MAX}
