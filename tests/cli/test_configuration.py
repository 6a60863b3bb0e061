"""What is configured, and who set it."""

from pathlib import Path

import pytest

from tests.cli.desk import Desk
from tests.cli.test_crashes import begin
from tidegate.config.keys import KEYS

pytestmark = pytest.mark.slow

SECRET = "sk-ant-" + "a1b2c3d4" * 4


def told(desk: Desk) -> dict[str, dict[str, object]]:
    """Every key as it is told."""
    return {each["key"]: each for each in desk.tidegate("config").json}


def test_every_key_is_told_with_the_file_that_set_it(desk: Desk) -> None:
    """The default, tidegate.toml, what lies over it, and a role's own file."""
    desk.settle("true", width=3)
    (desk.repository / "tidegate.local.toml").write_text("[check]\nreruns = 2\n")
    role = desk.repository / ".tidegate" / "roles" / "build.md"
    role.parent.mkdir(parents=True)
    role.write_text("---\ntimeout_s: 77\n---\nDo it.\n")
    found = told(desk)
    assert list(found) == list(KEYS)
    assert found["run.width"] == {"key": "run.width", "value": 3, "source": "tidegate.toml"}
    assert found["check.reruns"]["source"] == "tidegate.local.toml"
    timeout = found["roles.build.timeout_s"]
    assert (timeout["value"], timeout["source"]) == (77.0, ".tidegate/roles/build.md")
    assert (found["land.style"]["value"], found["land.style"]["source"]) == ("merge", "default")
    assert found["limits.fails_max"]["source"] == found["roles.queue.command"]["source"]


def test_the_lines_say_the_same(desk: Desk) -> None:
    """A key, its source and its value a line; the value last, for it may be long."""
    desk.settle("true", width=3)
    lines = [line.split(maxsplit=2) for line in desk.text("config").splitlines()]
    assert ["run.width", "tidegate.toml", "3"] in lines
    assert ["land.style", "default", '"merge"'] in lines
    assert len(lines) == len(KEYS)


def test_one_key_is_its_value_alone(desk: Desk) -> None:
    """For a shell; a section stands for its keys."""
    desk.settle("echo hello", width=3)
    assert desk.text("config", "run.width") == "3\n"
    assert desk.text("config", "roles.build.command") == "echo hello\n"
    assert desk.text("config", "workspace.caches") == "[]\n"
    assert desk.tidegate("config", "run.width").json["source"] == "tidegate.toml"
    assert [each["key"] for each in desk.tidegate("config", "run").json] == [
        "run.target",
        "run.width",
    ]


@pytest.mark.parametrize(
    ("word", "meant"), [("run.widht", "run.width"), ("width", "run.width"), ("zzz", None)]
)
def test_a_key_that_there_is_not_has_a_near_one(desk: Desk, word: str, meant: str | None) -> None:
    """Exit 2, with what was meant, also where the section was left out."""
    desk.settle("true")
    said = desk.tidegate("config", word)
    assert said.code == 2
    assert said.error.did_you_mean == meant


def test_the_files_are_listed_in_the_order_in_which_they_win(desk: Desk) -> None:
    """Also where one of them is wrong: that is when somebody asks."""
    (desk.repository / "tidegate.toml").write_text("not toml", encoding="utf-8")
    found = desk.tidegate("config", "path").json
    assert [each["path"] for each in found[-2:]] == ["tidegate.local.toml", "tidegate.toml"]
    assert [each["is_there"] for each in found[-2:]] == [False, True]
    assert found[0]["path"].startswith(".tidegate/roles/")
    assert "read  tidegate.toml" in desk.text("config", "path")


def test_the_order_is_the_one_that_counts(desk: Desk) -> None:
    """Of two files that set one key, the one that is listed first wins."""
    desk.settle("true")
    (desk.repository / "tidegate.local.toml").write_text('[roles.build]\ncommand = "local"\n')
    assert desk.text("config", "roles.build.command") == "local\n"
    role = desk.repository / ".tidegate" / "roles" / "build.md"
    role.parent.mkdir(parents=True)
    role.write_text("---\ncommand: role\n---\nDo it.\n")
    assert desk.text("config", "roles.build.command") == "role\n"


def test_a_secret_is_masked(desk: Desk) -> None:
    """In the list, alone, and in JSON: such screens are pasted elsewhere."""
    desk.settle(f"agent --key {SECRET}")
    for words in ((), ("roles.build.command",)):
        for said in (desk.tidegate("config", *words).out, desk.text("config", *words)):
            assert SECRET not in said
            assert "[masked:anthropic-key]" in said


def test_an_open_run_keeps_what_it_began_with_and_that_is_told(desk: Desk) -> None:
    """Each key with both values, the prompt too; a run that is in step has nothing to tell."""
    run = begin(desk)
    assert "has what the files say" in desk.text("config", "--run")
    path = desk.repository / "tidegate.toml"
    path.write_text(path.read_text().replace("width = 1", "width = 5"), encoding="utf-8")
    role = desk.repository / ".tidegate" / "roles" / "build.md"
    role.parent.mkdir(parents=True)
    role.write_text("Do it well.\n", encoding="utf-8")
    found = {each["key"]: each for each in desk.tidegate("config", "--run").json["differences"]}
    assert set(found) == {"run.width", "roles.build.prompt"}
    assert (found["run.width"]["run"], found["run.width"]["files"]) == (1, 5)
    text = desk.text("config", "--run")
    assert "  run    1\n  files  5\n" in text
    assert "has other values of run.width, roles.build.prompt" in desk.text("config")
    desk.let("go")
    assert desk.ended(run).code == 0
    said = desk.tidegate("config", "--run")
    assert said.code == 2
    assert "no run is open" in said.error.message


def test_a_configuration_that_is_wrong_is_told_as_elsewhere(desk: Desk) -> None:
    """G8-04: file and line, and no value is told as if it counted."""
    source = Path(desk.repository / "tidegate.toml")
    source.write_text('[run]\nwidth = "two"\n', encoding="utf-8")
    said = desk.tidegate("config", "--no-json")
    assert said.code == 2
    assert "tidegate.toml:2:" in said.complaint
