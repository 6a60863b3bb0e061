"""The SQL of a file, by name: a statement begins at its `-- name:` line."""

from collections.abc import Mapping
from pathlib import Path

_MARK = "-- name:"
FOLDER = Path(__file__).parent


def load(name: str) -> Mapping[str, str]:
    """The statements of `sql/NAME.sql`."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (FOLDER / "sql" / f"{name}.sql").read_text(encoding="utf-8").splitlines():
        if line.startswith(_MARK):
            lines = found.setdefault(line.removeprefix(_MARK).strip(), [])
        else:
            lines.append(line)
    return {key: "\n".join(text).strip().removesuffix(";") for key, text in found.items()}
