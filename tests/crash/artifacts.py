"""Publish an artifact."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.crash.operation import FAULT, Facts, Operation, acknowledge
from tidegate.core.digest import sha256_hex
from tidegate.evidence.store import FileStore

TEXT = "what was found\n" * 400
_PUBLISHED = "published"


def _place(place: Path) -> Path:
    return place / "artifacts" / "run" / "001-1.md"


def _begin(place: Path) -> None:
    place.mkdir()


def _work(place: Path) -> None:
    FileStore().promote(str(_place(place)), TEXT, digest=sha256_hex(TEXT.encode()))
    acknowledge(_PUBLISHED)


def _lost(place: Path, acknowledged: Sequence[str]) -> Iterable[str]:
    artifact = _place(place)
    if artifact.exists() and artifact.read_text(encoding="utf-8") != TEXT:
        yield f"{FAULT}an artifact in its place that is not whole"
    if _PUBLISHED in acknowledged and not artifact.exists():
        yield "the artifact that was said to be published"


def _facts(place: Path) -> Facts:
    folder = _place(place).parent
    found = folder.iterdir() if folder.is_dir() else ()
    return Counter(
        f"{path.name}: {sha256_hex(path.read_bytes())}" for path in found if path.name[0] != "."
    )


PUBLISH = Operation(name="publish", begin=_begin, work=_work, facts=_facts, lost=_lost)
