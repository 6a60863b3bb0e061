"""The units of a service: what they say, and that odd names come through them whole."""

import pytest

from tidegate.core.errors import Refused
from tidegate.verbs.systemd_units import quoted, service_unit, timer_unit


def unit(root: str = "/home/me/work", command: tuple[str, ...] = ("/usr/bin/python",)) -> str:
    """The service of a repository."""
    return service_unit(
        root=root, command=command, search_path="/bin", passed=("LANG",), variables="/e"
    )


def test_agents_outlive_it_and_their_end_is_not_its_own() -> None:
    """Only the controller is signalled, it detaches, and an agent without memory is no matter."""
    lines = unit().splitlines()
    wanted = ("KillMode=process", "KillSignal=SIGHUP", "OOMPolicy=continue", "PassEnvironment=LANG")
    assert set(wanted) <= set(lines)


def test_a_dead_controller_is_started_again_and_a_finished_run_is_no_failure() -> None:
    """Exit 1 and 130 are successes; what would come to the same again is not tried again."""
    lines = set(unit().splitlines())
    assert "Restart=on-failure" in lines
    assert "SuccessExitStatus=1 130" in lines
    assert "RestartPreventExitStatus=2 3 4 5" in lines
    assert {"StartLimitIntervalSec=1h", "StartLimitBurst=10"} <= lines


def test_odd_paths_are_quoted() -> None:
    """Blanks, percent signs, dollars, quotes and backslashes are themselves."""
    made = unit("/home/me/50% of my work", ("/opt/my python", 'a"b\\c', "$HOME"))
    assert "WorkingDirectory=/home/me/50%% of my work\n" in made
    assert 'ExecStart="/opt/my python" "a\\"b\\\\c" "$$HOME"\n' in made
    assert quoted("PATH=/a b:/c%d") == '"PATH=/a b:/c%%d"'


@pytest.mark.parametrize("root", ["/a\nb", "/a ", "/a\\", "/a\rb"])
def test_a_path_that_no_unit_can_hold_is_refused(root: str) -> None:
    """It would become another setting, or another folder."""
    with pytest.raises(Refused, match="no unit can hold"):
        unit(root)


def test_the_timer_starts_the_service_again_after_each_end() -> None:
    """Issues that were added are taken, also by a run that nobody began."""
    made = timer_unit(root="/r", service="tidegate-r.service")
    assert {"OnUnitInactiveSec=15min", "Unit=tidegate-r.service", "WantedBy=timers.target"} <= set(
        made.splitlines()
    )
