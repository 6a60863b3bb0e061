"""Read many objects with few processes.

An object is named by whatever git takes for a name: an oid, or ``TREE:PATH``.
"""

from collections.abc import Iterable

from tidegate.git.command import Git

BLOB_BYTES_MAX = 8 << 20
"""A larger one is not read: it is no text that a person wrote."""
TOTAL_BYTES_MAX = 128 << 20
"""How much is held in memory at once; what is beyond is not read either."""


def small_blobs(git: Git, names: Iterable[str]) -> dict[str, bytes]:
    """Map each name of a blob to its content; what is absent or too large is left out."""
    chosen: list[str] = []
    total = 0
    wanted = list(dict.fromkeys(name for name in names if "\n" not in name))
    for name, size in _sizes(git, wanted):
        if size <= BLOB_BYTES_MAX and total + size <= TOTAL_BYTES_MAX:
            chosen.append(name)
            total += size
    read = zip(chosen, contents(git, chosen), strict=True)
    return {name: content for name, content in read if content is not None}


def _sizes(git: Git, names: list[str]) -> list[tuple[str, int]]:
    if not names:
        return []
    rows = git.run("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=_lines(names))
    told = zip(names, rows.stdout.splitlines(), strict=True)
    return [(name, int(row[len(_BLOB) :])) for name, row in told if row.startswith(_BLOB)]


_BLOB = b"blob "


def contents(git: Git, names: list[str]) -> list[bytes | None]:
    """Read objects of any size and kind, one process for all, in their order.

    None where there is no such object, or none of a name that git could be asked for.
    """
    asked = [name for name in names if "\n" not in name]
    output = (
        git.run("cat-file", "--batch=%(objectsize)", stdin=_lines(asked)).stdout if asked else b""
    )
    found: dict[str, bytes | None] = {}
    at = 0
    for name in asked:
        start = output.index(b"\n", at) + 1
        header = output[at : start - 1]
        if header.endswith(_MISSING):
            found[name], at = None, start
            continue
        at = start + int(header) + 1
        found[name] = output[start : at - 1]
    return [found.get(name) for name in names]


_MISSING = (b" missing", b" ambiguous")


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
