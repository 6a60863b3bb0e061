"""Requests to a controller as files in a folder, and a FIFO to ring it with. See ports.inbox."""

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from tidegate.core.errors import Misused, Unavailable
from tidegate.ports.inbox import Reply, Request
from tidegate.runner import files, process_table

_T = TypeVar("_T")

_BELL = "bell"
_REQUEST, _REPLY = ".request.json", ".reply.json"
_READ_MAX_BYTES = 1 << 20
_LOOK_S = 0.01
_ASKER = re.compile(r"-(\d+)\.reply\.json")
_DRAFT = re.compile(r"\..*\.json\.(\d+)")


class FolderInbox:
    """The inbox of one repository. `listen_to` is told of a descriptor that becomes readable."""

    def __init__(self, folder: str, *, listen_to: Callable[[int], None]) -> None:
        self._folder = Path(folder)
        self._listen_to = listen_to
        self._is_listening = False

    def listen(self) -> None:
        """Open the bell for reading and writing: then it never is at its end."""
        if self._is_listening:
            return
        self._make()
        self._clear()
        self._is_listening = True
        bell = os.open(self._folder / _BELL, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._listen_to(bell)

    def waiting(self) -> Sequence[Request]:
        """What lies there, in the order in which it came."""
        try:
            names = [name for name in os.listdir(self._folder) if name.endswith(_REQUEST)]
        except FileNotFoundError:
            return ()
        found = []
        for name in sorted(names):
            with contextlib.suppress(OSError):  # it is read the next time, and not lost
                request = _read(self._folder / name, Request)
                if request is None or name != f"{request.id}{_REQUEST}":
                    self._drop(name)
                else:
                    found.append(request)
        return found

    def reply(self, request: Request, reply: Reply) -> None:
        """The reply first: a request without one is taken again, and then refused as done."""
        self._write(f"{request.id}{_REPLY}", msgspec.json.encode(reply))
        (self._folder / f"{request.id}{_REQUEST}").unlink(missing_ok=True)

    def leave(self, request: Request) -> None:
        """Write it and ring. What no controller would read is refused before it is written."""
        content = msgspec.json.encode(request)
        if len(content) > _READ_MAX_BYTES:
            raise Misused(
                f"what you say is {len(content)} bytes long, and {_READ_MAX_BYTES} are heard",
                hint="say it in fewer words, and the rest in the issue",
            )
        self._make()
        self._write(f"{request.id}{_REQUEST}", content)
        self._ring()

    def hear(
        self, request: Request, *, wait_s: float, is_heard: Callable[[], bool]
    ) -> Reply | None:
        """Look for the reply, and whether there is still somebody to give it."""
        answer = self._folder / f"{request.id}{_REPLY}"
        until = time.monotonic() + wait_s
        while (reply := _reply(answer)) is None:
            if time.monotonic() >= until or not is_heard():
                return None
            time.sleep(_LOOK_S)
        answer.unlink(missing_ok=True)
        return reply

    def take_back(self, request: Request) -> Reply | None:
        """Have nobody hear it any more; its reply where it was heard before."""
        (self._folder / f"{request.id}{_REQUEST}").unlink(missing_ok=True)
        return self.hear(request, wait_s=0.0, is_heard=lambda: False)

    def _make(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        bell = self._folder / _BELL
        with contextlib.suppress(FileExistsError):
            os.mkfifo(bell, 0o600)
        if not stat.S_ISFIFO(bell.lstat().st_mode):
            raise Unavailable(f"{bell} is no FIFO", hint="remove it and try again")

    def _clear(self) -> None:
        """Take away replies whose asker has gone, and drafts whose writer was killed."""
        for name in os.listdir(self._folder):
            owner = _DRAFT.fullmatch(name) or _ASKER.search(name)
            if owner is None and not name.endswith(_REPLY):
                continue
            if owner is None or process_table.find(int(owner[1])) is None:
                with contextlib.suppress(OSError):
                    (self._folder / name).unlink()

    def _drop(self, name: str) -> None:
        """Take away what is no request. Whoever goes by its name may still be listening."""
        if stat.S_ISREG((self._folder / name).lstat().st_mode):
            reply = Reply(is_done=False, message="what you said could not be read", hint=_AGAIN)
            self._write(f"{name.removesuffix(_REQUEST)}{_REPLY}", msgspec.json.encode(reply))
        (self._folder / name).unlink(missing_ok=True)

    def _ring(self) -> None:
        """Nobody listens: then the request waits for the next controller."""
        with contextlib.suppress(OSError):
            bell = os.open(self._folder / _BELL, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                os.write(bell, b"r")
            finally:
                os.close(bell)

    def _write(self, name: str, content: bytes) -> None:
        files.replace(str(self._folder), name, content, durable=True)


_AGAIN = "say it again with `tidegate answer`, `rule`, `veto` or `stop`"


def _reply(path: Path) -> Reply | None:
    """What stands there; None where nothing does, or nothing that can be read now."""
    with contextlib.suppress(OSError):
        return _read(path, Reply)
    return None


def _read(path: Path, kind: type[_T]) -> _T | None:
    """What the file says; None where it says nothing of the kind. It is never waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, or a socket
            return None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        try:
            return msgspec.json.decode(file.read(_READ_MAX_BYTES), type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
