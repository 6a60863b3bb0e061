"""Many seeds at once: what is counted, and that a broken rule is told with its seed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sim.kept import Kept
from tests.sim.mutants import MUTANTS
from tests.sim.survey import Survey, surveyed

ROOT = Path(__file__).parents[2]


def test_parts_add_up_to_the_whole() -> None:
    """Seeds that are surveyed apart come to what they come to together."""
    whole, parts = surveyed(range(3)), Survey()
    for seed in range(3):
        parts.add(surveyed([seed]))
    assert parts == whole
    assert whole.seeds == 3
    assert whole.ticks > 0


@pytest.mark.slow
def test_the_program_says_how_many_and_how_fast() -> None:
    """It is the same worlds in several processes, and exits with 0 where no rule is broken."""
    argv = (sys.executable, "-m", "tests.sim", "--seeds", "4", "--workers", "2", "--json")
    done = subprocess.run(
        argv,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    alone = surveyed(range(4))
    assert (told["seeds"], told["violations"]) == (4, 0)
    assert (told["ticks"], told["faults"]) == (alone.ticks, sum(alone.faults.values()))
    assert told["seeds_per_second"] > 0


def test_a_survey_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    """What was lived through of this very subject counts, half a line counts for nothing."""
    path, part = tmp_path / "kept", surveyed(range(2))
    Kept(path, subject="commit a").add(0, part, spent_s=1.5)
    Kept(path, subject="commit b").add(2, part, spent_s=1.5)
    with path.open("a") as file:
        file.write('{"subject": "commit a", "fir')
    kept = Kept(path, subject="commit a")
    assert (kept.chunks, kept.spent_s) == ({0: part}, 1.5)


def test_a_broken_rule_is_not_kept(tmp_path: Path) -> None:
    """It has to be told again."""
    broken = Survey(seeds=1, failures=["seed 7: a rule"], failed=[7])
    Kept(tmp_path / "kept", subject="a").add(7, broken, spent_s=1.0)
    assert Kept(tmp_path / "kept", subject="a").chunks == {}


def test_a_broken_rule_is_told_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a guard the survey names the seeds that miss it, and how to see each again."""
    MUTANTS["start before commit"].apply(monkeypatch.setattr)
    survey = surveyed(range(2))
    assert survey.failed == [0, 1]
    assert "tests.sim.replay 0" in survey.failures[0]
