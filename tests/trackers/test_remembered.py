"""What is remembered of issue files is never older than the files."""

import os
from pathlib import Path

import msgspec
import pytest

from tests.trackers.folder import FOLDER, problems
from tidegate.config.reading import read_text
from tidegate.trackers import remembered
from tidegate.trackers.markdown import MarkdownTracker

PLAIN = "---\ntitle: {title}\n---\n\nSome text.\n"
NEEDY = "---\ntitle: needy\nneeds: [1]\nfootprint: [src/]\nlabels: [a]\npriority: 3\n---\n"


@pytest.fixture
def tracker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MarkdownTracker:
    """Two issues and a memory. Files count as old at once, for nobody wants to wait here."""
    monkeypatch.setattr(remembered, "YOUNG_NS", -60_000_000_000)
    (tmp_path / FOLDER).mkdir(parents=True)
    write(tmp_path, "001-a.md", PLAIN.format(title="first"))
    write(tmp_path, "002-b.md", NEEDY)
    return MarkdownTracker(tmp_path, FOLDER, tmp_path / "memory")


def write(root: Path, name: str, text: str) -> None:
    """Write an issue's file as an editor does."""
    staged = root / FOLDER / f".{name}.new"
    staged.write_text(text)
    staged.replace(root / FOLDER / name)


def refuse_reading(monkeypatch: pytest.MonkeyPatch, *but: str) -> None:
    """From here on only these files may be read."""

    def read(path: Path, *, shown: str, size_max: int, links: bool = True) -> str:
        assert path.name in but, f"{path.name} is read again"
        return read_text(path, shown=shown, size_max=size_max, links=links)

    monkeypatch.setattr("tidegate.trackers.markdown.read_text", read)


def test_what_is_as_it_was_is_not_read_again(
    tracker: MarkdownTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second look gives the very same issues, and opens no file."""
    first = tracker.issues()
    assert [each.needs for each in first] == [(), ("001",)]
    refuse_reading(monkeypatch)
    assert tracker.issues() == first


def test_only_what_changed_is_read(
    tracker: MarkdownTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is new, or other than it was, is read; the rest is remembered."""
    first = tracker.issues()
    write(tracker.root, "001-a.md", PLAIN.format(title="FIRST"))
    write(tracker.root, "003-c.md", PLAIN.format(title="third"))
    refuse_reading(monkeypatch, "001-a.md", "003-c.md")
    assert [each.title for each in tracker.issues()] == ["FIRST", "needy", "third"]
    assert tracker.issues()[1] == first[1]


@pytest.mark.parametrize("same", ["size", "size and time"])
def test_a_change_of_the_same_length_is_seen(tracker: MarkdownTracker, same: str) -> None:
    """A file that keeps its size, and even its times, is still another file."""
    tracker.issues()
    path = tracker.root / FOLDER / "001-a.md"
    before = path.stat()
    path.write_text(PLAIN.format(title="FIRST"))
    if same == "size and time":
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert tracker.issues()[0].title == "FIRST"


def test_a_need_that_is_gone_is_found_though_nothing_else_changed(
    tracker: MarkdownTracker,
) -> None:
    """What issues need of each other is looked at anew when one of them goes."""
    tracker.issues()
    (tracker.root / FOLDER / "001-a.md").unlink()
    (problem,) = problems(tracker.issues)
    assert problem.startswith(f"{FOLDER}/002-b.md:3: `needs`: there is no issue 1")


def test_what_is_wrong_is_never_remembered(tracker: MarkdownTracker) -> None:
    """A folder with a wrong file is refused at each look, and is good once it is mended."""
    tracker.issues()
    write(tracker.root, "003-c.md", "no front matter")
    for _ in range(2):
        assert "there is no front matter" in problems(tracker.issues)[0]
    (tracker.root / FOLDER / "003-c.md").unlink()
    assert len(tracker.issues()) == 2


def test_a_young_file_is_not_remembered(
    tracker: MarkdownTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changed a moment ago could change again in the same tick of the disk's clock."""
    monkeypatch.setattr(remembered, "YOUNG_NS", 2_000_000_000)
    tracker.issues()
    assert tracker.memory is not None
    assert remembered.recall(tracker.memory, str(tracker.root / FOLDER)) == {}


@pytest.mark.parametrize("content", [b"", b"nonsense", msgspec.msgpack.encode(["0/0", "x", {}])])
def test_a_memory_that_cannot_be_read_is_none(tracker: MarkdownTracker, content: bytes) -> None:
    """A damaged memory, or one of another version, is thrown away and made anew."""
    first = tracker.issues()
    assert tracker.memory is not None
    tracker.memory.write_bytes(content)
    assert tracker.issues() == first
    assert tracker.memory.read_bytes() != content


def test_a_memory_that_is_no_file_keeps_nobody_waiting(
    tracker: MarkdownTracker, tmp_path: Path
) -> None:
    """A FIFO in its place brings nothing: the files are read, and it is replaced."""
    os.mkfifo(tmp_path / "memory")
    assert len(tracker.issues()) == 2
    assert (tmp_path / "memory").is_file()


def test_a_memory_is_of_one_folder(tracker: MarkdownTracker, tmp_path: Path) -> None:
    """Linked worktrees share a memory, and each has its own issues."""
    tracker.issues()
    other = tmp_path / "other"
    (other / FOLDER).mkdir(parents=True)
    for name in ("001-a.md", "002-b.md"):
        os.link(tracker.root / FOLDER / name, other / FOLDER / name)
    write(other, "001-a.md", PLAIN.format(title="other"))
    assert MarkdownTracker(other, FOLDER, tracker.memory).issues()[0].title == "other"
    assert tracker.issues()[0].title == "first"


def test_where_nothing_can_be_kept_nothing_is_missed(tmp_path: Path) -> None:
    """Before there is a ledger's folder, and without a memory, files are read each time."""
    (tmp_path / FOLDER).mkdir(parents=True)
    write(tmp_path, "001-a.md", PLAIN.format(title="first"))
    for memory in (None, tmp_path / "no" / "memory"):
        found = MarkdownTracker(tmp_path, FOLDER, memory)
        assert found.issues() == found.issues()
        assert [each.title for each in found.issues()] == ["first"]
    assert not (tmp_path / "no").exists()


def test_a_long_text_is_not_kept_twice(
    tracker: MarkdownTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An issue with megabytes of text is read again rather than copied."""
    monkeypatch.setattr(remembered, "TEXT_MAX", 20)
    write(tracker.root, "003-c.md", PLAIN.format(title="long") + "x" * 30)
    first = tracker.issues()
    refuse_reading(monkeypatch, "003-c.md")
    assert tracker.issues() == first
