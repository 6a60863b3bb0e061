"""Read many small objects with few processes, and none that is too large."""

from collections.abc import Iterable

from tidegate.git.command import Git

BLOB_BYTES_MAX = 8 << 20
"""A larger one is not read: it is no text that a person wrote."""
TOTAL_BYTES_MAX = 128 << 20
"""How much is held in memory at once; what is beyond is not read either."""


def small(git: Git, names: Iterable[str]) -> dict[str, bytes]:
    """Map each name of a blob to its content; what is absent or too large is left out.

    A name is whatever git takes for one: an oid, or ``TREE:PATH``.
    """
    chosen: list[str] = []
    total = 0
    wanted = list(dict.fromkeys(name for name in names if "\n" not in name))
    for name, size in _sizes(git, wanted):
        if size <= BLOB_BYTES_MAX and total + size <= TOTAL_BYTES_MAX:
            chosen.append(name)
            total += size
    return dict(zip(chosen, read(git, chosen), strict=True))


def _sizes(git: Git, names: list[str]) -> list[tuple[str, int]]:
    if not names:
        return []
    rows = git.run("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=_lines(names))
    told = [row.split(b" ") for row in rows.stdout.splitlines()]
    pairs = zip(names, told, strict=True)
    return [(name, int(row[1])) for name, row in pairs if row[0] == b"blob"]


def read(git: Git, names: list[str]) -> list[bytes]:
    """Read blobs that are known to be there, one process for all, in their order."""
    if not names:
        return []
    output = git.run("cat-file", "--batch=%(objectsize)", stdin=_lines(names)).stdout
    contents: list[bytes] = []
    at = 0
    while at < len(output):
        start = output.index(b"\n", at) + 1
        end = start + int(output[at : start - 1])
        contents.append(output[start:end])
        at = end + 1
    return contents


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
