"""Progress never waits for a reader, and the loss of one is no error."""

import os
import pty
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tidegate.cli.outlet import PENDING_MAX_BYTES, Outlet

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """The two ends of a pipe: for reading, for writing. A read of nothing fails at once."""
    ends = os.pipe()
    os.set_blocking(ends[0], False)
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def outlet_of(descriptor: int) -> Outlet:
    """An outlet onto a descriptor, which stays the test's own."""
    with os.fdopen(descriptor, "w", closefd=False) as stream:
        return Outlet(stream)


def fill(outlet: Outlet) -> int:
    """Write far more than a pipe and the outlet's own store hold; the bytes that were taken."""
    count = 0
    for _ in range(300):
        count += outlet.write("x" * 1023 + "\n")
        outlet.flush()
    return count


def test_what_is_written_arrives(pipe: Pipe) -> None:
    """A text goes through as it is; no terminal is at a pipe's end."""
    outlet = outlet_of(pipe[1])
    outlet.write("one\ntwö\n")
    outlet.flush()
    assert os.read(pipe[0], 100).decode() == "one\ntwö\n"
    assert not outlet.isatty()


def test_a_reader_that_sleeps_holds_nothing_up(pipe: Pipe) -> None:
    """300 KB into a pipe that nobody reads return at once; lines are dropped whole, in bounds."""
    outlet = outlet_of(pipe[1])
    fill(outlet)
    got = b""
    for _ in range(10):
        with suppress(BlockingIOError):
            got += os.read(pipe[0], 65_536)
        outlet.flush()
    assert 65_536 <= len(got) <= 65_536 + PENDING_MAX_BYTES
    assert set(got.split(b"\n")[:-1]) == {b"x" * 1023}


def test_a_slow_reader_gets_the_rest_later(pipe: Pipe) -> None:
    """What had to be kept back is given with a later flush, in its order."""
    outlet = outlet_of(pipe[1])
    for number in range(100):
        outlet.write(f"{number:01023}\n")
        outlet.flush()
    got = os.read(pipe[0], 65_536)
    outlet.flush()
    got += os.read(pipe[0], 65_536)
    assert [int(line) for line in got.split(b"\n")[:-1]] == list(range(100))


def test_a_reader_that_leaves_is_no_error(pipe: Pipe) -> None:
    """After the pipe is closed everything is dropped, also at the end."""
    outlet = outlet_of(pipe[1])
    os.close(pipe[0])
    fill(outlet)
    outlet.close()
    outlet.close()


def test_the_descriptor_that_it_was_given_stays_as_it_was(pipe: Pipe) -> None:
    """The shell's own open file does not become non-blocking, and is not closed."""
    outlet = outlet_of(pipe[1])
    outlet.write("x")
    outlet.close()
    assert os.get_blocking(pipe[1])
    os.write(pipe[1], b"y")
    assert os.read(pipe[0], 10) == b"xy"


def test_a_terminal_is_known_as_one() -> None:
    """A terminal that hangs up afterwards is no error either."""
    end, other = pty.openpty()
    outlet = outlet_of(other)
    assert outlet.isatty()
    os.close(other)
    os.close(end)
    fill(outlet)
    outlet.close()


def test_without_a_stream_everything_is_dropped() -> None:
    """A process may be started without a standard error."""
    outlet = Outlet(None)
    fill(outlet)
    outlet.close()
    assert not outlet.isatty()


def test_a_file_is_written_too(tmp_path: object, capfd: pytest.CaptureFixture[str]) -> None:
    """Where no second open file can be had, the one that was given is used."""
    del tmp_path
    outlet = outlet_of(2)
    outlet.write("to a file\n")
    outlet.close()
    assert capfd.readouterr().err == "to a file\n"
