"""Processes of agents, as the whole program deals with them: orphans, kills, namespaces."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.desk import LIMIT_S, TIDEGATE, Desk
from tests.waiting import until

pytestmark = pytest.mark.slow

EDIT = "echo more >> part.txt"


def test_an_agents_git_begins_no_upkeep_in_the_background(desk: Desk) -> None:
    """G2-09: gc.auto=0 and maintenance.auto=false, in any repository that it works in."""
    asks = " ".join(
        f"git -C {where} config --get {key} >> {desk.folder}/said;"
        for where in (".", "$PWD/other")
        for key in ("gc.auto", "maintenance.auto")
    )
    desk.settle(f"git init -q other; {asks} rm -rf other; {EDIT}", check="true")
    desk.issue(1)
    code, _ = desk.run()
    assert (code, desk.lines("said")) == (0, ["0", "false"] * 2)


def test_the_sweep_touches_nothing_that_does_not_carry_our_mark(desk: Desk) -> None:
    """G2-09: an honest process of the user's that lost its parent, in the very workspace, lives."""
    desk.settle(
        f"pwd > {desk.folder}/where; {EDIT}; touch {desk.folder}/began; "
        f"while test ! -e {desk.folder}/go; do sleep 0.05; done"
    )
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("began")
    where = desk.lines("where")[0]
    honest = subprocess.run(
        ("sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!"),
        cwd=where,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    pid = int(honest.stdout)
    desk.let("go")
    try:
        assert desk.ended(process).code == 0
        assert not Path(where).exists()
        os.kill(pid, 0)  # it is there
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_kill_from_outside_is_told_as_one(desk: Desk) -> None:
    """G2-10: the event says that nobody knows by whom, no round is charged, and the log says so."""
    desk.settle(
        f"echo $$ >> {desk.folder}/pids; {EDIT}; test $TIDEGATE_ATTEMPT != 001-build-1 || sleep 600"
    )
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.hears("pids")
    os.kill(int(desk.lines("pids")[0]), signal.SIGKILL)
    said = desk.ended(process)
    assert (said.code, len(said.summary.landed)) == (0, 1)
    killed = [each["killed_by"] for each in _bodies(desk) if each["killed_by"]]
    assert killed == ["unknown"]
    assert "was killed from outside: nobody knows by whom; it costs no round" in desk.text("log")
    assert desk.tidegate("show", "001").json["lane"]["fails"] == 0


def _bodies(desk: Desk) -> list[dict[str, str]]:
    """The ends of turns."""
    return [each["body"] for each in desk.events() if each["kind"] == "turn_ended"]


WRITES = """\
setsid sh -c 'while :; do mkdir -p deep/er; date >> deep/er/file; touch {desk}/writes; \
sleep 0.01; done' & echo $! > {desk}/orphan; \
echo early >> part.txt; git add part.txt; git commit -qm early; echo late >> part.txt; \
touch {desk}/began; sleep 600
"""
"""An agent with an orphan that makes its folder anew every ten milliseconds."""


@pytest.mark.parametrize("how", ["lane", "anew", "runner"])
def test_a_workspace_is_removed_once_nothing_writes_to_it(desk: Desk, how: str) -> None:
    """G2-22: fenced, stopped, proved empty, harvested, removed; nothing is made in it again.

    Also where the whole run is abandoned, and where the runner is killed before.
    """
    desk.settle(WRITES.format(desk=desk.folder).replace("\n", " "), width=1)
    desk.issue(1)
    process = desk.start("run", "--json")
    desk.sees("began")
    desk.sees("writes")
    if how == "runner":
        (runner,) = [pid for pid, words in desk.living().items() if "001-build-1/turns" in words]
        os.kill(runner, signal.SIGKILL)
    if how == "anew":
        os.killpg(process.pid, signal.SIGKILL)
        desk.ended(process)
        desk.settle(EDIT, width=1)
        assert desk.tidegate("run", "--anew").code == 0
    else:
        assert desk.tidegate("stop", "001", "--reason", "no longer wanted").code == 0
        assert desk.ended(process).code == 1
    assert desk.living() == {}
    kinds = desk.tidegate("log", "--json", "--run", _first_run(desk)).out
    order = [kinds.find(f'"{kind}"') for kind in ("turn_ended", "harvested", "workspace_removed")]
    assert -1 not in order
    assert order == sorted(order)
    hub = desk.ledger_folder / "hub.git"
    kept = desk.git("log", "--all", "--format=%s", cwd=hub).splitlines()
    assert "early" in kept
    state = desk.folder / "state"
    assert not list(state.rglob("deep")), "nothing is made again in a workspace that is gone"


def _first_run(desk: Desk) -> str:
    """The run in which the agent wrote."""
    return min(each.name for each in (desk.ledger_folder / "runs").iterdir())


CAN_UNSHARE = (
    shutil.which("unshare") is not None
    and subprocess.run(
        ("unshare", "--pid", "--fork", "--mount-proc", "true"), capture_output=True, check=False
    ).returncode
    == 0
)
ORPHANS = (
    "for i in $(seq 200); do (setsid sh -c 'sleep 0.05' &) ; done; "
    f"{EDIT}; touch {{desk}}/forked; while test ! -e {{desk}}/go; do sleep 0.05; done"
)


@pytest.mark.skipif(not CAN_UNSHARE, reason="it needs a pid namespace")
def test_the_controller_as_init_keeps_no_zombie(desk: Desk) -> None:
    """G2-23: process 1 of its namespace, an agent that orphans 200: soon none is left, and it ends.

    The status of each child that is waited for is its own: the lane lands by its agent's exit.
    """
    desk.settle(ORPHANS.format(desk=desk.folder), width=1)
    desk.issue(1)
    process = subprocess.Popen(
        ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *TIDEGATE, "run", "--json"),
        cwd=desk.repository,
        env=desk.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    desk.started.append(process)
    desk.sees("forked")
    until(lambda: _zombies(desk) == 0, within_s=LIMIT_S)
    desk.let("go")
    said = desk.ended(process)
    assert (said.code, len(said.summary.landed)) == (0, 1), said.err


def _space(pid: int | str) -> str:
    """The pid namespace of a process."""
    return str(Path(f"/proc/{pid}/ns/pid").readlink())


def _zombies(desk: Desk) -> int:
    """How many of this desk's user's processes are dead and not reaped, in the namespace."""
    inits = [pid for pid, words in desk.living().items() if "unshare" not in words]
    spaces = {_space(pid) for pid in inits if Path(f"/proc/{pid}").exists()}
    spaces.discard(_space("self"))
    found = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "status").read_text()
                space = _space(entry.name)
            except OSError:
                continue
            found += "\nState:\tZ" in status and space in spaces
    return found
