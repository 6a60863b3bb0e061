"""A folder of issues is read as a whole."""

import os
import time
from pathlib import Path

import pytest

from tests.trackers.folder import FOLDER, problems, tracker
from tidegate.core.errors import Misused
from tidegate.trackers.markdown import MarkdownTracker

PLAIN = "---\ntitle: x\n---\n"


def test_issues_come_by_number(tmp_path: Path) -> None:
    """The number counts and not its spelling; the id is as the file has it."""
    found = tracker(tmp_path, i0100=PLAIN, i9=PLAIN, i020=PLAIN).issues()
    assert [issue.id for issue in found] == ["9", "020", "0100"]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """What is not Markdown, and what is hidden, is nobody's issue."""
    found = tracker(tmp_path, i1=PLAIN)
    for name in (".gitkeep", ".002-draft.md", "notes.txt", "003-x.md~"):
        (tmp_path / FOLDER / name).write_text("x")
    assert len(found.issues()) == 1


@pytest.mark.parametrize("other", ["007-b.md", "7-b.md", "0007-b.md"])
def test_a_number_that_is_there_twice_is_refused_by_name(tmp_path: Path, other: str) -> None:
    """Two files with one number would share a lane; both names are told."""
    found = tracker(tmp_path, **{"007-a.md": PLAIN, other: PLAIN})
    (problem,) = problems(found.issues)
    assert "it has the number of " in problem
    assert {"007-a.md", other} == {word.rpartition("/")[2] for word in _names(problem)}


def _names(problem: str) -> list[str]:
    return [word.split(":")[0] for word in problem.split() if ".md" in word]


@pytest.mark.parametrize(
    "name", ["README.md", "fix.md", "007.md", "-7-x.md", "x007-a.md", "\u0663-x.md"]
)
def test_a_file_without_a_number_is_not_passed_over(tmp_path: Path, name: str) -> None:
    """An issue that nobody would ever take is an error, with the name that would do."""
    (problem,) = problems(tracker(tmp_path, **{name: PLAIN}).issues)
    assert problem.startswith(f"{FOLDER}/{name}:1: this is no issue's name: call it NNN-words.md")


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    """A link could lead anywhere, and a FIFO would hold the reader up for ever."""
    found = tracker(tmp_path)
    secret = tmp_path / "secret.md"
    secret.write_text("---\ntitle: secret\n---\n")
    (tmp_path / FOLDER / "001-link.md").symlink_to(secret)
    (tmp_path / FOLDER / "002-gone.md").symlink_to("gone")
    (tmp_path / FOLDER / "003-folder.md").mkdir()
    os.mkfifo(tmp_path / FOLDER / "004-fifo.md")
    says = [line.partition(": ")[2].partition(":")[0] for line in problems(found.issues)]
    link, plain = "it is a symbolic link", "it is not a plain file"
    assert says == [link, link, plain, plain]


def test_a_name_cannot_harm_a_terminal(tmp_path: Path) -> None:
    """Names of files are foreign text too."""
    found = tracker(tmp_path, **{"\x1b[31m.md": PLAIN, "001-\x1b[31m.md": PLAIN})
    (tmp_path / FOLDER / "002-\udcff.md").write_text(PLAIN)
    lines = problems(found.issues)
    assert [("\\x1b[31m" in line, "\\udcff" in line) for line in lines] == [
        (True, False),
        (True, False),
        (False, True),
    ]
    assert all("this is no issue's name" in line for line in lines)


def test_problems_of_all_files_are_told(tmp_path: Path) -> None:
    """One broken issue does not hide another."""
    found = problems(tracker(tmp_path, i1="x", i2=PLAIN, i3=b"\xff", i4="---\n---\n").issues)
    assert [line[len(FOLDER) + 1 :][:3] for line in found] == ["1-x", "3-x", "4-x"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A slip in `[tracker] path` must not look like an empty queue."""
    with pytest.raises(Misused, match="docs/isues, cannot be read") as caught:
        MarkdownTracker(tmp_path, "docs/isues").issues()
    assert caught.value.hint == "run `tidegate init`, or set `path` in [tracker]"


def test_an_unknown_need_is_refused(tmp_path: Path) -> None:
    """An issue would wait for ever for one that nobody has written."""
    found = tracker(tmp_path, i1="---\ntitle: x\nneeds:\n  - 2\n  - 3\n---\n", i2=PLAIN)
    (problem,) = problems(found.issues)
    assert problem.startswith(f"{FOLDER}/1-x.md:5: `needs`: there is no issue 3: ")


@pytest.mark.parametrize("needs", [("1",), ("2", "1"), ("2", "3", "1")])
def test_a_circle_of_needs_is_refused(tmp_path: Path, needs: tuple[str, ...]) -> None:
    """Issues that wait for each other would wait for ever."""
    files = {f"i{n}": f"---\ntitle: x\nneeds: [{need}]\n---\n" for n, need in enumerate(needs, 1)}
    (problem,) = problems(tracker(tmp_path, **files).issues)
    assert "`needs`: a circle, " in problem
    assert problem.count(" <- ") == len(needs)


def test_three_thousand_issues_are_read_at_once(tmp_path: Path) -> None:
    """The folder is read anew each time, so reading must cost little: 0.4 s on a small machine.

    The limit here is wide, since tests share a machine with others.
    """
    keys = "footprint:\n  - src/p/**\n  - tests/**\npriority: 3\nneeds: [1]\nlabels: [a, b]\n"
    text = f"---\ntitle: An issue of the usual size\n{keys}---\n\n{'Some text of it. ' * 40}\n"
    found = tracker(tmp_path, i1=PLAIN, i2=text)
    for number in range(3, 3001):
        os.link(tmp_path / FOLDER / "2-x.md", tmp_path / FOLDER / f"{number}-x.md")
    start = time.process_time()
    assert len(found.issues()) == 3000
    assert time.process_time() - start < 2.0
