"""Which agents there are, and what another package may add."""

from pathlib import Path

import pytest

from tidegate.agents import AGENTS, load
from tidegate.agents.shell import ShellAgent
from tidegate.core.errors import Misused


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_of_the_registry_can_be_loaded(name: str) -> None:
    """Its name is the one that it is registered under."""
    assert load(name).name == name


def test_an_unknown_agent_is_refused_with_those_that_are_known() -> None:
    """The message lists what there is."""
    with pytest.raises(Misused) as caught:
        load("frobnicate")
    assert "'frobnicate'" in caught.value.message
    assert "shell" in caught.value.hint


def test_an_installed_package_adds_an_agent_and_takes_none_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry point is found by its name; one that is called `shell` changes nothing."""
    (tmp_path / "made_agent.py").write_text("class Made:\n    name = 'made'\n")
    metadata = tmp_path / "made-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: made\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[tidegate.agents]\nmade = made_agent:Made\nshell = made_agent:Made\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert load("made").name == "made"
    assert isinstance(load("shell"), ShellAgent)
