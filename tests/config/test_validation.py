"""Every key is known, of its type and in its bounds; all that is not is told at once."""

from pathlib import Path

import pytest

from tests.config.repository import complaints, loaded, write
from tidegate.config.load import load
from tidegate.config.problem import SHOWN_MAX, Misconfigured

WRONG = (
    ("[run]\nwidht = 3", "2: [run] has no key `widht`: did you mean `width`? it has target, width"),
    ("[rnu]\nwidth = 3", "1: there is no section [rnu]: did you mean `run`? there are run, land"),
    ("[land]\npublish = 'https://host.invalid/x'", "write the name of a remote, and after a space"),
    ("[land]\npublish = 'origin a b'", "write the name of a remote, and after a space"),
    ("[land]\npublish = 'origin '", "write the name of a remote, and after a space"),
    ("[land]\npublish = '--mirror'", "write the name of a remote, and after a space"),
    ("[land]\npublish = 'origin refs/heads/x'", "write the short name, `x`"),
    ("[land]\npublish = 'origin a..b'", "git allows no branch of that name"),
    ("[tracker]\ntimeout_s = 0", "it must be a number above 0"),
    ("[tracker]\nallow = ['A B']", "`A B`: write a variable's name"),
    ("[run]\ntimeout_s = 3", "[run] has no key `timeout_s`: it is `timeout_s` in [check] or"),
    ("[limits]\nwidth = 3", "2: [limits] has no key `width`: it is `width` in [run]"),
    ("[limits]\ncheck_reruns_max = 3", "it is `reruns` in [check]"),
    ("[limits]\ndisk_floor_bytes = 3", "it is `floor_bytes` in [disk]"),
    ("[deadlines]\ncheck_s = 3", "it is `timeout_s` in [check]"),
    ("[deadlines]\nbuild_s = 3", "it is `timeout_s` in [roles.build]"),
    ("[deadlines]\nlease_s = 3", "[deadlines] has no key `lease_s`"),
    ("width = 3", "1: `width` stands outside of any section: it is `width` in [run]"),
    ("run = 3", "1: `run` is a section: write [run] and its keys below it"),
    ("[[run]]\nwidth = 3", "1: `run` is a section"),
    ("[roles.biuld]\nagent = 'x'", "there is no role `biuld`: did you mean `build`?"),
    ("[roles]\nagent = 'x'", "there is no role `agent`: there is adjudicate, build, verify"),
    ("[run]\nwidth = 0", "2: `width = 0`: it must be a whole number from 1 to 1_024"),
    ("[run]\nwidth = 1025", "from 1 to 1_024"),
    ("[run]\nwidth = '2'", '`width = "2"`: it must be a whole number'),
    ("[run]\nwidth = 2.0", "it must be a whole number"),
    ("[run]\nwidth = true", "`width = true`: it must be a whole number"),
    ("[run]\ntarget = 3", "it must be a text"),
    ("[run]\ntarget = 'refs/heads/x'", "write the short name, `x`"),
    ("[run]\ntarget = 'a..b'", "git allows no branch of that name"),
    ("[land]\nto = '-f'", "git allows no branch of that name"),
    ("[land]\nstyle = 'sqash'", 'did you mean `squash`? it must be "merge" or "squash"'),
    ("[check]\ntimeout_s = 0", "it must be a number above 0 and at most"),
    ("[check]\ntimeout_s = nan", "`timeout_s = NaN`: it must be a number above 0"),
    ("[check]\ntimeout_s = inf", "it must be a number above 0"),
    ("[check]\ntimeout_s = 1979-05-27", '`timeout_s = "1979-05-27"`: it must be a number'),
    ("[check]\nreruns = -1", "from 0 to 10"),
    ('[check]\ncommand = "a\\u0000b"', "it holds the character \\x00"),
    ("[deadlines]\nmonitor_s = 601", "above 0 and at most 600"),
    ("[deadlines]\nheartbeat_s = -1", "above 0"),
    ("[limits]\nfails_max = 0", "from 1 to 100"),
    ("[disk]\nfloor_bytes = -1", "from 0 to"),
    ("[tracker]\nkind = 'github'", 'it must be "command" or "markdown"'),
    ("[tracker]\npath = '/issues'", "below the root of the repository"),
    ("[tracker]\npath = 'a/../../b'", "stay inside the repository"),
    ("[workspace]\nroot = 'here'", "it must begin with / or ~/"),
    ("[workspace]\nenv_files = ['.env', 'a\\b']", "`a\\b`: write it with slashes, `a/b`"),
    ("[workspace]\nenv_files = ['.git/config']", "out of .git"),
    ("[workspace]\ncaches = 'node_modules'", "it must be a list of texts"),
    ("[workspace]\ncaches = [1]", "it must be a list of texts"),
    ("[workspace]\nsparse = ['.']", "`.`: it must be a folder below the root"),
    ("[workspace]\nsparse = ['src/*']", "`src/*`: it must be a folder's name, not a pattern"),
    ("[workspace]\nsparse = ['../x']", "stay inside the repository"),
    ("[workspace]\nsubmodules = 'yes'", "it must be true or false"),
    ("[env]\nallow = ['*']", "`*`: write a variable's name"),
    ("[env]\nallow = ['TIDEGATE_RUN']", "Tidegate sets those itself"),
    ("[roles.build]\nagent = 'Some Agent'", "it is not the name of an agent"),
)


