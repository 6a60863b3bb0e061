"""The page of the proof: figures are bound to their block, and sections say what they must."""

from pathlib import Path

import pytest

from scripts.prove import Asked, Failed, body_of, run_part, source_of
from scripts.prove_page import NOT_YET, PAGE, PARTS, block, problems, written
from tests.git.world import git

ROOT = Path(__file__).parents[2]
ASKED = Asked(seeds=10, kills=5, workers=1, at="commit 1234567", source="")
KILLS = """{
 "lines": [{"injected": 5, "took_effect": 5}], "lost": 0, "doubled": 0, "adopted_agents": 9,
 "decided_median_s": 0.4, "decided_max_s": 0.6, "adopted_median_s": 0.3, "adopted_max_s": 0.5,
 "looked_at": {"issues": 7, "landings": 7, "turns": 20, "commits": 35, "events": 300}, "seed": 1
}"""


def kills() -> str:
    """The block of these kills."""
    return body_of("kills", ASKED, KILLS, took_s=60.0, others_percent=3.0)


@pytest.fixture
def page() -> str:
    """The page as it stands."""
    return (ROOT / PAGE).read_text(encoding="utf-8")


def test_the_page_is_as_it_was_written(page: str) -> None:
    """Every block of the page is whole, and every section says what it must."""
    assert list(problems(page)) == []


@pytest.mark.parametrize("name", PARTS)
def test_a_figure_that_was_typed_by_hand_is_seen(page: str, name: str) -> None:
    """A block whose content is another than was written into it is named."""
    body = kills()
    typed = written(page, name, body).replace(body, body.replace("| lost | 0 |", "| lost | 1 |"))
    assert list(problems(typed)) == [
        f"the figures of {name} were changed by hand: run `make prove ONLY={name}`"
    ]


def test_figures_say_when_where_and_how(page: str) -> None:
    """A block without the day, the machine and the command of its run is named."""
    assert "figures of kills do not say when" in " ".join(
        problems(written(page, "kills", "| lost | 0 |\n"))
    )
    fresh = written(page, "kills", kills())
    assert list(problems(fresh)) == []
    assert "`make prove ONLY=kills KILLS=5`" in fresh


def test_a_part_that_is_not_run_keeps_its_figures(page: str) -> None:
    """Writing one block leaves every other byte of the page as it was."""
    before = written(page, "worlds", NOT_YET)
    after = written(before, "kills", kills())
    assert written(after, "kills", NOT_YET) == written(before, "kills", NOT_YET)
    assert block("worlds", NOT_YET) in after


def test_a_section_that_hides_what_is_not_proved_is_named(page: str) -> None:
    """Each section says what it proves, by which controls, and what it does not prove."""
    hidden = page.replace("**Not proved.**", "Of course,", 1)
    assert any("lacks **Not proved.**" in each for each in problems(hidden))


def test_a_block_that_is_gone_is_named(page: str) -> None:
    """A part without a place on the page is told, and cannot be written."""
    gone = page.replace("<!-- proved: kills", "<!-- proved by: kills")
    assert "there is no block for kills" in problems(gone)
    with pytest.raises(ValueError, match="0 places"):
        written(gone, "kills", NOT_YET)


def test_a_part_that_is_not_there_fails_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be run in this checkout is no success."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(Failed, match=r"there is no tests\.crash"):
        run_part("crashes", ASKED)


def test_a_survey_of_worlds_goes_on_as_long_as_what_it_runs_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit of a page changes nothing; one of the source, or a dirty tree, begins anew."""
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "t")
    git(tmp_path, "config", "user.email", "t@example.invalid")

    def committed(path: str) -> str:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
        git(tmp_path, "add", path)
        git(tmp_path, "commit", "-q", "-m", path)
        return source_of("commit 1234567")

    assert committed("src/tick.py") == ""
    whole = committed("tests/sim/world.py")
    assert whole
    assert committed("docs/proof.md") == whole
    assert committed("src/book.py") != whole
    assert source_of("commit 1234567-dirty") == ""
