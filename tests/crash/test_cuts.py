"""A power cut loses nothing that was acknowledged, on ext4 and on xfs.

The disk is a real one with a journal, on a loop device: it needs root, and says so elsewhere.
"""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash import injection, power
from tests.crash.cuts import Cut, cut
from tests.crash.registry import load
from tests.crash.share import CUTS, is_full

KINDS = [
    pytest.param(
        kind,
        marks=pytest.mark.skipif(
            bool(power.missing(kind) or injection.missing()),
            reason=power.missing(kind) or injection.missing(),
        ),
    )
    for kind in power.KINDS
]
IN_CI = {"ledger": 2, "publish": 1, "move": 1, "land": 1, "harvest": 1}
"""How many cuts each operation has in CI: six on each file system."""


@pytest.mark.parametrize("name", IN_CI)
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_acknowledged_is_there_after_a_power_cut(
    name: str, kind: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """C080, C083: what was renamed into place or committed is there after a power cut.

    The first cut comes after the last acknowledgment, further ones in the middle of the work.
    """
    count = CUTS // len(IN_CI) if is_full() else IN_CI[name]
    tally = cut(load(name), tmp_path / "cut", Cut(kind=kind, count=count))
    record_property("crash", tally.said())
    assert tally.is_proved, tally


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("publish", "sync_no_folder"),
        ("ledger", "sync_no_commit"),
        ("move", "sync_no_file_system"),
        ("harvest", "sync_no_file_system"),
    ],
)
@pytest.mark.parametrize("kind", KINDS if is_full() else KINDS[:1])
def test_a_product_that_does_not_sync_is_caught(
    name: str, mutant: str, kind: str, tmp_path: Path
) -> None:
    """Without the one sync that keeps it, the same cut loses what was acknowledged.

    In CI on ext4 only: it is the test that is tested here, and not the disk.
    """
    tally = cut(load(name), tmp_path / "cut", Cut(kind=kind, count=1, mutant=mutant))
    assert tally.lost or tally.broken


@pytest.mark.parametrize("kind", KINDS)
def test_no_disk_is_left_behind(kind: str, tmp_path: Path) -> None:
    """When one goes wrong its mount and its device are gone all the same."""
    mount = str(tmp_path / "mounted")
    with pytest.raises(ZeroDivisionError):
        _went_wrong(kind, tmp_path)
    assert mount not in Path("/proc/self/mounts").read_text(encoding="utf-8")
    assert not any(file.is_relative_to(tmp_path) for file in power._images().values())


@pytest.mark.parametrize("kind", KINDS[:1])
def test_what_a_killed_process_left_is_taken_away(kind: str, tmp_path: Path) -> None:
    """The next session finds its mount and its device by their name, and those of nobody alive."""
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.crash import disks, power\n"
        "with power.disk(sys.argv[1], Path(sys.argv[2])), disks.small_disk(Path(sys.argv[2])):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    env = injection.environment(tmp_path)
    died = subprocess.run(
        [sys.executable, "-c", program, kind, str(tmp_path)], env=env, check=False
    )
    assert died.returncode == -signal.SIGKILL
    assert Path("/proc/self/mounts").read_text(encoding="utf-8").count(str(tmp_path)) == 2
    with power.disk(kind, tmp_path / "living") as living:
        power.clear_left()
        left = Path("/proc/self/mounts").read_text(encoding="utf-8")
        assert left.count(str(tmp_path)) == left.count(str(living.mount)) == 1
    assert not any(file.is_relative_to(tmp_path) for file in power._images().values())


def _went_wrong(kind: str, folder: Path) -> None:
    with power.disk(kind, folder) as disk:
        assert str(disk.mount) in Path("/proc/self/mounts").read_text(encoding="utf-8")
        raise ZeroDivisionError
