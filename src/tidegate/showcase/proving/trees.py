"""What landed is checked once more, by nobody of the product: each tree, in a folder of its own."""

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tidegate.showcase.proving.records import Row, rows_of
from tidegate.showcase.proving.world import World, asked_git

_LIMIT_S = 120


def checks_of_trees(world: World, lanes: Sequence[Row], path: str) -> Iterator[str]:
    """Each landing is of the very tree that its check passed, and the tree passes here as well."""
    passed = _passed(world.home)
    for lane in lanes:
        if lane["outcome"] != "landed":
            continue
        commit, tree = str(lane["landed_commit"]), str(lane["landed_tree"])
        said = asked_git(world.hub, path, "rev-parse", "-q", "--verify", f"{commit}^{{tree}}")
        if said.stdout.strip() != tree:
            yield f"{lane['lane']} has landed another tree than it says"
        if (lane["run_id"], lane["lane"], tree) not in passed:
            yield f"{lane['lane']} has landed a tree that no check has passed"
        if not _is_green(world, commit, path):
            yield f"{lane['lane']} has landed a tree that fails its check"


def _passed(home: Path) -> set[tuple[object, object, str]]:
    judged = [event for event in rows_of(home, "event") if event["kind"] == "judged"]
    bodies = [(event["run_id"], event["lane"], json.loads(str(event["body"]))) for event in judged]
    return {(run, lane, b["tree"]) for run, lane, b in bodies if b["verdict"] == "PASS"}


def _is_green(world: World, commit: str, path: str) -> bool:
    """Run the tests of a commit in a folder that has nothing but its files."""
    folder = Path(tempfile.mkdtemp(dir=world.folder, prefix="tree-"))
    try:
        packed = folder / "tree.tar"
        argv = ("archive", "--format=tar", "-o", str(packed), commit)
        if asked_git(world.hub, path, *argv).returncode:
            return False
        with tarfile.open(packed) as archive:
            archive.extractall(folder / "files", filter="data")
        done = subprocess.run(
            (sys.executable, "-m", "unittest", "-q"),
            cwd=folder / "files",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
        return done.returncode == 0
    finally:
        shutil.rmtree(folder)
