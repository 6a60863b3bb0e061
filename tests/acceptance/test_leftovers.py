"""What counts as left behind by a run."""

import os
from pathlib import Path

import pytest

from acceptance import leftovers
from acceptance.__main__ import judge
from acceptance.claims import Claim

FOLDER = Path("/made/up")


def process(
    table: Path, number: int, *, words: str = "sh\0-c\0x", variables: str = "A=1", at: str = "/"
) -> None:
    """One process in a table that looks like /proc."""
    entry = table / str(number)
    entry.mkdir()
    (entry / "cmdline").write_text(words)
    (entry / "environ").write_text(variables)
    (entry / "cwd").symlink_to(at)


def found(table: Path) -> list[str]:
    """The numbers of the processes that are called left over."""
    return [line.split(":")[0] for line in leftovers.processes(FOLDER, table=table)]


@pytest.mark.parametrize(
    "what",
    [
        {"words": f"python\0{FOLDER}/repository/.git/tidegate/spec.json"},
        {"at": f"{FOLDER}/state/w/001-build-1"},
        {"at": str(FOLDER)},
        {"variables": f"TIDEGATE_MARK=run/001-build-1/1\0XDG_STATE_HOME={FOLDER}/state"},
    ],
)
def test_a_process_of_the_run_is_found(tmp_path: Path, what: dict[str, str]) -> None:
    """By its command line, by where it is, or by the mark with the run's folder beside it."""
    process(tmp_path, 7, **what)
    assert found(tmp_path) == ["process 7"]


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"at": f"{FOLDER}-another"},
        {"variables": "TIDEGATE_MARK=run/001-build-1/1"},
        {"variables": f"PWD={FOLDER}"},
    ],
)
def test_a_process_of_somebody_else_is_not(tmp_path: Path, what: dict[str, str]) -> None:
    """A mark of another run, or our folder without a mark, says nothing."""
    process(tmp_path, 7, **what)
    assert found(tmp_path) == []


def test_the_one_who_looks_is_not_left_over(tmp_path: Path) -> None:
    """And a process that goes while it is looked at is gone."""
    process(tmp_path, os.getpid(), at=str(FOLDER))
    (tmp_path / "8").mkdir()
    assert found(tmp_path) == []


def test_real_processes_can_be_looked_at() -> None:
    """Nobody has to do with a folder that was made up."""
    assert list(leftovers.processes(FOLDER)) == []


def test_a_folder_is_empty_only_if_it_holds_no_folder(tmp_path: Path) -> None:
    """Empty folders are left over too; a folder that does not exist holds nothing."""
    assert list(leftovers.contents(tmp_path)) == []
    assert list(leftovers.contents(tmp_path / "none")) == []
    (tmp_path / "w" / "001-build-1").mkdir(parents=True)
    (tmp_path / "file").touch()
    names = [f"{tmp_path}/file", f"{tmp_path}/w/001-build-1"]
    assert list(leftovers.contents(tmp_path)) == names


def test_claims_are_printed_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """One that holds shows its evidence, one that does not shows what is wrong."""
    good = Claim(name="it holds", problems=(), evidence="look here")
    bad = Claim(name="it does not", problems=("first\nmore", "second"), evidence="")
    assert judge(iter([good, bad])) == 1
    said = capsys.readouterr().out
    assert said == (
        "ok     it holds: look here\nWRONG  it does not\n       first\n       more\n       second\n"
    )
