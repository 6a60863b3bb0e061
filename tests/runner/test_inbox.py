"""Requests to a controller as files: read in order, replied to once, and never waited for."""

import os
import socket
import threading
from pathlib import Path

import pytest

from tidegate.core.errors import Unavailable
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
        assert box.hand_over(request(name, answer="land"), wait_s=0) is None
    assert [each.id for each in box.waiting()] == ["1", "2", "3"]
    assert inbox(tmp_path).waiting() == box.waiting()
    assert box.waiting()[0] == request("1", answer="land")


def test_a_request_is_taken_off_with_its_reply(tmp_path: Path) -> None:
    """The reply is there before the request goes."""
    box = inbox(tmp_path)
    box.hand_over(request("1"), wait_s=0)
    box.reply(box.waiting()[0], DONE)
    assert box.waiting() == []
    assert left(tmp_path) == ["1.reply.json"]


def test_who_asked_hears_the_reply_and_leaves_nothing(tmp_path: Path) -> None:
    """The bell ends the controller's wait."""
    watch = Watch()
    box = FolderInbox(str(tmp_path / "inbox"), listen_to=watch.listen_to)
    box.listen()
    heard: list[Reply | None] = []
    asks = threading.Thread(
        target=lambda: heard.append(inbox(tmp_path).hand_over(request("1"), wait_s=30))
    )
    asks.start()
    while not (waiting := box.waiting()):
        watch.wait(30)
    box.reply(waiting[0], DONE)
    asks.join()
    watch.close()
    assert heard == [DONE]
    assert left(tmp_path) == []


def test_replies_that_nobody_read_go_when_the_next_controller_listens(tmp_path: Path) -> None:
    """Whoever asked has gone; a request that waits stays."""
    box = inbox(tmp_path)
    box.hand_over(request("1"), wait_s=0)
    box.reply(box.waiting()[0], DONE)
    box.hand_over(request("2"), wait_s=0)
    bells: list[int] = []
    inbox(tmp_path, bells).listen()
    assert left(tmp_path) == ["2.request.json"]
    os.close(bells[0])


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
def test_what_is_no_request_is_dropped(tmp_path: Path, content: bytes) -> None:
    """It would be looked at for ever."""
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "1.request.json").write_bytes(content)
    assert inbox(tmp_path).waiting() == []
    assert left(tmp_path) == []


def test_what_is_no_file_is_dropped_and_never_waited_for(tmp_path: Path) -> None:
    """A FIFO that nobody writes to would hold the controller up for ever."""
    folder = tmp_path / "inbox"
    folder.mkdir()
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
    assert left(tmp_path) == []


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
