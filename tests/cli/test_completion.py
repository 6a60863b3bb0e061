"""A shell completes words: commands, options, ids. It never gets an error into its line."""

import subprocess
import sys

import pytest

from tests.cli.desk import Desk, Said

pytestmark = pytest.mark.slow


def completed(desk: Desk, *words: str, of: str = "bash") -> Said:
    """What the program answers a shell in which these words stand, the last one not yet whole."""
    variables = {
        "_TIDEGATE_COMPLETE": f"{of}_complete",
        "COMP_WORDS": " ".join(("tidegate", *words)),
        "COMP_CWORD": f"{len(words)}",
    }
    return desk.tidegate(env=variables)


def offered(desk: Desk, *words: str) -> list[str]:
    """The words that are offered."""
    said = completed(desk, *words)
    assert (said.code, said.err) == (0, "")
    return [line.partition(",")[2] for line in said.out.splitlines() if line]


def ran(desk: Desk) -> str:
    """A run with one lane that has landed, and an issue that has none; the run's id."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    code, summary = desk.run()
    assert code == 0
    desk.issue(2, "Another one")
    assert summary.run is not None
    return summary.run


def test_ids_are_offered_where_they_are_wanted(desk: Desk) -> None:
    """Lanes, runs, issues with and without a lane, kinds of events, keys."""
    run = ran(desk)
    assert offered(desk, "show", "0") == ["001"]
    assert offered(desk, "show", "2") == []
    assert offered(desk, "log", "--run", "2") == [run]
    assert offered(desk, "retry", "001", "") == ["001", "002"]
    assert offered(desk, "explain", "") == ["001", "002"]
    assert offered(desk, "run", "--only", "") == ["001", "002"]
    assert offered(desk, "events", "--kind", "run_") == ["run_started", "run_ended"]
    assert offered(desk, "config", "run.w") == ["run.width"]
    assert offered(desk, "answer", "") == []


def test_commands_and_options_are_offered(desk: Desk) -> None:
    """The parser's own knowledge."""
    assert offered(desk, "statu") == ["status"]
    assert offered(desk, "gc", "--old") == ["--older-than"]


def test_a_question_that_waits_is_offered(desk: Desk) -> None:
    """By the id that `answer` takes."""
    desk.settle("echo more >> part.txt", more="[ruling]\nmode = 'owner'\n")
    desk.issue(1)
    desk.run()
    [question] = [e["body"]["question"] for e in desk.events() if e["kind"] == "asked"]
    assert offered(desk, "answer", "") == [question]


def test_what_an_id_stands_for_is_told_beside_it(desk: Desk) -> None:
    """By zsh, which shows it; bash has no place for it."""
    ran(desk)
    said = completed(desk, "explain", "002", of="zsh")
    assert said.out.splitlines() == ["plain", "002", "Another one"]


def test_the_folder_of_a_command_line_is_heeded(desk: Desk) -> None:
    """`-C` names it for the words that follow."""
    ran(desk)
    assert offered(desk, "-C", str(desk.repository), "show", "") == ["001"]
    assert offered(desk, "-C", "/", "show", "") == []


@pytest.mark.parametrize("words", [("show", ""), ("config", "zz"), ("log", "--run", "")])
def test_where_nothing_can_be_read_nothing_is_offered(desk: Desk, words: tuple[str, ...]) -> None:
    """No repository, no ledger, or one that is damaged: no word on either stream."""
    assert offered(desk, *words) == []
    desk.ledger_folder.mkdir()
    (desk.ledger_folder / "ledger.db").write_text("this is no ledger", encoding="utf-8")
    assert offered(desk, *words) == []
    (desk.repository / ".git").rename(desk.folder / "gone")
    assert offered(desk, *words) == []


def test_a_wrong_word_before_it_is_no_error(desk: Desk) -> None:
    """A shell asks while somebody types; what is wrong is told when it is entered."""
    said = completed(desk, "statsu", "")
    assert (said.code, said.err) == (0, "")


def test_no_trackers_command_is_run(desk: Desk) -> None:
    """It may be slow, and it may cost something."""
    command = f"touch {desk.folder}/ran"
    desk.settle("true", more=f'[tracker]\nkind = "command"\ncommand = "{command}"\n')
    assert offered(desk, "explain", "") == []
    assert not (desk.folder / "ran").exists()


def test_bash_completes_by_the_script(desk: Desk) -> None:
    """In a bash of its own: what was typed becomes the id."""
    ran(desk)
    program = desk.folder / "bin" / "tidegate"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tidegate "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = desk.tidegate("completion", "bash")
    assert script.code == 0
    (desk.folder / "script").write_text(script.out, encoding="utf-8")
    asked = (
        f"source {desk.folder}/script; COMP_WORDS=(tidegate show 0); COMP_CWORD=2;"
        f' _tidegate_completion {program}; echo "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(
        ("bash", "-c", asked),
        cwd=desk.repository,
        env=desk.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("001\n", "")


@pytest.mark.parametrize(
    ("shell", "word"), [("zsh", "#compdef tidegate"), ("fish", "complete --no-files --command")]
)
def test_other_shells_have_their_own(desk: Desk, shell: str, word: str) -> None:
    """Also where there is no bash, which the parser's own way would start."""
    said = desk.tidegate("completion", shell, env={"PATH": "/nowhere"})
    assert said.code == 0
    assert word in said.out
    assert f"_TIDEGATE_COMPLETE={shell}_complete" in said.out
    assert desk.tidegate("completion", shell, "--json").json["shell"] == shell
