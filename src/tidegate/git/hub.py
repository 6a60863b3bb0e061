"""The hub: a bare repository of our own beside the ledger, where all work passes and stays.

It borrows nothing (the user's `git gc` would destroy it), prunes nothing, and takes no pushes: what
comes in is fetched or harvested by us. Everything that has to stay reachable has a pin, a ref under
`refs/tidegate/`. The user's own refs are copied once, when it is made, and mean nothing later.
"""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tidegate.git import carried, durable, partial
from tidegate.git.command import LONG_S, Git
from tidegate.git.errors import Busy
from tidegate.git.repository import Repository
from tidegate.git.trash import clear

PINS = "refs/tidegate/"
LOCK_WAIT_S = 600.0
"""How long to wait for another process of ours that makes the same hub."""
_LOCK_STEP_S = 0.05

_CONFIG = """\
[core]
\trepositoryformatversion = 1
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
\tfsync = all
\tfsyncMethod = batch
[extensions]
\tpreciousObjects = true
[gc]
\tauto = 0
\tpruneExpire = never
\treflogExpire = never
\treflogExpireUnreachable = never
\tworktreePruneExpire = never
[maintenance]
\tauto = false
[receive]
\tautogc = false
\tdenyDeletes = true
\tdenyNonFastForwards = true
\tdenyCurrentBranch = refuse
\thideRefs = refs/
[uploadpack]
\thideRefs = refs/tidegate/
"""
"""With `preciousObjects` git itself refuses to prune here, whoever asks."""

_PRE_RECEIVE = """\
#!/bin/sh
echo 'Nothing is pushed here: commit in your workspace, and the run collects it.' >&2
exit 1
"""


_PLACES = "tidegate-places"
"""A file in the hub: every path that its object store had when a workspace was made."""


class Hub(NamedTuple):
    """An existing hub. `objects` is what every workspace borrows from."""

    path: str

    @property
    def git(self) -> Git:
        """Git on the hub, with nobody's configuration but ours."""
        return Git(trusts_user=False, git_dir=self.path)

    @property
    def objects(self) -> str:
        """The object store, as workspaces name it."""
        return os.path.join(self.path, "objects")

    @property
    def lenders(self) -> tuple[str, ...]:
        """What workspaces of this hub name as what they borrow from: here, or where it was before.

        A repository may be moved while agents work for it. Only what this hub noted counts.
        """
        return (self.objects, *self._noted_places())

    def note_place(self) -> None:
        """Note where the object store is, before a workspace that borrows from it is made."""
        noted = self._noted_places()
        if self.objects not in noted:
            content = b"".join(os.fsencode(each) + b"\n" for each in (*noted, self.objects))
            durable.write_file(os.path.join(self.path, _PLACES), content)

    def _noted_places(self) -> tuple[str, ...]:
        try:
            with open(os.path.join(self.path, _PLACES), "rb") as file:
                return tuple(map(os.fsdecode, file.read().splitlines()))
        except FileNotFoundError:
            return ()

    def commit(self, name: str) -> str | None:
        """Return the commit that a ref or an oid names in the hub, or None."""
        found = self.git.run(
            "rev-parse", "-q", "--verify", f"{name}^{{commit}}", ok_codes=(0, 1, 128)
        )
        return found.text if found.code == 0 else None

    def look_up(self, *names: str) -> list[str | None]:
        """Return the oid that each name has in the hub, or None; one process for all of them."""
        stdin = "".join(f"{name}\n" for name in names).encode()
        rows = self.git.run("cat-file", "--batch-check=%(objectname)", stdin=stdin).text
        return [None if row.endswith(" missing") else row for row in rows.splitlines()]

    def pin(self, refs: Mapping[str, str]) -> None:
        """Make each ref point to its commit, all of them or none, whatever it pointed to before."""
        lines = "".join(f"update {ref} {oid}\n" for ref, oid in refs.items())
        if lines:
            self.git.run("update-ref", "--stdin", stdin=lines.encode())

    def pins(self, prefix: str) -> dict[str, str]:
        """Return the refs below a prefix with their oids."""
        rows = self.git.run("for-each-ref", "--format=%(refname) %(objectname)", prefix).text
        return dict(row.split(" ") for row in rows.splitlines())


def make(path: str, source: Repository) -> Hub:
    """Return the hub at `path`, making it from the user's repository where there is none.

    It appears whole or not at all: it is built beside its place and renamed. What a killed attempt
    left there is removed. One that is there has its configuration written again, should somebody
    have changed it. Raises Busy when another process makes it for longer than LOCK_WAIT_S.
    """
    if os.path.isdir(path):
        _configure(path, _config_for(source))
    else:
        _make(path, lambda half_made, lock: _build(half_made, source, lock))
    return Hub(path)


