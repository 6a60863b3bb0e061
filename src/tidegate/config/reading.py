"""Take in one text file whole, or say in a line why not.

It never waits (a FIFO in the place of a file is refused), never reads without a bound, and never
repairs what it reads. Line ends are the one thing made uniform: CRLF becomes LF.
"""

import errno
import os
import stat
from pathlib import Path

from tidegate.config.problem import Misconfigured, Problem

_BOM = b"\xef\xbb\xbf"


def read_text(path: Path, *, shown: str, size_max: int, links: bool = True) -> str:
    """The text of a file. `shown` is its name in errors, `size_max` is in bytes.

    With `links` false a symbolic link is refused: what others put into a repository must not
    make us read elsewhere. Raises FileNotFoundError where there is nothing, and Misconfigured
    where there is something that cannot be read in full.
    """
    try:
        content = _read(path, size_max=size_max, links=links)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not path.is_symlink():
            raise
        fix = "put a plain, readable text file there"
        raise Misconfigured([Problem(file=shown, line=1, what=_why(error), fix=fix)]) from None
    return _decoded(content, shown).replace("\r\n", "\n")


def _read(path: Path, *, size_max: int, links: bool) -> bytes:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if links else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("it is not a plain file")
        if found.st_size > size_max:
            raise OSError(f"it has {found.st_size} bytes, and {size_max} is the limit")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def _why(error: OSError) -> str:
    match error.errno:
        case errno.ENOENT:
            return "it is a symbolic link that leads nowhere"
        case errno.ELOOP:
            return "it is a symbolic link"
        case None:
            return str(error)
        case _:
            return f"it cannot be read ({error.strerror})"


def _decoded(content: bytes, shown: str) -> str:
    if content.startswith(_BOM):
        what, fix = "it begins with a byte order mark", "save it as UTF-8 without one"
        raise Misconfigured([Problem(file=shown, line=1, what=what, fix=fix)])
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start} (0x{content[error.start]:02x}) is not UTF-8"
        fix = "save the file as UTF-8"
        raise Misconfigured([Problem(file=shown, line=line, what=what, fix=fix)]) from None
