"""The screens of reading commands on a narrow terminal, on none at all, and with nobody looking."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.desk import TIDEGATE, Desk
from tests.cli.terminal import Terminal
from tests.cli.test_tracker import tracked
from tidegate.cli.layout import cells

pytestmark = pytest.mark.slow

ID = "PROJECT-ABCDEFG-0012345"
TITLE = "短い題名 🚀 and a title that is far too long for one line of a narrow terminal"
SCREENS = (("queue",), ("explain", ID), ("show", ID), ("log",), ("status",), ("doctor",))


@pytest.fixture
def long_id(desk: Desk) -> Desk:
    """A tracker whose id has 23 characters: one issue that has stopped, and one that is open."""
    box = tracked(desk, "echo bad >> part.txt", more="[limits]\nfails_max = 1\n")
    for name, title in ((ID, TITLE), (f"{ID[:-1]}6", TITLE)):
        (Path(box) / f"{name}.json").write_text(json.dumps({"title": title, "text": "Please."}))
    desk.tidegate("run", "--max", "1")
    return desk


def screen(desk: Desk, *words: str, columns: int, **env: str) -> list[str]:
    """The lines of a command on a terminal of so many columns."""
    terminal = Terminal.running(desk, *words, columns=columns, **env)
    terminal.code()
    return terminal.text.replace("\r", "").splitlines()


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_id_is_cut_and_nothing_is_lost(long_id: Desk, columns: int) -> None:
    """G8-10: ids of 23 characters are whole, and long text goes on in the next line."""
    run = long_id.tidegate("status").json["run"]
    for words in SCREENS[:4]:
        lines = screen(long_id, *words, columns=columns)
        assert any(ID in line for line in lines), words
        assert "…" not in "".join(lines)
    assert any(run in line for line in screen(long_id, "status", columns=columns))
    shown = " ".join(" ".join(screen(long_id, "queue", columns=columns)).split())
    assert TITLE in shown
    assert shown.count(ID[:-1]) == 2


@pytest.mark.parametrize("columns", [40, 80])
def test_tables_keep_within_the_terminal(long_id: Desk, columns: int) -> None:
    """G8-10: no row runs over the edge; on 40 columns a row's cells stand below each other."""
    for words in (("queue",), ("log",), ("explain", ID)):
        lines = screen(long_id, *words, columns=columns)
        assert max(map(cells, lines)) <= columns, words
    stacked = screen(long_id, "queue", columns=40)
    assert any(line.endswith(ID) for line in stacked)


def test_an_open_run_keeps_within_the_terminal(desk: Desk) -> None:
    """Whatever a run and a lane of it wait for goes on below where the terminal is narrow."""
    desk.settle("echo more >> part.txt", more="[ruling]\nmode = 'owner'\n")
    desk.issue(1)
    desk.run()
    for words in (("status",), ("explain", "1")):
        lines = screen(desk, *words, columns=60)
        assert max(map(cells, lines)) <= 60, words
        assert "`tidegate answer`" in " ".join(" ".join(lines).split()), words


def test_a_pipe_gets_whole_lines_whatever_columns_says(long_id: Desk) -> None:
    """G8-10: nobody's terminal is narrow there."""
    for columns in ("20", "40"):
        said = long_id.tidegate("queue", "--no-json", env={"COLUMNS": columns})
        assert sum(TITLE in line and ID[:-1] in line for line in said.out.splitlines()) == 2


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_reading_commands_have_no_colours_to_be_rid_of(long_id: Desk, env: dict[str, str]) -> None:
    """Their lines can be copied and searched on any terminal."""
    for words in SCREENS:
        assert not re.search("\x1b", "".join(screen(long_id, *words, columns=80, **env)))


def test_a_reader_that_leaves_is_no_fault(long_id: Desk) -> None:
    """`| head` gets its line, and no complaint stands on the screen."""
    for words in ("log --all", "events", "config", "show " + ID, "completion bash"):
        done = subprocess.run(
            ("bash", "-c", f"{' '.join(TIDEGATE)} {words} --no-json | head -n 1"),
            cwd=long_id.repository,
            env=long_id.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout.count("\n"), done.stderr) == (1, ""), words


def test_a_closed_standard_output_is_no_fault(long_id: Desk) -> None:
    """Nobody wants to hear it: the command ends as it would have."""
    for words in ("status", "queue", "config", "events", "gc"):
        done = subprocess.run(
            ("/bin/sh", "-c", f"exec {' '.join(TIDEGATE)} {words} >&-"),
            cwd=long_id.repository,
            env=long_id.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), words
