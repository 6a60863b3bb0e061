"""The ledger's record, read without the program that wrote it: rows, chain, and a fold of its own.

The chain is verified as its documentation says to do it by hand: each hash is the sha256 of the
row's columns before it, as a JSON list without spaces.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tidegate.showcase.proving import sight

Row = Mapping[str, object]
_GENESIS = "0" * 64
_EVENT = (
    "sequence", "run_id", "lane", "version", "attempt", "epoch", "kind", "body", "actor",
    "previous_state", "next_state", "reason", "utc", "previous_hash", "hash",
)  # fmt: skip
_COLUMNS: Mapping[str, Sequence[str]] = {
    "event": _EVENT,
    "run": ("run_id", "base", "ref", "ended_at"),
    "lane": ("run_id", "lane", "issue", "outcome", "reason", "landed_commit", "landed_tree"),
    "attempt_fold": (
        "run_id", "attempt_id", "lane", "state", "artifact_status", "artifact_path",
        "artifact_digest",
    ),
    "turn": ("run_id", "attempt_id", "turn", "epoch", "how", "signal", "ended_at"),
    "receipt": ("run_id", "receipt", "kind", "outcome", "detail", "settled_at"),
}  # fmt: skip


def rows_of(home: Path, table: str) -> Sequence[Row]:
    """The rows of a table, in the order in which they were added."""
    names = _COLUMNS[table]
    found = sight.asked(home, f"select {', '.join(names)} from {table} order by rowid")  # noqa: S608 - the names above
    return [dict(zip(names, row, strict=True)) for row in found]


def digest_of_file(path: str) -> str | None:
    """The sha256 of a file; None where there is none."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def problems(home: Path) -> Iterator[str]:
    """What is wrong with the record."""
    events = rows_of(home, "event")
    yield from _chain(events)
    yield from _fold(home, events)
    for receipt in rows_of(home, "receipt"):
        if receipt["settled_at"] is None:
            yield f"nobody knows what became of {receipt['kind']} {receipt['receipt']}"


def _chain(events: Sequence[Row]) -> Iterator[str]:
    heads: dict[object, str] = {}
    versions: dict[tuple[object, object], int] = {}
    for event in events:
        where = f"event {event['sequence']}"
        if event["previous_hash"] != heads.get(event["run_id"], _GENESIS):
            yield f"{where} does not follow the one before it"
        columns = [event[name] for name in _EVENT[:-1]]
        text = json.dumps(columns, separators=(",", ":"), ensure_ascii=False)
        if hashlib.sha256(text.encode()).hexdigest() != event["hash"]:
            yield f"{where} was changed after it was recorded"
        stream = (event["run_id"], event["lane"])
        versions[stream] = versions.get(stream, 0) + 1
        if event["version"] != versions[stream]:
            yield f"{where} is version {event['version']} of its lane, not {versions[stream]}"
        heads[event["run_id"]] = str(event["hash"])


def _fold(home: Path, events: Sequence[Row]) -> Iterator[str]:
    """States, outcomes, landings, artifacts and turns: as the events have them, and as the rows."""
    folded = _folded(events)
    shown: dict[tuple[object, ...], object] = {
        **{
            ("attempt", each["run_id"], each["attempt_id"]): each["state"]
            for each in rows_of(home, "attempt_fold")
        },
        **{
            ("lane", each["run_id"], each["lane"]): (each["outcome"], each["landed_commit"])
            for each in rows_of(home, "lane")
        },
        **{
            ("turn", each["run_id"], each["attempt_id"], each["turn"]): each["how"]
            for each in rows_of(home, "turn")
        },
    }
    for key in sorted(folded.keys() | shown.keys(), key=str):
        if folded.get(key, "nothing") != shown.get(key, "nothing"):
            named = " ".join(map(str, key))
            yield f"{named}: the rows say {shown.get(key)}, the events {folded.get(key)}"


def _folded(events: Sequence[Row]) -> dict[tuple[object, ...], object]:
    folded: dict[tuple[object, ...], object] = {}
    for event in events:
        run, lane, attempt = event["run_id"], event["lane"], event["attempt"]
        body = json.loads(str(event["body"]))
        if event["next_state"] is not None:
            folded["attempt", run, attempt] = event["next_state"]
        of_lane = ("lane", run, lane)
        match event["kind"]:
            case "lane_opened":
                folded[of_lane] = (None, None)
            case "landed":
                folded[of_lane] = (None, body["commit"])
            case "lane_ended":
                _, commit = _pair(folded[of_lane])
                folded[of_lane] = (body["outcome"], commit)
            case "turn_opened":
                folded["turn", run, attempt, body["turn"]] = None
            case "turn_ended":
                folded["turn", run, attempt, body["turn"]] = body["how"]
            case _:
                pass
    return folded


def _pair(value: object) -> tuple[object, object]:
    assert isinstance(value, tuple)
    return value[0], value[1]
