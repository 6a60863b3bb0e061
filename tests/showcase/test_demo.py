"""The demo is a real run, and a program can tell whether it went as planned."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tidegate

SOURCE = Path(tidegate.__file__).parents[1]


@pytest.mark.slow
def test_the_demo_goes_as_planned_and_leaves_nothing(tmp_path: Path) -> None:
    """Two lanes land, one after a FAIL, and one stops; its folder is gone afterwards."""
    done = subprocess.run(
        (sys.executable, "-m", "tidegate", "demo", "--json"),
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "PYTHONPATH": str(SOURCE),
            **{name: os.environ[name] for name in os.environ if name.startswith("COVERAGE")},
        },
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert [each["issue"] for each in summary["landed"]] == ["001", "002"]
    assert [each["issue"] for each in summary["stopped"]] == ["003"]
    assert list(tmp_path.iterdir()) == []
