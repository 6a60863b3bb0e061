"""What `[workspace]` says, from the configuration to what an agent and a check find."""

import pytest

from tests.cli.desk import Desk

pytestmark = pytest.mark.slow

ALLOW = ("-c", "protocol.file.allow=always")


def test_submodules_are_there_for_agent_and_check(desk: Desk) -> None:
    """G3-09: what an agent does in one is checked, lands, and is in the user's at the end."""
    library = desk.folder / "library"
    desk.git("init", "-q", "-b", "main", str(library))
    desk.commit("lib.txt", "lib\n", cwd=library)
    desk.git(*ALLOW, "submodule", "--quiet", "add", str(library), "lib")
    desk.git("commit", "-q", "-m", "Take the library in")
    library.rename(desk.folder / "gone")
    desk.settle("cat lib/lib.txt > part.txt; echo mine >> lib/lib.txt", check="test -s lib/lib.txt")
    desk.issue(1)
    said = desk.tidegate("run", "--json")
    assert said.code == 0
    assert len(said.summary.landed) == 1
    assert desk.tidegate("land").code == 0
    desk.git("submodule", "update")
    assert (desk.repository / "part.txt").read_text(encoding="utf-8") == "lib\n"
    assert (desk.repository / "lib/lib.txt").read_text(encoding="utf-8") == "lib\nmine\n"


@pytest.mark.parametrize("wanted", ["true", "false"])
def test_submodules_can_be_left_empty(desk: Desk, wanted: str) -> None:
    """`submodules = false` fills none."""
    library = desk.folder / "library"
    desk.git("init", "-q", "-b", "main", str(library))
    desk.commit("lib.txt", "lib\n", cwd=library)
    desk.git(*ALLOW, "submodule", "--quiet", "add", str(library), "lib")
    desk.git("commit", "-q", "-m", "Take the library in")
    more = f"[workspace]\nsubmodules = {wanted}\n"
    desk.settle("ls lib > part.txt; echo end >> part.txt", more=more)
    desk.issue(1)
    commit = desk.tidegate("run", "--json").summary.landed[0].commit
    seen = "lib.txt\nend" if wanted == "true" else "end"
    assert desk.git("show", f"{commit}:part.txt") == seen


def test_a_sparse_workspace_has_the_named_folders(desk: Desk) -> None:
    """Agent and check see only these, and what was left out is as it was when the work lands."""
    for name in ("heavy/x", "src/x"):
        (desk.repository / name).parent.mkdir()
        desk.commit(name, "1\n")
    desk.settle(
        "ls -d */ > part.txt", check="! test -e heavy", more="[workspace]\nsparse = ['src']"
    )
    desk.issue(1)
    commit = desk.tidegate("run", "--json").summary.landed[0].commit
    assert desk.git("show", f"{commit}:part.txt") == "src/"
    assert desk.git("show", f"{commit}:heavy/x") == "1"
