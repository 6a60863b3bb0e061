"""How the acceptance meets a builder at work."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.place import Place, Trouble
from acceptance.running import Meeting

# What acceptance/agents/shared.sh does at its beginning.
BUILDER = """
if [ -p "$1.here" ]; then echo $$ >"$1.here"; read -r _ <"$1.go"; fi
echo "at work"
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A place in which builders can be met."""
    made = Place(tmp_path)
    made.meetings.mkdir()
    return made


@pytest.fixture
def meeting(place: Place) -> Iterator[Meeting]:
    """Somebody waits for the builder of 001."""
    made = Meeting(place, "001")
    yield made
    made.over()


@pytest.fixture
def builder(place: Place, meeting: Meeting) -> Iterator[subprocess.Popen[bytes]]:
    """The builder of 001, begun when the meeting is there."""
    assert meeting is not None
    folder = str(place.meetings / "001")
    with subprocess.Popen(("sh", "-c", BUILDER, "sh", folder), stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_a_builder_waits_until_it_is_let_go_on(
    meeting: Meeting, builder: subprocess.Popen[bytes]
) -> None:
    """It says who it is first."""
    assert meeting.builder() == builder.pid
    assert builder.poll() is None
    meeting.go_on()
    assert builder.communicate()[0] == b"at work\n"


def test_the_next_builder_of_the_issue_waits_for_nobody(
    meeting: Meeting, builder: subprocess.Popen[bytes], place: Place
) -> None:
    """The one that was met may be killed; its pipe is gone by then."""
    assert meeting.builder() == builder.pid
    builder.kill()
    argv = ("sh", "-c", BUILDER, "sh", str(place.meetings / "001"))
    assert subprocess.run(argv, capture_output=True, check=True).stdout == b"at work\n"


def test_a_builder_that_never_comes_is_trouble(place: Place) -> None:
    """It is said whom nobody met, and where."""
    never = Meeting(place, "002", limit_s=0.0)
    with pytest.raises(Trouble, match=r"002\.here"):
        never.builder()
    never.over()
    assert list(place.meetings.iterdir()) == []
