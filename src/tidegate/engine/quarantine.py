"""What comes after a turn is over is kept apart: it is evidence of nothing (seed 002, line 293).

When a turn's end is recorded its staging folder is taken away under another name. Whoever writes
there later finds no folder, or makes one anew: then that is known to be late. A turn whose runner
died has no end of its own telling, and all that it staged is late.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from tidegate.core.digest import sha256_hex
from tidegate.core.events import Quarantined
from tidegate.core.lane import Attempt, Lane
from tidegate.core.liveness import Lapse
from tidegate.engine.engine import Engine

STAGING, TAKEN = "staging", "taken"
_FILES_MAX = 100
"""More late files of one turn are kept where they are."""
_BYTES_MAX = 5_000_000
"""What is read of late files in one look, all together."""
_SHORT = 12
_GIVEN_UP = frozenset({"lost", Lapse.STOP_ACK_TIMEOUT})


def take_after_commit(engine: Engine, folder: str) -> None:
    """Take a turn's staging away, once that it is over is durable."""
    engine.settle_after_commit(f"{folder}/{STAGING}", lambda: _take(folder))


def take_again(engine: Engine, attempt: Attempt) -> None:
    """Take what a controller has left there that died between the record and the taking."""
    turn = attempt.turn
    if turn is not None and turn.end is not None and turn.end.how not in _GIVEN_UP:
        take_after_commit(engine, engine.setup.places.turn(attempt.id, turn.number))


def _take(folder: str) -> None:
    staging, taken = Path(folder, STAGING), Path(folder, TAKEN)
    if staging.is_dir() and not taken.exists():
        staging.rename(taken)


def keep_apart(engine: Engine, lane: Lane, attempt: Attempt) -> None:
    """Record what came late of an attempt that is over, and move it once that is durable."""
    for turn in range(1, attempt.turn.number + 1 if attempt.turn else 1):
        folder = Path(engine.setup.places.turn(attempt.id, turn))
        if not _is_sealed(attempt, turn, folder):
            continue
        for path, digest in _late(folder / STAGING):
            place = f"{engine.setup.places.quarantine}/{attempt.id}-{turn}-{digest[:_SHORT]}"
            if place not in _known(engine, lane):
                late = Quarantined(attempt=attempt.id, turn=turn, path=place, file_digest=digest)
                engine.book.record_event(lane.id, late)
            engine.settle_after_commit(place, partial(_move, path, place))


def _known(engine: Engine, lane: Lane) -> set[str]:
    """What is on record already, durably or in this very tick."""
    rows = engine.ports.ledger.rows("quarantine", engine.book.run.id, lane=lane.id)
    new = [each.event for each in engine.book.entries if isinstance(each.event, Quarantined)]
    return {str(row["path"]) for row in rows} | {each.path for each in new}


def _is_sealed(attempt: Attempt, turn: int, folder: Path) -> bool:
    """What is in its staging now came after its end was recorded, or has no end to go with."""
    end = attempt.turn.end if attempt.turn and attempt.turn.number == turn else None
    return (folder / TAKEN).exists() or (end is not None and end.how in _GIVEN_UP)


def _late(staging: Path) -> Iterator[tuple[Path, str]]:
    """The plain files that lie there, with their digests. No link is followed."""
    left_bytes = _BYTES_MAX
    for path in _listed(staging):
        content = _content(path, left_bytes)
        if content is not None:
            left_bytes -= len(content)
            yield path, sha256_hex(content)


def _listed(staging: Path) -> Sequence[Path]:
    """What lies there. An agent may have locked the folder: then it is kept where it is."""
    with suppress(OSError):
        if staging.is_dir() and not staging.is_symlink():
            return sorted(staging.iterdir())[:_FILES_MAX]
    return ()


def _content(path: Path, max_bytes: int) -> bytes | None:
    """A plain file's content; None for what is another thing, too large, locked or gone by now."""
    with suppress(OSError):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= max_bytes:
            return path.read_bytes()
    return None


def _move(path: Path, place: str) -> None:
    """Move it, as far as it is there: whoever wrote it late may take it away again."""
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError, PermissionError):
        if not Path(place).exists():
            path.rename(place)
        path.unlink(missing_ok=True)
