"""G8-08: each entry of a footprint is taken, warned of or refused when it is read.

The rows are those of the case, each with what must be said.
"""

import json

import pytest

from tests.cli.desk import Desk

TAKEN, WARNED, REFUSED = "taken", "warned", "refused"
ROWS = [
    ("src/app/*.py", TAKEN, ""),
    ("src\\app\\*.py", REFUSED, "did you mean 'src/app/*.py'?"),
    ("C:\\repo\\src", REFUSED, "is absolute"),
    (".\\src", REFUSED, "did you mean 'src/'?"),
    ("src/", TAKEN, ""),
    (" src ", REFUSED, "did you mean 'src'?"),
    ("src", WARNED, "'src' is a folder: did you mean 'src/'?"),
    ("", REFUSED, "an entry of the footprint is empty"),
    ("*", WARNED, "'*' is broad"),
    ("**", REFUSED, "covers the whole repository"),
    ("src/nope/**", WARNED, "'src/nope/**' matches no file yet"),
    (".git/**", REFUSED, "git's own folder"),
    ("src/a.py,src/b.py", REFUSED, "write a list, one entry each"),
]


@pytest.fixture
def settled(desk: Desk) -> Desk:
    """A repository with a folder of sources."""
    desk.settle("true")
    (desk.repository / "src" / "app").mkdir(parents=True)
    desk.commit("src/app/main.py", "x\n")
    return desk


@pytest.mark.parametrize(("entry", "fate", "said"), ROWS)
def test_an_entry_is_judged_when_it_is_read(
    settled: Desk, entry: str, fate: str, said: str
) -> None:
    """G8-08: `add` and the reading of an issue's file judge alike, and advice is no refusal."""
    added = settled.tidegate("add", "x", "--footprint", entry)
    assert added.code == (2 if fate is REFUSED else 0)
    assert said in (added.err if fate is REFUSED else added.out)
    assert ("note: " in added.out) is (fate is WARNED)
    settled.issue(7, front=f"footprint: [{json.dumps(entry)}]\n")
    seen = settled.tidegate("run", "--dry-run", "--only", "7")
    if fate is REFUSED:
        assert seen.code == 2
        assert "007-issue.md:3: `footprint`: " in seen.err
    else:
        assert seen.code == 0
        assert ("note on 007: " in seen.out) is (fate is WARNED)
        assert said in seen.out


def test_an_empty_list_is_refused(settled: Desk) -> None:
    """G8-08: a footprint that lists nothing is a mistake, and not one that allows nothing."""
    settled.issue(7, front="footprint: []\n")
    seen = settled.tidegate("queue")
    assert seen.code == 2
    assert "`footprint`: the list is empty" in seen.out
