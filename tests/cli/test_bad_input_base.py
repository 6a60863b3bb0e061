"""What is wrong before anything is spent: a red base, a full disk. No agent has cost anything."""

import pytest

from tests.cli.desk import Desk

GIGA = 10**9


def settle(desk: Desk, check: str) -> None:
    """Settings whose agent leaves a trace if it is ever started."""
    desk.settle(f"touch {desk.folder}/started; echo more >> part.txt", check=check)
    desk.issue(1)


def test_a_red_base_ends_the_run_with_its_output(desk: Desk) -> None:
    """Exit 3; no lane was opened and no agent started, in words and in JSON."""
    settle(desk, "echo the very output; exit 7")
    said = desk.tidegate("run")
    assert said.code == 3
    assert "the check fails on the untouched base, so nothing was started:" in said.out
    assert "the very output" in said.out.splitlines()
    assert "[exit code 7]" in said.out
    code, summary = desk.run()
    assert code == 3
    assert "the very output" in summary.note
    assert [(each.issue, each.waits_for) for each in summary.waiting] == [("001", "the next run")]
    assert "lane_opened" not in desk.kinds()
    assert not (desk.folder / "started").exists()
    assert desk.text("status").splitlines()[1] == "nothing was done: the check fails on the base"
    assert desk.living() == {}


def test_a_missing_check_is_a_red_base_with_the_shells_own_words(desk: Desk) -> None:
    """What the shell says of the missing program is what the person reads."""
    settle(desk, "no-such-check --all")
    said = desk.tidegate("run")
    assert said.code == 3
    assert "no-such-check: not found" in said.out
    assert "[exit code 127]" in said.out


@pytest.mark.slow
def test_after_mending_the_configuration_the_next_run_starts_afresh(desk: Desk) -> None:
    """The red run is over: the next has an id of its own and the new settings."""
    settle(desk, "false")
    _, red = desk.run()
    settle(desk, "true")
    code, green = desk.run()
    assert code == 0
    assert green.run != red.run
    assert len(green.landed) == 1


@pytest.mark.slow
def test_after_mending_the_code_the_next_run_starts_afresh(desk: Desk) -> None:
    """A commit on the target is the new base."""
    settle(desk, "grep -q mended part.txt")
    assert desk.run()[0] == 3
    mended = desk.commit("part.txt", "mended\n")
    code, summary = desk.run()
    assert code == 0
    assert desk.git("rev-parse", f"{summary.landed[0].commit}^1") == mended


@pytest.mark.slow
def test_too_little_disk_is_told_before_anything_starts(desk: Desk) -> None:
    """Exit 3 with both numbers; with a lower floor the next run starts."""
    settle(desk, "true")
    settings = desk.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("= 1000\n", f"= {10**6 * GIGA}\n"), encoding="utf-8")
    assert desk.tidegate("doctor").code == 3
    code, summary = desk.run()
    assert code == 3
    assert "[disk] floor_bytes" in summary.note
    assert desk.living() == {}
    assert not (desk.folder / "started").exists()
    settings.write_text(text, encoding="utf-8")
    assert desk.run()[0] == 0
