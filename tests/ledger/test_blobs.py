"""Texts beside the ledger: durable before they are named, never overwritten, checked when read."""

import os
import resource
import signal
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from tidegate.core.errors import IntegrityError, Unavailable
from tidegate.ledger.blobs import Blobs


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_text_stands_under_its_digest(tmp_path: Path) -> None:
    """The name is the sha256 of the bytes, and nothing else is left in the folder."""
    name = Blobs(tmp_path).put("naïve\n")
    assert name == sha256("naïve\n".encode()).hexdigest()
    assert _files(tmp_path) == [f"{name[:2]}/{name[2:]}"]
    assert Blobs(tmp_path).get(name) == "naïve\n"


@pytest.mark.parametrize("make_it", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_no_text(make_it: Callable[[Path], None], tmp_path: Path) -> None:
    """A folder or a FIFO in a text's place is told by its path; nobody waits for what it brings."""
    blobs = Blobs(tmp_path)
    name = blobs.put("x")
    place = tmp_path / name[:2] / name[2:]
    place.unlink()
    make_it(place)
    with pytest.raises(IntegrityError, match=f"{place} is no plain file.*restore"):
        blobs.get(name)
    with pytest.raises(IntegrityError, match=f"{place} is no plain file.*restore"):
        blobs.put("x")


def test_a_file_in_the_place_of_a_folder_of_texts_is_a_loss(tmp_path: Path) -> None:
    """What stood in that folder is gone, and told as such."""
    blobs = Blobs(tmp_path)
    name = blobs.put("x")
    (tmp_path / name[:2] / name[2:]).unlink()
    (tmp_path / name[:2]).rmdir()
    (tmp_path / name[:2]).touch()
    with pytest.raises(IntegrityError, match="is gone"):
        blobs.get(name)


def test_a_text_is_stored_once(tmp_path: Path) -> None:
    """Storing a text again touches nothing."""
    blobs = Blobs(tmp_path)
    name = blobs.put("x")
    before = (tmp_path / name[:2] / name[2:]).stat()
    assert blobs.put("x") == name
    after = (tmp_path / name[:2] / name[2:]).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_another_content_is_not_overwritten(tmp_path: Path) -> None:
    """Where another content stands under the name nobody is told that the text is stored."""
    blobs = Blobs(tmp_path)
    name = blobs.put("x")
    (tmp_path / name[:2] / name[2:]).write_text("y", encoding="utf-8")
    with pytest.raises(IntegrityError, match="changed after it was stored"):
        blobs.put("x")
    assert (tmp_path / name[:2] / name[2:]).read_text(encoding="utf-8") == "y"


def test_a_full_disk_leaves_no_text(tmp_path: Path) -> None:
    """On a full disk nothing is left, under the name or beside it, and a later try works."""
    blobs = Blobs(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(Unavailable, match="make room"):
            blobs.put("x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert _files(tmp_path) == []
    assert blobs.get(blobs.put("x" * 5000)) == "x" * 5000


@pytest.mark.parametrize("name", ["", "x" * 64, "../../etc/passwd", "A" * 64, "ab", "a" * 63 + "/"])
def test_only_a_digest_is_a_name(name: str, tmp_path: Path) -> None:
    """What is not a sha256 is never looked for on the disk."""
    with pytest.raises(IntegrityError, match="is not the sha256"):
        Blobs(tmp_path).get(name)


def test_other_errors_of_the_disk_are_not_softened(tmp_path: Path) -> None:
    """Any other error of the disk, a failed sync above all, is no state to go on from."""
    (tmp_path / "blobs").symlink_to(tmp_path / "blobs")
    with pytest.raises(OSError, match=r"symbolic links|exists"):
        Blobs(tmp_path / "blobs").put("x")
