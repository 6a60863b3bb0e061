"""An artifact is published once, whole, and never over another."""

import hashlib
from pathlib import Path

import pytest

from tidegate.core.errors import IntegrityError
from tidegate.evidence.store import FileStore

TEXT = "what was found\n"
DIGEST = hashlib.sha256(TEXT.encode()).hexdigest()


def test_a_text_gets_its_place(tmp_path: Path) -> None:
    """Its folder is made, and nothing else stands in it afterwards."""
    place = tmp_path / "artifacts" / "001-1.md"
    FileStore().promote(str(place), TEXT, digest=DIGEST)
    assert place.read_text(encoding="utf-8") == TEXT
    assert list(place.parent.iterdir()) == [place]


def test_publishing_twice_is_publishing_once(tmp_path: Path) -> None:
    """A publication that was cut short after the move is simply done again."""
    place = tmp_path / "artifact"
    for _ in range(2):
        FileStore().promote(str(place), TEXT, digest=DIGEST)
    assert place.stat().st_nlink == 1


def test_another_artifact_is_never_overwritten(tmp_path: Path) -> None:
    """What stands in the place already stays, and is named."""
    place = tmp_path / "artifact"
    place.write_text("another", encoding="utf-8")
    with pytest.raises(IntegrityError, match="another artifact"):
        FileStore().promote(str(place), TEXT, digest=DIGEST)
    assert place.read_text(encoding="utf-8") == "another"


def test_only_what_was_intended_is_published(tmp_path: Path) -> None:
    """C079: a text that is not what its digest says gets no place."""
    with pytest.raises(IntegrityError, match="intended"):
        FileStore().promote(str(tmp_path / "artifact"), "other", digest=DIGEST)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_publication_left_is_no_obstacle(tmp_path: Path) -> None:
    """A staged file of the same process number is written anew."""
    place = tmp_path / "artifact"
    import os  # noqa: PLC0415 - only for the name of the staged file

    (tmp_path / f".artifact.{os.getpid()}").write_text("half", encoding="utf-8")
    FileStore().promote(str(place), TEXT, digest=DIGEST)
    assert place.read_text(encoding="utf-8") == TEXT