@pytest.mark.parametrize(("text", "says"), WRONG)
def test_a_wrong_value_is_refused(tmp_path: Path, text: str, says: str) -> None:
    """Unknown keys, wrong types, numbers out of range: each says what would be right."""
    (problem,) = complaints(tmp_path, main=text)
    assert problem.startswith("tidegate.toml:")
    assert says in problem


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    """The first problem is the message, the rest follow in the hint, each with its line."""
    write(tmp_path, main="[run]\nwidht = 1\nwidth = 0\n[nope]\n", role="---\nagent: A B\n---\nx")
    with pytest.raises(Misconfigured) as caught:
        load(tmp_path)
    error = caught.value
    assert error.message == "tidegate.toml:2: [run] has no key `widht`"
    assert (error.did_you_mean, error.exit_code, error.code) == ("width", 2, "misused")
    assert error.hint.splitlines()[1:] == [str(problem) for problem in error.problems[1:]]
    assert [problem.line for problem in error.problems] == [2, 3, 4, 2]


def test_problems_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    """A person mends a file from its top."""
    found = complaints(tmp_path, main="[roles.build]\nx = 1\n[run]\ny = 1\n[roles.other]\n")
    assert [int(line.split(":")[1]) for line in found] == [2, 4, 5]


def test_a_flood_of_problems_is_counted(tmp_path: Path) -> None:
    """A message stays readable however much is wrong; nothing is lost from `problems`."""
    write(tmp_path, main="[run]\n" + "".join(f"x{n} = 1\n" for n in range(SHOWN_MAX + 5)))
    with pytest.raises(Misconfigured) as caught:
        load(tmp_path)
    assert len(caught.value.problems) == SHOWN_MAX + 5
    assert len(caught.value.hint.splitlines()) == SHOWN_MAX + 1
    assert caught.value.hint.endswith("and 5 more")


def test_an_error_is_harmless_to_a_terminal(tmp_path: Path) -> None:
    """G8-14: keys and values are repeated with their controls written out, and not at length."""
    text = f'[run]\n"k\\u001b]0;x" = 1\ntarget = "{"a " * 200}\\u202e"\n'
    text += '[env]\nallow = ["a\\u001b]0;x"]\n'
    found = complaints(tmp_path, main=text)
    assert all(line.isprintable() and len(line) < 300 for line in found)


GOOD = """\
[run]
target = "release/1.x"
width = 64
[land]
to = "main"
style = "squash"
[workspace]
root = "~/w"
setup = "make deps\\n"
env_files = [".env", "config/local.yml"]
caches = ["node_modules"]
[check]
command = "make test"
timeout_s = 0.5
reruns = 0
[roles.build]
agent = "my-agent2"
command = 'run < "$TIDEGATE_PROMPT"'
timeout_s = 60
[env]
allow = ["PATH", "LC_*", "_x"]
[limits]
fails_max = 1
[deadlines]
heartbeat_s = 10
[disk]
floor_bytes = 0
[tracker]
kind = "markdown"
path = "docs/issues"
"""


def test_every_section_reaches_its_place(tmp_path: Path) -> None:
    """What the file says is what the program works with, in settings, policy and roles."""
    found = loaded(tmp_path, main=GOOD).configuration
    settings, policy, role = found.settings, found.policy, found.roles["build"]
    assert (settings.run.target, settings.land.to, settings.land.style) == (
        "release/1.x",
        "main",
        "squash",
    )
    assert settings.workspace.env_files == (".env", "config/local.yml")
    assert settings.env.allow == ("PATH", "LC_*", "_x")
    assert (settings.tracker.path, settings.workspace.root) == ("docs/issues", "~/w")
    assert (role.agent, role.timeout_s) == ("my-agent2", 60.0)
    assert (policy.limits.width, policy.limits.check_reruns_max) == (64, 0)
    assert (policy.limits.disk_floor_bytes, policy.limits.fails_max) == (0, 1)
    assert (policy.deadlines.check_s, policy.deadlines.build_s) == (0.5, 60.0)
    assert policy.deadlines.lease_s == 30.0
