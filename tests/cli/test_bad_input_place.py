"""The wrong place to start in: each is told in a line, by its code, and nothing is made there."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.desk import TIDEGATE, Desk, Said

EVERYWHERE = (
    *(["init"], ["add", "A title"], ["run"], ["status"], ["log"], ["show", "001"], ["explain"]),
    *(["land"], ["doctor"]),
)


def nowhere(desk: Desk) -> Path:
    """A folder that is in no repository."""
    folder = desk.folder / "nowhere"
    folder.mkdir()
    return folder


def bare(desk: Desk) -> Path:
    """A repository without a working tree."""
    folder = desk.folder / "bare.git"
    desk.git("init", "-q", "--bare", str(folder))
    return folder


def git_folder(desk: Desk) -> Path:
    """The inside of a repository."""
    return desk.repository / ".git"


@pytest.mark.parametrize(
    ("place", "code"),
    [(nowhere, "not_a_repository"), (bare, "bare_repository"), (git_folder, "not_a_repository")],
)
def test_where_there_is_no_working_tree_nothing_works(
    desk: Desk, place: Callable[[Desk], Path], code: str
) -> None:
    """Every command but `doctor` answers so; `doctor` lists it as what is wrong. Exit 3."""
    folder = place(desk)
    before = sorted(folder.rglob("*"))
    for command in EVERYWHERE if place is nowhere else (["status"], ["run"]):
        said = desk.tidegate(*command, "--json", cwd=folder)
        assert said.code == 3
        if command != ["doctor"]:
            assert said.error.code == code
            assert said.error.hint
    assert str(folder) in desk.tidegate("run", cwd=folder).complaint
    assert sorted(folder.rglob("*")) == before


def test_a_repository_without_a_commit_can_be_set_up_but_not_run(desk: Desk) -> None:
    """`run` and `doctor` say how to make one; no ledger is made before."""
    folder = desk.folder / "fresh"
    desk.git("init", "-q", str(folder))
    assert desk.tidegate("init", cwd=folder).code == 0
    assert desk.tidegate("add", "A title", cwd=folder).code == 0
    said = desk.tidegate("run", cwd=folder)
    assert said.code == 3
    assert "has no commits: make one: git add . && git commit" in said.complaint
    assert desk.tidegate("doctor", cwd=folder).code == 3
    assert not (folder / ".git" / "tidegate").exists()


def test_a_current_folder_that_is_gone_is_told(desk: Desk) -> None:
    """Exit 3, not a trace of the program's inside."""
    folder = nowhere(desk)
    script = 'rmdir "$PWD" && exec "$@"'
    done = subprocess.run(
        ("/bin/sh", "-c", script, "sh", *TIDEGATE, "run"),
        cwd=folder,
        env=desk.environment(),
        capture_output=True,
        check=False,
    )
    said = Said(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert said.code == 3
    assert said.complaint == "the current folder is gone: cd into your repository"


def test_a_folder_to_work_in_must_be_there(desk: Desk) -> None:
    """`-C` names a folder; one that cannot be entered is wrong use."""
    said = desk.tidegate("-C", str(desk.folder / "missing"), "status")
    assert said.code == 2
    assert "missing: No such file or directory" in said.complaint
    assert desk.tidegate("-C", str(desk.repository), "status", cwd=desk.folder).code == 0


@pytest.mark.parametrize("home", ["empty", "unset"])
def test_a_commit_needs_a_name(desk: Desk, home: str) -> None:
    """Without user.name nothing is begun: exit 3, with the commands that set it."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    settings = {"HOME": str(nowhere(desk)) if home == "empty" else ""}
    said = desk.tidegate("run", env=settings)
    assert said.code == 3
    assert "git config user.name 'You'" in said.complaint
    assert desk.tidegate("doctor", env=settings).code == 3
    assert not desk.ledger_folder.exists()


def test_without_a_home_the_workspaces_have_a_place_or_a_clear_word(desk: Desk) -> None:
    """A container may have no HOME at all: `doctor` answers, whatever it finds."""
    desk.settle("echo more >> part.txt")
    environment = desk.environment()
    del environment["HOME"], environment["XDG_STATE_HOME"]
    done = subprocess.run(
        (*TIDEGATE, "doctor", "--json"),
        cwd=desk.repository,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b'"workspaces"' in done.stdout


def test_a_detached_head_has_no_target(desk: Desk) -> None:
    """`run` and `doctor` say so, and how to name one."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    desk.git("checkout", "-q", "--detach")
    said = desk.tidegate("run")
    assert said.code == 2
    assert "HEAD is detached" in said.complaint
    assert "[run] target" in said.complaint
    assert desk.tidegate("doctor").code == 3
    assert desk.tidegate("status").json["run"] is None


def test_a_target_that_is_no_branch_is_told(desk: Desk) -> None:
    """A mistyped [run] target begins no run, and `doctor` sees it too."""
    desk.settle("echo more >> part.txt")
    settings = desk.repository / "tidegate.toml"
    text = settings.read_text(encoding="utf-8").replace("[run]", "[run]\ntarget = 'mian'")
    settings.write_text(text, encoding="utf-8")
    desk.issue(1)
    said = desk.tidegate("run")
    assert said.code == 2
    assert "there is no branch 'mian'" in said.complaint
    assert desk.tidegate("doctor").code == 3
    assert desk.tidegate("status").json["run"] is None


def test_workspaces_need_a_place_that_can_be_written(desk: Desk) -> None:
    """A root that is a file, or lies in the repository, is told before anything is begun."""
    desk.issue(1)
    (desk.folder / "file").touch()
    inside = desk.repository / "inside"
    for root, code in ((desk.folder / "file", 3), (inside, 2), (Path("/proc/x"), 3)):
        desk.settle("echo more >> part.txt", more=f"[workspace]\nroot = '{root}'\n")
        said = desk.tidegate("run")
        assert said.code == code
        assert f"{root}/" in said.complaint
        assert "[workspace] root" in said.complaint
        assert desk.tidegate("doctor").code == 3
        assert desk.tidegate("status").json["run"] is None


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (Path.touch, "is no folder"),
        (lambda path: path.symlink_to("nowhere"), "is a link that leads nowhere"),
    ],
)
def test_what_is_in_the_place_of_our_folder_is_told(
    desk: Desk, make: Callable[[Path], None], what: str
) -> None:
    """Exit 3 from every command, with the path; it is left as it is."""
    desk.settle("true")
    desk.issue(1)
    make(desk.ledger_folder)
    for command in EVERYWHERE:
        said = desk.tidegate(*command, "--no-json")
        assert said.code == 3
        assert f"{desk.ledger_folder} {what}" in f"{said.out}{said.err}"
        assert "move it away" in f"{said.out}{said.err}"
    assert not desk.ledger_folder.is_dir()


