"""Requests to a controller as files: read in order, replied to once, and never waited for."""

import errno
import os
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from tidegate.core.errors import Misused, Unavailable
from tidegate.ports.inbox import Reply, Request
from tidegate.runner.inbox import FolderInbox
from tidegate.runner.watch import Watch

DONE = Reply(is_done=True, message="done")


def request(name: str, **given: str) -> Request:
    """A wish."""
    return Request(id=name, run="r1", verb="answer", by="owner", lane="001", says=given)


def inbox(folder: Path, bells: list[int] | None = None) -> FolderInbox:
    """The inbox in a folder that may not be there yet."""
    heard = bells if bells is not None else []
    return FolderInbox(str(folder / "inbox"), listen_to=heard.append)


def left(folder: Path) -> list[str]:
    """What lies in the inbox, but for its bell."""
    return sorted(each.name for each in (folder / "inbox").iterdir() if each.name != "bell")


def test_where_nobody_said_anything_nothing_waits(tmp_path: Path) -> None:
    """Not even a folder is made for it."""
    assert inbox(tmp_path).waiting() == ()
    assert not (tmp_path / "inbox").exists()


def test_requests_wait_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    """Whoever left them and has gone; they are read as often as one likes."""
    box = inbox(tmp_path)
    for name in ("2", "1", "3"):
        box.leave(request(name, answer="land"))
        assert box.hear(request(name), wait_s=0, is_heard=lambda: True) is None
    assert [each.id for each in box.waiting()] == ["1", "2", "3"]
    assert inbox(tmp_path).waiting() == box.waiting()
    assert box.waiting()[0] == request("1", answer="land")


def test_a_request_is_taken_off_with_its_reply(tmp_path: Path) -> None:
    """The reply is there before the request goes."""
    box = inbox(tmp_path)
    box.leave(request("1"))
    box.reply(box.waiting()[0], DONE)
    assert box.waiting() == []
    assert left(tmp_path) == ["1.reply.json"]


def test_who_asked_hears_the_reply_and_leaves_nothing(tmp_path: Path) -> None:
    """The bell ends the controller's wait."""
    watch = Watch()
    box = FolderInbox(str(tmp_path / "inbox"), listen_to=watch.listen_to)
    box.listen()
    heard: list[Reply | None] = []

    def ask() -> None:
        other = inbox(tmp_path)
        other.leave(request("1"))
        heard.append(other.hear(request("1"), wait_s=30, is_heard=lambda: True))

    asks = threading.Thread(target=ask)
    asks.start()
    while not (waiting := box.waiting()):
        watch.wait(30)
    box.reply(waiting[0], DONE)
    asks.join()
    watch.close()
    assert heard == [DONE]
    assert left(tmp_path) == []


def test_what_the_dead_left_goes_when_the_next_controller_listens(tmp_path: Path) -> None:
    """Replies that nobody fetched, and drafts of a killed writer. Who lives may yet read."""
    box = inbox(tmp_path)
    gone = subprocess.run(("sh", "-c", "echo $$"), stdout=subprocess.PIPE, check=True).stdout
    dead, alive = int(gone), os.getpid()
    for name in ("1", f"2-{dead}", f"3-{alive}"):
        box.leave(request(name))
        box.reply(box.waiting()[0], DONE)
    box.leave(request("4"))
    drafts = [f".5.request.json.{dead}", f".6.reply.json.{dead}", f".7.request.json.{alive}"]
    for draft in drafts:
        (tmp_path / "inbox" / draft).touch()
    bells: list[int] = []
    inbox(tmp_path, bells).listen()
    os.close(bells[0])
    assert left(tmp_path) == [drafts[2], f"3-{alive}.reply.json", "4.request.json"]


def test_who_asked_waits_no_longer_than_there_is_somebody_to_reply(tmp_path: Path) -> None:
    """What is taken back is heard by nobody; what was heard before has its reply."""
    box = inbox(tmp_path)
    box.leave(request("1"))
    assert box.hear(request("1"), wait_s=600, is_heard=lambda: False) is None
    assert box.take_back(request("1")) is None
    assert box.waiting() == []
    box.leave(request("2"))
    box.reply(request("2"), DONE)
    assert box.take_back(request("2")) == DONE
    assert left(tmp_path) == []


def test_what_is_longer_than_is_read_is_never_left(tmp_path: Path) -> None:
    """Cut off it would be no request, and nobody would be told."""
    box = inbox(tmp_path)
    with pytest.raises(Misused, match="fewer words"):
        box.leave(request("1", reason="x" * (1 << 20)))
    assert box.waiting() == ()
    box.leave(request("2", reason="x" * (1 << 19)))
    assert [each.id for each in box.waiting()] == ["2"]


def test_a_request_that_cannot_be_read_now_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk, the table of files: what is wrong with the machine is not the request's fault."""
    box = inbox(tmp_path)
    box.leave(request("1"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", _refused)
        assert box.waiting() == []
        assert box.hear(request("1"), wait_s=0, is_heard=lambda: True) is None
    assert [each.id for each in box.waiting()] == ["1"]


def _refused(path: str, *_: object, **__: object) -> int:
    raise OSError(errno.ENFILE, "too many open files", path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"id": "1"}',
        b"\xff\xfe",
        b'{"id":"2","run":"r1","verb":"stop","by":"x"}',
    ],
    ids=["empty", "broken", "a list", "too little", "no text", "another id"],
)
def test_what_is_no_request_is_dropped_with_a_reply(tmp_path: Path, content: bytes) -> None:
    """It would be looked at for ever, and whoever wrote it would wait."""
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "1.request.json").write_bytes(content)
    assert inbox(tmp_path).waiting() == []
    assert left(tmp_path) == ["1.reply.json"]
    said = inbox(tmp_path).hear(request("1"), wait_s=0, is_heard=lambda: True)
    assert said is not None
    assert (said.is_done, said.message) == (False, "what you said could not be read")


def test_what_is_no_file_is_dropped_and_never_waited_for(tmp_path: Path) -> None:
    """A FIFO that nobody writes to would hold the controller up for ever."""
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "0.request.json").mkdir()
    os.mkfifo(folder / "1.request.json")
    (folder / "2.request.json").symlink_to("/etc/passwd")
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(folder)  # the path of a socket may not be long
        try:
            bound.bind("3.request.json")
        finally:
            os.chdir(here)
    assert inbox(tmp_path).waiting() == []
    assert left(tmp_path) == ["0.request.json"], "a folder is nobody's request, and stays"


def test_a_bell_that_is_none_is_told(tmp_path: Path) -> None:
    """Nobody would ever be heard."""
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "bell").write_text("", encoding="utf-8")
    with pytest.raises(Unavailable, match="is no FIFO"):
        inbox(tmp_path).listen()


def test_listening_twice_is_listening_once(tmp_path: Path) -> None:
    """One bell is heard."""
    bells: list[int] = []
    box = inbox(tmp_path, bells)
    box.listen()
    box.listen()
    assert len(bells) == 1
    os.close(bells[0])
