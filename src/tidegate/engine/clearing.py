"""Take folders of jobs away that nobody will read again.

`shutil` would do it, and costs a controller 0.6 MB for as long as it lives: it brings along what
packs archives.
"""

from contextlib import suppress
from os import walk
from pathlib import Path


def clear(folder: str) -> None:
    """Remove a folder with all that is in it, links unfollowed. What cannot be removed stays."""
    for place, folders, files in walk(folder, topdown=False):
        for name in (*files, *folders):
            with suppress(OSError):
                _remove(Path(place, name))
    with suppress(OSError):
        Path(folder).rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()
