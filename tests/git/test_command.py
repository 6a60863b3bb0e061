"""How git is run: whose variables and settings count, and what ends it."""

import os
from pathlib import Path

import pytest

from tests.git.world import World, git, is_running, write
from tests.waiting import until
from tidegate.git.command import Git, scrubbed
from tidegate.git.errors import GitFailed, GitMissing, GitTimedOut


def test_inherited_variables_do_not_choose_the_repository(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G3-01: started from a hook of repository A, git works on B, and A stays as it was."""
    other = tmp_path / "A"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "alias.x")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "!touch leaked")
    said = Git(trusts_user=True, cwd=str(world.root)).run("rev-parse", "--show-toplevel").text
    assert said == str(world.root)
    assert not [name for name in scrubbed(os.environ) if name.startswith("GIT_")]


def test_the_users_configuration_counts_only_where_it_is_trusted(world: World) -> None:
    """In the hub nobody's global settings apply; in the user's repository theirs do."""
    (Path(os.environ["HOME"]) / ".gitconfig").write_text(
        "[user]\n\tname = Somebody\n[a]\n\tb = c\n"
    )
    ours = Git(trusts_user=False, git_dir=world.hub.path)
    theirs = Git(trusts_user=True, git_dir=world.repository.git_dir)
    assert ours.run("config", "a.b", ok_codes=(0, 1)).code == 1
    assert theirs.run("config", "a.b").text == "c"


def test_messages_are_not_translated(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """G3-27: whatever the user's language, git speaks one that errors can be shown in."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    assert Git(trusts_user=True, git_dir=world.hub.path).environment(os.environ)["LC_ALL"] == "C"


def test_an_error_carries_command_code_and_gits_words(world: World) -> None:
    """G8-13: what failed, how, and what git said about it are in the error."""
    with pytest.raises(GitFailed) as caught:
        world.hub.git.run("cat-file", "-p", "no-such-thing")
    assert caught.value.argv[:2] == ("git", "cat-file")
    assert caught.value.returncode == 128
    assert "no-such-thing" in caught.value.stderr
    assert "128" in str(caught.value)


def test_an_error_is_one_line_whatever_git_said(world: World) -> None:
    """Git speaks in several lines; the message joins them, so that one line tells a person all."""
    words = r"!printf 'error: first\n\thint: second\n\n' >&2; exit 3"
    talkative = world.repository.git._replace(settings=(("alias.talk", words),))
    with pytest.raises(GitFailed) as caught:
        talkative.run("talk")
    assert str(caught.value).endswith("exit code 3: error: first; hint: second")


def test_a_call_that_hangs_is_killed_with_all_that_it_started(world: World, tmp_path: Path) -> None:
    """A time limit ends git, and the program git was waiting for, too."""
    pid_file = tmp_path / "pid"
    hanging = f"!echo $$ > {pid_file}; exec sleep 600"
    slow = world.repository.git._replace(timeout_s=0.3, settings=(("alias.hang", hanging),))
    with pytest.raises(GitTimedOut) as caught:
        slow.run("hang")
    assert "0.3 s" in str(caught.value)
    pid = int(pid_file.read_text())
    until(lambda: not is_running(pid))


def test_a_hook_of_the_repository_does_not_run(world: World) -> None:
    """G3-29: hooks are off, whatever the repository says."""
    write(world.root, {".git/hooks/reference-transaction": "#!/bin/sh\ntouch hooked\n"})
    (world.root / ".git/hooks/reference-transaction").chmod(0o755)
    world.repository.git.run("update-ref", "refs/heads/other", world.base)
    assert not (world.root / "hooked").exists()
    assert not (world.root / ".git/hooked").exists()


def test_a_missing_git_is_told_as_such(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on the PATH the error says so and what to do."""
    monkeypatch.setenv("PATH", str(world.path))
    with pytest.raises(GitMissing):
        world.hub.git.run("version")


def test_paths_with_the_separator_are_quoted_for_git(world: World, tmp_path: Path) -> None:
    """An object store whose path holds a colon can still be looked into."""
    odd = tmp_path / 'with:colon "and quote'
    odd.mkdir()
    git(odd, "init", "-q")
    blob = git(odd, "hash-object", "-w", "--stdin", stdin="content")
    looking = world.hub.git._replace(alternates=(str(odd / ".git/objects"),))
    assert looking.run("cat-file", "-p", blob).text == "content"
    assert not world.hub.git.succeeds("cat-file", "-e", blob)
