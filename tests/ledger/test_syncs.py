"""What is synced before what, as the kernel sees it."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

_STORE = """
import sys
from pathlib import Path
from tidegate.ledger.blobs import Blobs
Blobs(Path(sys.argv[1])).put("x")
"""

_COMMIT = """
import os, sys
from pathlib import Path
from tests.ledger.desks import sit
ledger, desk = sit(Path(sys.argv[1]))
for number in range(3):
    desk.write(desk.history.opened(f"{number:03}"))
    os.write(1, b"acknowledged")
ledger.close()
"""


def _calls(program: str, folder: Path) -> list[tuple[str, str]]:
    """Writes, syncs and links in their order: the call's name and the rest of its line."""
    trace = folder.with_name("trace")
    watched = ["-f", "-y", "-e", "trace=write,pwrite64,fsync,fdatasync,link,linkat"]
    try:
        subprocess.run(
            ["strace", *watched, "-o", str(trace), sys.executable, "-c", program, str(folder)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
    except FileNotFoundError:
        pytest.skip("strace is not installed")
    lines = trace.read_text(encoding="utf-8").splitlines()
    calls = [line.split(maxsplit=1)[1].partition("(") for line in lines if "(" in line]
    return [(name, rest) for name, _, rest in calls]


def test_a_text_is_synced_before_it_is_named(tmp_path: Path) -> None:
    """The bytes are synced before the name exists, and the name before it is given out."""
    folder = tmp_path / "blobs"
    calls = [call for call in _calls(_STORE, folder) if str(folder) in call[1]]
    names = [name for name, _ in calls]
    link = next(at for at, name in enumerate(names) if name.startswith("link"))
    assert names[link - 2 : link] == ["write", "fsync"]
    assert names[link + 1 :] == ["fsync"]
    assert f"<{folder / sha256(b'x').hexdigest()[:2]}>" in calls[-1][1]
    assert any(name == "fsync" and f"<{folder}>" in rest for name, rest in calls[:link])


def test_a_commit_is_synced_before_it_is_acknowledged(tmp_path: Path) -> None:
    """Between a commit's last write to the log and its acknowledgment the log is synced."""
    calls = _calls(_COMMIT, tmp_path / "tidegate")
    said = [at for at, (name, rest) in enumerate(calls) if name == "write" and "acknowl" in rest]
    assert len(said) == 3
    for at in said:
        before = [(name, rest) for name, rest in calls[:at] if "ledger.db-wal>" in rest]
        assert before[-1][0] == "fdatasync"
        assert before[-2][0] == "pwrite64"


def test_a_new_folder_outlives_a_power_cut(tmp_path: Path) -> None:
    """A new ledger is synced into its folder, and the folder into the one above it."""
    calls = _calls(_COMMIT, tmp_path / "tidegate")
    synced = [rest for name, rest in calls if name in ("fsync", "fdatasync")]
    assert any(f"<{tmp_path}>" in rest for rest in synced)
    assert any(f"<{tmp_path / 'tidegate'}>" in rest for rest in synced)