def test_a_submodule_is_a_repository_of_its_own(desk: Desk) -> None:
    """G8-07: inside one, its own state is shown, and nothing is written into the outer one.

    G3-10: one that is not there is named by doctor and by a run that starts.
    """
    library = desk.folder / "library"
    desk.git("init", "-q", "-b", "main", str(library))
    desk.commit("lib.txt", "lib\n", cwd=library)
    allow = ("-c", "protocol.file.allow=always")
    desk.git(*allow, "submodule", "--quiet", "add", str(library), "lib")
    desk.git("commit", "-q", "-m", "Take the library in")
    desk.settle("echo more >> part.txt")
    inside = desk.repository / "lib"
    said = desk.tidegate("run", cwd=inside)
    assert said.code == 2
    assert f"there is no tidegate.toml in {inside}" in said.complaint
    assert desk.tidegate("init", cwd=inside).code == 0
    assert not desk.ledger_folder.exists()
    assert "submodules" not in {each["name"] for each in desk.tidegate("doctor").json}
    desk.git("submodule", "deinit", "--force", "lib")
    (desk.ledger_folder.parent / "modules").rename(desk.folder / "modules")
    assert "submodules" in {each["name"] for each in desk.tidegate("doctor").json}
    assert "note: 1 submodules are not here (lib)" in desk.tidegate("run").err


def test_an_odd_path_is_no_obstacle(desk: Desk) -> None:
    """Blanks, quotes and bytes that are no UTF-8 in the path: every command has an answer."""
    odd = Path(os.fsdecode(os.fsencode(desk.folder) + b"/it's \xff odd"))
    desk.repository.rename(odd)
    for command in (["status"], ["doctor", "--no-json"], ["run"]):
        said = subprocess.run(
            (sys.executable, "-m", "tidegate", *command),
            cwd=odd,
            env=desk.environment(),
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in said.stderr
        assert said.returncode in {0, 2, 3}
    odd.rename(desk.repository)


def test_too_few_open_files_are_told_as_that(desk: Desk) -> None:
    """Neither permissions nor space are to be looked at where the limit of files is too low."""
    desk.settle("true")
    desk.issue(1)
    script = 'ulimit -n 10 && exec "$@"'
    done = subprocess.run(
        ("/bin/sh", "-c", script, "sh", *TIDEGATE, "run"),
        cwd=desk.repository,
        env=desk.environment(),
        capture_output=True,
        check=False,
    )
    said = Said(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert said.code == 3
    assert "ulimit -n" in said.complaint
    assert "permissions" not in said.complaint
