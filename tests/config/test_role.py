"""A role's file says how the role is filled, strictly, or not at all."""

from pathlib import Path

import pytest

from tests.config.repository import ROLE, complaints, loaded, write
from tidegate.config.role import default_prompt

MAIN = "[run]\n"


def test_without_a_file_the_default_is_used(tmp_path: Path) -> None:
    """A repository need not have a prompt of its own."""
    role = loaded(tmp_path, main=MAIN).configuration.roles["build"]
    assert role.prompt == default_prompt("build")
    assert (role.agent, role.command) == ("shell", None)


def test_a_file_may_be_a_prompt_alone(tmp_path: Path) -> None:
    """Front matter is there to override, and can be left out."""
    role = loaded(tmp_path, main=MAIN, role="Do {title}.\n---\nmore\n").configuration.roles["build"]
    assert role.prompt == "Do {title}.\n---\nmore\n"


def test_front_matter_takes_values_as_text(tmp_path: Path) -> None:
    """A command `null` is a command, and a number may be written as YAML writes numbers."""
    text = "---\r\ncommand: null\r\ntimeout_s: 1.5\r\nagent: yes\r\n---\r\n\r\nDo.\r\n"
    role = loaded(tmp_path, main=MAIN, role=text).configuration.roles["build"]
    assert (role.command, role.timeout_s, role.agent, role.prompt) == ("null", 1.5, "yes", "Do.\n")


WRONG = (
    ("---\ntimeout: 7\n---\nx", 2, "a role has no key `timeout`: did you mean `timeout_s`?"),
    ("---\nmodel: x\n---\nx", 2, "it has agent, command, timeout_s"),
    ("---\nagent: [a]\n---\nx", 2, '`agent = ["a"]`: it must be a text'),
    ("---\ntimeout_s: soon\n---\nx", 2, "it must be a number above 0"),
    ("---\ntimeout_s: 0\n---\nx", 2, "it must be a number above 0"),
    ("---\ntimeout_s: 1e3\n---\nx", 2, "it must be a number above 0"),
    ('---\nagent: a\ncommand: "a\\0b"\n---\nx', 3, "it holds the character \\x00"),
    ("---\nagent: a\n---\n\n {titel}", 5, "there is no placeholder {titel}"),
    ("---\nagent: a\n---\n \n", 4, "the file holds no prompt"),
    ("", 1, "the file holds no prompt"),
    ("---\nagent: a\n", 1, "the block of keys has no end"),
    (b"\xef\xbb\xbfx", 1, "byte order mark"),
    (b"a\n\xff", 2, "byte 2 (0xff) is not UTF-8"),
)


@pytest.mark.parametrize(("text", "line", "says"), WRONG)
def test_a_wrong_role_is_refused(tmp_path: Path, text: str | bytes, line: int, says: str) -> None:
    """Nothing of a role's file is passed over, and an empty one is not the default."""
    (problem,) = complaints(tmp_path, main=MAIN, role=text)
    assert problem.startswith(f"{ROLE}:{line}: ")
    assert says in problem


def test_a_role_that_nobody_fills_is_an_error(tmp_path: Path) -> None:
    """A misnamed file would be silently ignored; drafts and copies of editors are left alone."""
    write(tmp_path, role="x")
    folder = (tmp_path / ROLE).parent
    for name in (".build.md.swp", "build.md~", "notes.txt", ".hidden.md"):
        (folder / name).write_text("x")
    (folder / "biuld.md").write_text("x")
    (problem,) = complaints(tmp_path, main=MAIN)
    assert problem.startswith(".tidegate/roles/biuld.md:1: there is no role `biuld`")
    assert "did you mean `build`?" in problem


def test_the_queue_role_has_no_file(tmp_path: Path) -> None:
    """It is a command and is told nothing: a file for it would be passed over, so it is refused."""
    write(tmp_path, role="x")
    ((tmp_path / ROLE).parent / "queue.md").write_text("Order them.")
    (problem,) = complaints(tmp_path, main=MAIN)
    assert "fill it in [roles.queue] of tidegate.toml" in problem
