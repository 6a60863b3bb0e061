"""What preparing and harvesting have the disk hold, as the kernel sees it."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.git.world import World

_TURN = """
import sys
from pathlib import Path
from tests.git.world import World, write
world = World(Path(sys.argv[1]))
world.prepare()
write(world.workspace, {"README.md": "changed", "new": "new"})
world.harvest()
"""


def test_an_index_is_put_on_the_disk_where_it_is_kept_and_not_each_time(world: World) -> None:
    """Once after the checkout and once after the harvest; the rest can be made anew."""
    trace = world.path / "trace"
    watched = ["-f", "-y", "-e", "trace=fsync,fdatasync", "-o", str(trace)]
    try:
        subprocess.run(
            ["strace", *watched, sys.executable, "-c", _TURN, str(world.path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
        )
    except FileNotFoundError:
        pytest.skip("strace is not installed")
    calls = trace.read_text(encoding="utf-8").splitlines()
    paths = [Path(line.partition("<")[2].partition(">")[0]) for line in calls if "sync(" in line]
    kept = Counter(path.name for path in paths if "index" in path.name)
    assert kept == {"index": 1, "harvest.index": 1}
    assert [path for path in paths if path.name.startswith("tmp_obj")]
