"""A new issue gets the next free number, whole, whoever else adds at the same time."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trackers.folder import FOLDER, tracker
from tidegate.core.errors import Misused, Unavailable
from tidegate.core.issue import Issue
from tidegate.trackers import markdown
from tidegate.trackers.markdown import SLUG_MAX, MarkdownTracker, slug


def add(root: Path, title: str, **given: object) -> Issue:
    """Add an issue with plain defaults."""
    arguments = {"text": "", "footprint": (), "priority": 0, **given}
    return MarkdownTracker(root).add(title, **arguments)  # type: ignore[arg-type]  # what it is given is the test's affair


def test_what_is_added_is_what_is_read(tmp_path: Path) -> None:
    """The issue that `add` returns is the one that the folder holds."""
    added = add(
        tmp_path,
        "Fix the date parser",
        text="\nWeek 53.\r\n\n---\n",
        footprint=("./src/dates/**", "**/test_dates.py"),
        priority=3,
    )
    assert MarkdownTracker(tmp_path).issues() == (added,)
    assert (added.id, added.text, added.priority) == ("001", "Week 53.\n\n---", 3)
    assert added.footprint == ("src/dates/**", "**/test_dates.py")
    assert added.path == f"{FOLDER}/001-fix-the-date-parser.md"


TITLES = (
    "yes",
    "007",
    "Fix: this",
    "Fix #3",
    "- [x] {a} *b & !c | > ' \" % @ `",
    'say "no\\yes"',
    "Grüße, 日本語 \U0001f468\u200d\U0001f469",
    "  spaces around  ",
    "...",
    "a: b, c # d",
    "null",
)


@pytest.mark.parametrize("title", TITLES)
def test_any_title_comes_back(tmp_path: Path, title: str) -> None:
    """Whatever YAML thinks of a title, it is read as it was given."""
    assert add(tmp_path, title).title == title.strip()
    assert MarkdownTracker(tmp_path).issues()[0].title == title.strip()


REFUSED: tuple[tuple[str, dict[str, object], str], ...] = (
    ("", {}, "`title`: it is empty"),
    ("a\nb", {}, "`title`: it holds the character"),
    ("a\x1b[31m", {}, "`title`: it holds the character"),
    ("a\udc80", {}, "`title`: it holds the character \\udc80"),
    ("x" * 201, {}, "`title`: it has 201 characters"),
    ("x" * 100_000, {}, "`title`: it has 100000 characters"),
    ("a", {"footprint": ("x" * 100_000,)}, "has no end in its first 65536 characters"),
    ("a", {"text": "\0"}, "there is a NUL byte"),
    ("a", {"text": "\udc80"}, "it is not UTF-8"),
    ("a", {"text": "x" * 8_388_608}, "it has 8388627 bytes"),
    ("a", {"footprint": ("src", "/etc")}, "'/etc' is absolute"),
    ("a", {"priority": 10_000_000}, "`10000000` is no priority"),
)


@pytest.mark.parametrize(("title", "given", "says"), REFUSED)
def test_what_could_not_be_read_is_not_written(
    tmp_path: Path, title: str, given: dict[str, object], says: str
) -> None:
    """A refused issue leaves the folder as it was."""
    found = tracker(tmp_path)
    with pytest.raises(Misused, match="the issue was not added") as caught:
        add(tmp_path, title, **given)
    assert says in caught.value.message
    assert caught.value.message.isprintable()
    assert found.issues() == ()
    assert not list((tmp_path / FOLDER).iterdir())


def test_the_next_number_is_above_the_highest(tmp_path: Path) -> None:
    """Gaps stay gaps, and numbers keep the width that they have."""
    tracker(tmp_path, i3="---\ntitle: x\n---\n")
    assert add(tmp_path, "a").id == "004"
    tracker(tmp_path, i0999="---\ntitle: x\n---\n")
    assert add(tmp_path, "b").id == "1000"
    (tmp_path / FOLDER / "10-broken.md").write_text("no issue at all")
    assert add(tmp_path, "c").id == "1001"


SLUGS = (
    ("Fix the date parser", "fix-the-date-parser"),
    ("Crème & Brûlée!", "creme-brulee"),
    ("../../etc/passwd", "etc-passwd"),
    ("日本語", "issue"),
    ("x" * 80, "x" * SLUG_MAX),
    ("word " * 20, "-".join(["word"] * 10)),
)


@pytest.mark.parametrize(("title", "expected"), SLUGS)
def test_a_slug_is_harmless_and_short(title: str, expected: str) -> None:
    """Letters, digits and hyphens, at most fifty, cut between words where that can be."""
    assert slug(title) == expected
    assert len(slug(title)) <= SLUG_MAX


ADDER = """
import sys
from pathlib import Path
from tidegate.trackers.markdown import MarkdownTracker
tracker = MarkdownTracker(Path(sys.argv[1]))
sys.stdin.read()
for n in range(10):
    tracker.add(f"issue {n} of {sys.argv[2]}", text="t" * 5000, footprint=(), priority=0)
"""


def test_many_adders_never_share_a_number(tmp_path: Path) -> None:
    """Four processes add ten issues each: forty numbers, no gap, no draft left behind."""
    found = tracker(tmp_path)
    argv = (sys.executable, "-c", ADDER, str(tmp_path))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    adders = [
        subprocess.Popen((*argv, str(n)), stdin=subprocess.PIPE, env=environment) for n in range(4)
    ]
    for adder in adders:
        assert adder.stdin is not None
        adder.stdin.close()
    assert [adder.wait(timeout=30) for adder in adders] == [0] * 4
    assert [issue.id for issue in found.issues()] == [f"{n:03}" for n in range(1, 41)]
    assert len(list((tmp_path / FOLDER).iterdir())) == 40


def test_a_file_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the number was picked wrongly, what a person wrote stays."""
    tracker(tmp_path, **{"001-a.md": "---\ntitle: mine\n---\n"})
    monkeypatch.setattr(markdown, "_next_number", lambda _names, **_above: "001")
    with pytest.raises(Unavailable, match="File exists"):
        add(tmp_path, "a")
    assert [issue.title for issue in MarkdownTracker(tmp_path).issues()] == ["mine"]
    assert len(list((tmp_path / FOLDER).iterdir())) == 1


def test_waiting_for_another_adder_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who never lets go of the folder is told of, and not waited for for ever."""
    tracker(tmp_path)
    monkeypatch.setattr(markdown, "LOCK_WAIT_S", 0.05)
    descriptor = os.open(tmp_path / FOLDER, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        with pytest.raises(Unavailable, match="has been locked for"):
            add(tmp_path, "a")
    finally:
        os.close(descriptor)
    assert add(tmp_path, "a").id == "001"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file in the folder's place: nothing is added, and the reason is given."""
    (tmp_path / ".tidegate").write_text("in the way")
    with pytest.raises(Unavailable, match="could not be written"):
        add(tmp_path, "a")


def test_a_number_that_was_used_is_not_given_again(tmp_path: Path) -> None:
    """An issue whose file is gone keeps its number: its outcome is in the ledger."""
    assert add(tmp_path, "a", above=8).id == "009"
