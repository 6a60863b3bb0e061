"""Make a fresh checkout usable: copy what is in no commit, then run the user's set-up command.

Everything is copied: a link to something shared would let one agent change what all others read.
Caches arrive read-only for the same reason. Where a destination would lead through a link that the
checkout contains, nothing is written.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tidegate.git import child
from tidegate.git.command import scrubbed
from tidegate.git.errors import SetupFailed

LOG_TAIL_BYTES = 4096
"""How much of a failed set-up's output its error repeats; the whole is in the log."""

_CHUNK_BYTES = 1 << 20
_READ_ONLY = 0o555
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Copy(NamedTuple):
    """A file or folder to be copied; `to` is relative to the workspace."""

    source: str
    to: str


class Setup(NamedTuple):
    """The user's command, run by a shell in the workspace. Its output goes to the file `log`."""

    command: str
    timeout_s: float
    variables: Mapping[str, str]
    log: str


def copy_files(root: str, files: Sequence[Copy]) -> None:
    """Copy environment files; they keep their mode. Raises SetupFailed for one that cannot be."""
    for copy in files:
        _copy_file(root, copy, writable=True)


def copy_caches(root: str, caches: Sequence[Copy]) -> None:
    """Copy folders of caches and make the copies read-only."""
    for cache in caches:
        for copy in _below(cache):
            _copy_file(root, copy, writable=False)
        for folder, _, _ in os.walk(os.path.join(root, cache.to), topdown=False):
            os.chmod(folder, _READ_ONLY)


def run_setup(root: str, setup: Setup) -> None:
    """Run the command to its end. Raises SetupFailed with the tail of what it said."""
    ended = child.run(
        ("/bin/sh", "-c", setup.command),
        env=scrubbed(os.environ) | dict(setup.variables),
        cwd=root,
        streams=child.Streams(stdout_path=setup.log, stderr_to_stdout=True),
        timeout_s=setup.timeout_s,
    )
    if ended.timed_out:
        how = f"did not end within {setup.timeout_s:g} s and was killed"
    elif ended.code != 0:
        how = f"ended with exit code {ended.code}"
    else:
        return
    raise SetupFailed(
        f"the set-up command `{setup.command}` ([workspace] setup in tidegate.toml) {how}:\n"
        f"{_tail(setup.log) or 'it said nothing'}"
    )


def digest(
    *,
    files: Sequence[Copy],
    caches: Sequence[Copy],
    command: str | None,
    cone: Sequence[str],
    without: Sequence[str],
) -> str:
    """Return the environment digest: of all that shapes a checkout besides its commit.

    `without` are the submodules that are not filled.
    """
    copies = [*files, *(copy for cache in caches for copy in _below(cache))]
    described = {
        "setup": command,
        "cone": sorted(cone),
        "without": sorted(without),
        "files": sorted((copy.to, *_content_digest(copy.source)) for copy in copies),
    }
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def _content_digest(source: str) -> tuple[str, str]:
    if os.path.islink(source):
        return "link", hashlib.sha256(os.fsencode(os.readlink(source))).hexdigest()
    with open(source, "rb") as file:
        mode = "x" if os.fstat(file.fileno()).st_mode & stat.S_IXUSR else "-"
        return mode, hashlib.file_digest(file, "sha256").hexdigest()


def _below(cache: Copy) -> Iterator[Copy]:
    """Yield every file of a folder, links as links."""
    if not os.path.isdir(cache.source):
        raise SetupFailed(
            f"the cache {cache.source} is no folder", hint="see [workspace] caches in tidegate.toml"
        )
    for folder, folders, files in os.walk(cache.source):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        to = os.path.normpath(os.path.join(cache.to, os.path.relpath(folder, cache.source)))
        for name in (*files, *links):
            yield Copy(os.path.join(folder, name), os.path.join(to, name))


def _copy_file(root: str, copy: Copy, *, writable: bool) -> None:
    try:
        folder, name = _open_parent(root, copy.to)
        try:
            _write_copy(copy.source, folder, name, writable=writable)
        finally:
            os.close(folder)
    except OSError as error:
        raise SetupFailed(
            f"{copy.source} cannot be copied to {copy.to} in the workspace: {error.strerror}",
            hint="see [workspace] env_files and caches in tidegate.toml",
        ) from error


def _open_parent(root: str, to: str) -> tuple[int, str]:
    """Open the folder that a relative path is in, making folders, following no link."""
    *folders, name = [part for part in to.split("/") if part not in ("", ".")]
    if os.path.isabs(to) or ".." in (*folders, name):
        raise OSError(0, "the path leads out of the workspace")
    descriptor = os.open(root, _FOLDER)
    for folder in folders:
        try:
            if not _has(descriptor, folder):
                os.mkdir(folder, dir_fd=descriptor)
            inner = os.open(folder, _FOLDER, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor, name


def _has(folder: int, name: str) -> bool:
    try:
        os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


def _write_copy(source: str, folder: int, name: str, *, writable: bool) -> None:
    if not writable and os.path.islink(source):
        os.symlink(os.readlink(source), name, dir_fd=folder)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(source, "rb") as reader:
        mode = stat.S_IMODE(os.fstat(reader.fileno()).st_mode)
        target = os.open(name, flags, mode if writable else mode & _READ_ONLY, dir_fd=folder)
        with os.fdopen(target, "wb") as writer:
            while chunk := reader.read(_CHUNK_BYTES):
                writer.write(chunk)


def _tail(path: str) -> str:
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_TAIL_BYTES))
        return file.read().decode("utf-8", "replace").strip()
