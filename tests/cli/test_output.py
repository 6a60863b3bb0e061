"""How a command answers, apart from any command."""

import json
import subprocess
import sys
from dataclasses import dataclass

from tests.cli.desk import SOURCE
from tidegate.cli.output import clean, clean_text, columns, json_text, wants_json


@dataclass(frozen=True)
class Thing:
    """Something to be shown."""

    name: str


def test_columns_are_aligned_and_nothing_is_cut() -> None:
    """The last column runs on, and no line ends in blanks."""
    rows: list[tuple[str, ...]] = [("001", "building", "a title " * 20), ("00002", "x", "")]
    assert columns(rows) == ["001    building  " + "a title " * 19 + "a title", "00002  x"]
    assert columns([]) == []


def test_a_foreign_text_is_made_harmless() -> None:
    """A title becomes one line; a report keeps its lines and tabs; nothing moves a terminal."""
    assert clean(" a\n title\t\x1b[2J\u202e ") == "a title \\x1b[2J\\u202e"
    assert clean_text("one\r\n\ttwo\x1b\rthree\u2028\n") == "one\n\ttwo\\x1b\\rthree\\u2028\n"


def test_json_is_plain_ascii() -> None:
    """Whatever a title holds, the terminal and the locale of whoever prints it do not matter."""
    value = [Thing(name="日本 \x1b \u202e \udcff \u009b")]
    text = json_text(value)
    assert text.isascii()
    assert text.isprintable()
    assert json.loads(text) == [{"name": value[0].name}]


def test_the_flag_decides_before_anything_else() -> None:
    """Without it, only a command that looks speaks JSON by itself, where nobody looks on."""
    assert wants_json(flag=True, is_reading=False)
    assert not wants_json(flag=False, is_reading=True)
    assert not wants_json(flag=None, is_reading=False)


def test_closed_standard_streams_are_filled_before_a_file_is_opened() -> None:
    """Else a child would write its output into the ledger."""
    script = (
        "import os; from tidegate.cli.output import occupy_standard_descriptors as occupy; "
        "[os.close(number) for number in (0, 1, 2)]; occupy(); "
        "os._exit(os.open('/dev/null', os.O_RDONLY))"
    )
    done = subprocess.run(
        (sys.executable, "-c", script), env={"PYTHONPATH": str(SOURCE)}, check=False
    )
    assert done.returncode == 3
