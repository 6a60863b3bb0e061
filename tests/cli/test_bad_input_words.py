"""Words that are none, and readers that leave: one line, the likely intention, the right code."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.desk import TIDEGATE, Desk

RUN_ID_LENGTH = len("20260101-0000")


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory, seed: Path) -> Iterator[Desk]:
    """A desk on which a long title has landed."""
    desk = Desk.copy_of(seed, tmp_path_factory.mktemp("words"))
    try:
        desk.settle("echo more >> part.txt")
        desk.issue(1, "短い題名 " + "a title that goes on and on " * 6)
        assert desk.run()[0] == 0
        yield desk
    finally:
        desk.clear()


@pytest.mark.parametrize(
    ("arguments", "what", "meant"),
    [
        (["statsu"], "there is no command 'statsu'", "status"),
        (["run", "--widht", "2"], "there is no option --widht", "--width"),
        (["run", "--width", "0"], "0 is not in the range", None),
        (["events", "--after", "9" * 19], "is not in the range", None),
        (["events", "-n", "9" * 19], "is not in the range", None),
        (["log", "-n", "9" * 19], "is not in the range", None),
        (["run", "--width", "two"], "'two' is not a valid integer", None),
        (["show"], "missing argument 'LANE'", None),
        (["show", "2"], "has no lane '2'", None),
        (["show", "0010"], "has no lane '0010'", "001"),
        (["log", "0001"], "has no lane '0001'", "001"),
        (["explain", "0010"], "there is no issue '0010'", "001"),
        (["retry", "0010"], "there is no issue '0010'", "001"),
        (["run", "--only", "0010"], "there is no issue '0010'", "001"),
        (["explain", "xyz"], "there is no issue 'xyz'", None),
        (["status", "--run", "19990101-0000"], "there is no run '19990101-0000'", None),
        (["frobnicate", "--all"], "there is no command 'frobnicate'", None),
    ],
)
def test_wrong_words_are_told_with_what_was_meant(
    used: Desk, arguments: list[str], what: str, meant: str | None
) -> None:
    """Exit 2, as JSON where that was asked for and else as one line on standard error."""
    said = used.tidegate(*arguments, "--json")
    assert said.code == 2
    assert said.err == ""
    assert what in said.error.message
    assert said.error.did_you_mean == meant
    assert said.error.hint
    assert said.out.count("\n") == 1
    line = used.tidegate(*arguments, "--no-json")
    assert line.code == 2
    assert what in line.complaint
    assert (meant is None) or f"(did you mean {meant!r}?)" in line.complaint


@pytest.mark.parametrize("number", ["1", "#1", "01", "0001"])
def test_a_number_is_found_however_it_is_written(used: Desk, number: str) -> None:
    """`show 1` and `explain 1` find 001."""
    assert used.tidegate("show", number).json["lane"]["lane"] == "001"
    assert used.tidegate("explain", number).json["issue"] == "001"


@pytest.mark.parametrize(
    "arguments",
    [
        *(["show", "\udcff"], ["explain", "\udcff"], ["log", "\udcff"], ["add", "\udcff"]),
        *(["status", "--run", "\udcff"], ["land", "--run", "\udcff"], ["run", "--base", "\udcff"]),
        ["add", "A title", "--footprint", "src/**", "--footprint", "\udcff"],
    ],
)
def test_a_word_that_is_no_text_is_refused(used: Desk, arguments: list[str]) -> None:
    """Exit 2 and one line, whichever command gets it; the byte is shown and not written."""
    said = used.tidegate(*arguments, "--no-json")
    assert said.code == 2
    assert said.complaint == "'\\xff' is no text: write it in UTF-8"


def test_a_mistyped_run_is_known_by_its_spelling(used: Desk) -> None:
    """One wrong character is no reason to look an id up."""
    run = used.tidegate("status").json["run"]
    wrong = run.replace("-", "_", 1)
    for command in (["status"], ["log"], ["show", "001"], ["land"]):
        said = used.tidegate(*command, "--run", wrong, "--json")
        assert said.code == 2
        assert said.error.did_you_mean == run


def test_no_word_at_all_shows_what_there_is(desk: Desk) -> None:
    """The help on standard error and exit 2; with --help on standard output and exit 0."""
    said = desk.tidegate()
    assert said.code == 2
    assert said.out == ""
    assert "Usage: tidegate" in said.err
    asked = desk.tidegate("--help")
    assert asked.code == 0
    assert "Exit codes: 0 done" in asked.out


@pytest.mark.parametrize("command", [["status"], ["log"], ["show", "001"], ["explain"]])
def test_a_reader_that_leaves_early_is_no_error(used: Desk, command: list[str]) -> None:
    """`| head -0` ends the command as a SIGPIPE would, without a word."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            (*TIDEGATE, *command, "--no-json"),
            cwd=used.repository,
            env=used.environment(),
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["1>/dev/full", "2>/dev/full", "1>&- 2>&-"])
def test_a_run_does_its_work_though_nobody_can_be_told(desk: Desk, lost: str) -> None:
    """Closed or full standard streams change neither what lands nor the exit code."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    done = subprocess.run(
        ("/bin/sh", "-c", f'exec "$@" {lost}', "sh", *TIDEGATE, "run"),
        cwd=desk.repository,
        env=desk.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert desk.tidegate("status").json["outcomes"] == {"landed": 1}


@pytest.mark.parametrize("columns", ["40", "80"])
def test_what_is_piped_is_never_cut(used: Desk, columns: str) -> None:
    """The width of a terminal that nobody has cuts no id and no title (G8-10)."""
    narrow = {"COLUMNS": columns}
    run = used.tidegate("status").json["run"]
    title = used.tidegate("explain").json[0]["title"]
    assert run in used.tidegate("status", "--no-json", env=narrow).out
    for command in (["show", "001"], ["explain"]):
        out = used.tidegate(*command, "--no-json", env=narrow).out
        assert " ".join(title.split()) in out
        assert run in out
    assert " ".join(title.split()) in used.tidegate("log", env=narrow).out


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1"])
def test_no_locale_is_too_small_for_an_answer(used: Desk, locale: str) -> None:
    """A title that the locale has no letters for is written out, and the command succeeds."""
    for command in (["explain", "--no-json"], ["explain", "--json"], ["log"]):
        environment = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run(
            (*TIDEGATE, *command),
            cwd=used.repository,
            env=used.environment(environment),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert b"001" in done.stdout