def make_empty(path: str, object_format: str) -> Hub:
    """Return the hub at `path`, making it where there is none, for what nobody else has yet."""
    if not os.path.isdir(path):
        _make(path, lambda half_made, _: _build_empty(half_made, object_format))
    return Hub(path)


def _make(path: str, build: Callable[[str, int], None]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _lock(f"{path}.lock") as held:
        if not os.path.isdir(path):
            half_made = f"{path}.making"
            clear(half_made)
            build(half_made, held)
            durable.sync_file_system(half_made)
            os.rename(half_made, path)
            durable.sync_folder(os.path.dirname(path))


def _build(path: str, source: Repository, lock: int) -> None:
    """Clone the user's repository into a folder of ours and make it a hub."""
    git = Git(trusts_user=True, cwd=os.path.dirname(path), timeout_s=LONG_S, keep_open=(lock,))
    options = ("--quiet", "--bare", "--local", "--dissociate", "--template=", "--no-reject-shallow")
    git.run("clone", *options, "--", source.common_dir, path)
    _furnish(path, config=_config_for(source), excludes=carried.excludes(source))


def _build_empty(path: str, object_format: str) -> None:
    git = Git(trusts_user=False, cwd=os.path.dirname(path))
    git.run("init", "-q", "--bare", "--template=", f"--object-format={object_format}", path)
    _furnish(path, config=_config(object_format), excludes=b"")


def _furnish(path: str, *, config: str, excludes: bytes) -> None:
    _configure(path, config)
    # No branch is checked out here: newer gits would read attributes from the one HEAD names.
    _write(path, "HEAD", "ref: refs/heads/tidegate/none\n")
    _write(path, "hooks/pre-receive", _PRE_RECEIVE)
    os.chmod(os.path.join(path, "hooks", "pre-receive"), stat.S_IRWXU)
    _write(path, "info/exclude", excludes)


def _config_for(source: Repository) -> str:
    promised = partial.hub_config(source) if source.is_partial else ""
    return _config(source.object_format) + promised


def _config(object_format: str) -> str:
    if object_format == "sha1":
        return _CONFIG
    return f"{_CONFIG}[extensions]\n\tobjectFormat = {object_format}\n"


def _configure(path: str, config: str) -> None:
    """Write the hub's configuration where it is not what it has to be."""
    if _read(path, "config") != config.encode():
        _write(path, "config", config)


def _read(hub: str, name: str) -> bytes | None:
    try:
        with open(os.path.join(hub, name), "rb") as file:
            return file.read()
    except OSError:
        return None


def _write(hub: str, name: str, content: str | bytes) -> None:
    path = os.path.join(hub, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    durable.write_file(path, content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def _lock(path: str) -> Iterator[int]:
    """Hold a lock that git, when it is started meanwhile, holds as well until it ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    limit_s = time.monotonic() + LOCK_WAIT_S
    try:
        while not _taken(descriptor):
            if time.monotonic() > limit_s:
                raise Busy(f"{path} is held by another process", hint="try again when it is done")
            time.sleep(_LOCK_STEP_S)
        yield descriptor
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def fetch_base(hub: Hub, source: Repository, commit: str) -> str:
    """Bring one commit of the user's, with all before it, into the hub for good; return its pin.

    What the user ignores without committing it is taken along each time, for it may have changed.
    """
    pin = f"{PINS}base/{commit}"
    _write(hub.path, "info/exclude", carried.excludes(source))
    if hub.commit(pin) is None:
        if source.is_partial:
            partial.hydrate(source, commit)
        git = Git(trusts_user=True, git_dir=hub.path, timeout_s=LONG_S)
        options = ("--quiet", "--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow")
        git.run("fetch", *options, "--", source.common_dir, f"+{commit}:{pin}")
        if source.is_partial:
            partial.complete(hub.git, commit)
    return pin


def pack(hub: Hub) -> None:
    """Gather loose objects and refs into few files. Nothing is deleted but doubles.

    Safe while workspaces are in use: what they borrow stays where it can be found.
    """
    git = hub.git.within(LONG_S)
    git.run("repack", "-q")
    durable.sync_file_system(hub.path)  # before the loose copies go
    git.run("prune-packed", "-q")
    git.run("multi-pack-index", "write", "--no-progress")
    git.run("pack-refs", "--all")
