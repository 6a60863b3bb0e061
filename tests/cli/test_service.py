"""`tidegate service` writes units that systemd takes, takes them away, or says what else to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.desk import Desk

pytestmark = pytest.mark.slow


@pytest.fixture
def systemd(desk: Desk) -> dict[str, str]:
    """A PATH with something called systemctl; it is never started."""
    program = desk.folder / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {desk.folder}/started\n")
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}", "USER": "me"}


def units(desk: Desk) -> list[Path]:
    """What stands in the user's folder of units."""
    return sorted((desk.folder / "home" / ".config" / "systemd" / "user").glob("*"))


def test_it_writes_two_units_and_says_what_to_type(desk: Desk, systemd: dict[str, str]) -> None:
    """Nothing is started by itself; a second time writes the same, and --uninstall removes it."""
    desk.settle("true", more='[env]\nallow = ["AGENT_KEY", "OTHER_*"]\n')
    said = desk.tidegate("service", "--no-json", env={**systemd, "AGENT_KEY": "very-secret"})
    assert said.code == 0, said
    service, timer = units(desk)
    assert (service.suffix, timer.suffix) == (".service", ".timer")
    for words in (str(service), str(timer), f"enable --now {timer.name}", "enable-linger me"):
        assert words in said.out
    text = service.read_text()
    assert f"WorkingDirectory={desk.repository}\n" in text
    assert "PassEnvironment=AGENT_KEY\n" in text
    assert "very-secret" not in text, "no value of a variable is written down"
    assert not (desk.folder / "started").exists()
    assert desk.tidegate("service", env=systemd).code == 0
    assert service.read_text().count("[Service]") == 1
    enabled = timer.parent / "timers.target.wants"
    enabled.mkdir()
    (enabled / timer.name).symlink_to(timer)
    gone = desk.tidegate("service", "--uninstall", "--no-json", env=systemd)
    assert (gone.code, units(desk), [*enabled.iterdir()]) == (0, [enabled], [])
    assert f"stop {timer.name}" in gone.out
    assert "there is no service" in desk.tidegate("service", "--uninstall", "--no-json").out


def test_it_prints_without_writing(desk: Desk, systemd: dict[str, str]) -> None:
    """Both units, each under its path."""
    desk.settle("true")
    said = desk.tidegate("service", "--print", "--no-json", env=systemd)
    assert (said.code, units(desk)) == (0, [])
    assert said.out.count("# /") == 2
    assert "[Timer]" in said.out


def test_without_systemd_it_says_what_else_to_do(desk: Desk) -> None:
    """cron, nohup and launchd by name, exit 1, and nothing is written."""
    desk.settle("true")
    path = desk.folder / "few"
    path.mkdir()
    (path / "git").symlink_to(str(shutil.which("git")))
    said = desk.tidegate("service", "--no-json", env={"PATH": str(path)})
    assert (said.code, units(desk)) == (1, [])
    for words in ("crontab -e", "nohup", "launchd"):
        assert words in said.out


def test_where_systemd_does_not_run_it_says_so(desk: Desk, systemd: dict[str, str]) -> None:
    """Its programs are there in many containers, and nothing would ever start the units."""
    desk.settle("true")
    said = desk.tidegate("service", "--no-json", env=systemd)
    is_running = Path("/run/systemd/system").is_dir()
    assert (said.code, len(units(desk))) == (0, 2)
    for words in ("systemd does not run here", "crontab -e", "nohup"):
        assert (words in said.out) is not is_running


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="it needs systemd's own tools")
def test_systemd_takes_the_units_of_an_odd_folder(desk: Desk, systemd: dict[str, str]) -> None:
    """Blanks and percent signs in the path; a unit with a wrong word is not taken."""
    odd = desk.folder / "50% of %n my work"
    desk.settle("true")
    desk.repository.rename(odd)
    assert desk.tidegate("service", cwd=odd, env=systemd).code == 0
    runtime = desk.folder / "runtime"
    runtime.mkdir()

    def complaints(*paths: Path) -> str:
        done = subprocess.run(
            ("systemd-analyze", "verify", "--user", *map(str, paths)),
            env={**desk.environment(systemd), "XDG_RUNTIME_DIR": str(runtime)},
            capture_output=True,
            text=True,
            check=False,
        )
        if "Failed to initialize manager" in done.stderr:
            pytest.skip(f"systemd cannot look here: {done.stderr}")
        return done.stderr

    assert complaints(*units(desk)) == ""
    bad = desk.folder / "bad.service"
    bad.write_text(units(desk)[0].read_text().replace("KillMode=process", "KillMode=sideways"))
    assert "KillMode" in complaints(bad) or "kill mode" in complaints(bad)
