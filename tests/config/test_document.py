"""G8-04: a file that cannot be read in full stops the program with file and line."""

import os
import time
from pathlib import Path

import pytest

from tests.config.repository import LOCAL, MAIN, complaints, loaded, refused, write
from tidegate.config.document import read_document, statements
from tidegate.config.load import load
from tidegate.core.errors import Misused

DUPLICATE = """\
[core]
state_dir = ".state"
[agent]
command = "agent-a"
command = "agent-b"
"""

BROKEN = (
    ("duplicate key", DUPLICATE, 5, "`agent.command` is there twice, first in line 4"),
    ("duplicate table", "[run]\nwidth = 1\n[run]\n", 3, "`run` is there twice, first in line 1"),
    ("dotted clash", "[run]\nwidth.x = 1\nwidth = 2\n", 3, "not TOML: cannot overwrite"),
    ("byte order mark", b"\xef\xbb\xbf[run]\n", 1, "byte order mark"),
    ("not UTF-8", b"[run]\n# caf\xe9\n", 2, "byte 11 (0xe9) is not UTF-8"),
    ("empty", "", 1, "the file is empty"),
    ("blank", " \n\n", 1, "the file is empty"),
    ("cut in a table", "[run]\nwidth = 1\n[lan", 3, "what begins here has no end"),
    (
        "cut in a list",
        "[run]\nwidth = 1\n[env]\nallow = [\n  'A',\n",
        4,
        "what begins here has no end",
    ),
    ("cut in a string", '[check]\ncommand = "make', 2, "what begins here has no end"),
    ("cut in a long string", '[check]\ncommand = """make\n\n', 2, "what begins here has no end"),
    ("cut in a key", "[run]\nwid", 2, "not TOML"),
    ("bare word", "[run]\nwidth = two\n", 2, "invalid value"),
    ("NUL", "[run]\nwidth = 1\0\n", 2, "not TOML"),
    ("bare CR", "[run]\rwidth = 1\r", 1, "not TOML"),
    ("huge number", f"width = {'9' * 5000}", 1, "a number is too long"),
    ("deep nest", f"width = {'[' * 5000}", 1, "too much nested"),
    ("too large", "#" * 65_537, 1, "it has 65537 bytes"),
)


@pytest.mark.parametrize("name", [MAIN, LOCAL])
@pytest.mark.parametrize(
    ("content", "line", "says"), [pytest.param(*case[1:], id=case[0]) for case in BROKEN]
)
def test_a_broken_file_stops_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, line: int, says: str
) -> None:
    """Whatever is wrong with either file, one line says where and what, and nothing is loaded."""
    write(tmp_path, main="[run]\nwidth = 3\n")
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (problem,) = refused(lambda: load(tmp_path))
    assert problem.startswith(f"{name}:{line}: ")
    assert says in problem


def test_tabs_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    """G8-04: TOML allows both, and no key is lost to them."""
    text = '\t[run]\r\n\twidth\t=\t7\r\n[check]\r\ncommand = """a\r\nb"""\r\n'
    settings = loaded(tmp_path, main=text).configuration.settings
    assert (settings.run.width, settings.check.command) == (7, "a\nb")


def test_a_file_without_keys_is_fine(tmp_path: Path) -> None:
    """Comments alone are a choice, where an empty file is an accident."""
    assert loaded(tmp_path, main="# nothing yet\n").origins == {}


def test_no_file_means_init(tmp_path: Path) -> None:
    """Without tidegate.toml the message names the command that writes it."""
    with pytest.raises(Misused, match="run `tidegate init`"):
        load(tmp_path)


@pytest.mark.parametrize("name", [MAIN, LOCAL])
def test_what_is_no_file_is_not_passed_over(tmp_path: Path, name: str) -> None:
    """A folder, a link that leads nowhere and a FIFO are refused, without waiting for anyone."""
    write(tmp_path, main="[run]\n")
    place = tmp_path / name
    place.unlink(missing_ok=True)
    place.symlink_to("gone")
    assert "a symbolic link that leads nowhere" in refused(lambda: load(tmp_path))[0]
    place.unlink()
    place.mkdir()
    assert f"{name}:1: it is not a plain file" in refused(lambda: load(tmp_path))[0]
    place.rmdir()
    os.mkfifo(place)
    assert f"{name}:1: it is not a plain file" in refused(lambda: load(tmp_path))[0]


def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    """A local file without read permission is never taken for an absent one."""
    write(tmp_path, main="[run]\n", local="[run]\nwidth = 9\n")
    (tmp_path / LOCAL).chmod(0)
    if os.access(tmp_path / LOCAL, os.R_OK):
        pytest.skip("this user may read everything")
    assert "Permission denied" in refused(lambda: load(tmp_path))[0]


def test_a_linked_file_is_read(tmp_path: Path) -> None:
    """People keep configuration elsewhere and link it."""
    (tmp_path / "elsewhere.toml").write_text("[run]\nwidth = 5\n")
    (tmp_path / MAIN).symlink_to("elsewhere.toml")
    assert load(tmp_path).configuration.settings.run.width == 5


def test_both_files_are_judged_together(tmp_path: Path) -> None:
    """A problem in one file does not hide those of the other."""
    found = complaints(tmp_path, main="[run]\nwidth = 0\n", local="[run\n")
    assert [line.partition(": ")[0] for line in found] == [f"{MAIN}:2", f"{LOCAL}:1"]


def test_a_long_open_string_is_told_at_once(tmp_path: Path) -> None:
    """To find the place of an error costs no more than reading the file a few times."""
    text = '[check]\ncommand = """\n' + "x\n" * 30_000
    start = time.process_time()
    (problem,) = complaints(tmp_path, main=text)
    assert problem.startswith(f"{MAIN}:2: this is not TOML: what begins here has no end")
    assert time.process_time() - start < 1.0


PLACES = '''\
top = 1

[a]  # with a comment
"quoted key" = """
[not.a.table]
x = 1
"""
list = [
  "]",  # ] in a string and a comment
  1,
]
[a."b.c"]
inline = { x = 1, y = [ 2 ] }
d.e = 2
'''


def test_every_key_has_its_line(tmp_path: Path) -> None:
    """Strings, lists and comments that look like TOML do not move a line."""
    found = {s.path: s.line for s in statements(PLACES)}
    assert found == {
        ("top",): 1,
        ("a",): 3,
        ("a", "quoted key"): 4,
        ("a", "list"): 8,
        ("a", "b.c"): 12,
        ("a", "b.c", "inline", "x"): 13,
        ("a", "b.c", "inline", "y"): 13,
        ("a", "b.c", "d", "e"): 14,
    }
    (tmp_path / MAIN).write_text(PLACES)
    document = read_document(tmp_path / MAIN, shown=MAIN)
    assert (document.line_of(("a", "b.c")), document.line_of(("nowhere",))) == (12, 1)
