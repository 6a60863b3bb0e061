"""The one place that runs git.

Git obeys its environment and its configuration before its arguments, and both may come from
somebody else: from the hook that started us, or from an agent. So every variable of git's is
dropped and only ours are set; no hook, monitor, external diff, editor, pager or prompt can run;
every call has a time limit. Nothing here reads the words of git to decide anything.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tidegate.git import child
from tidegate.git.errors import GitFailed, GitMissing, GitTimedOut

QUICK_S = 60.0
"""For a call that reads or writes a few objects. It takes milliseconds when nothing is wrong."""
LONG_S = 1800.0
"""For a call whose work grows with the repository: a clone, a checkout, a repack."""
STDERR_BYTES_MAX = 16 * 1024
"""How much of git's error output an error carries: its beginning, where the first cause is."""

SHA1_LENGTH = 40
"""How many digits name an object; of the other format, sha256, it is 64."""

NOWHERE = os.devnull

Settings = tuple[tuple[str, str], ...]

_HARDENED: Settings = (
    ("core.hooksPath", NOWHERE),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.prune", "false"),
    ("fetch.fsckObjects", "false"),
    ("transfer.fsckObjects", "false"),
    ("protocol.version", "2"),
    ("protocol.ext.allow", "never"),
    # What is fetched from a path is named by us, whatever the user forbids for addresses.
    ("protocol.file.allow", "always"),
    ("i18n.commitEncoding", "UTF-8"),
)

_OURS: Settings = (
    *_HARDENED,
    ("core.excludesFile", NOWHERE),
    ("core.attributesFile", NOWHERE),
    ("core.autocrlf", "false"),
    ("core.fileMode", "true"),
    ("core.symlinks", "true"),
    ("core.ignoreCase", "false"),
    ("core.precomposeUnicode", "false"),
    # Without these two a power cut leaves empty objects, which git later takes for whole ones.
    ("core.fsync", "all"),
    ("core.fsyncMethod", "batch"),
    ("protocol.allow", "never"),
    ("credential.helper", ""),
)

_SILENT: dict[str, str] = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
    "GIT_NO_REPLACE_OBJECTS": "1",
}

_NOBODY_ELSES: dict[str, str] = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": NOWHERE,
    "GIT_ATTR_NOSYSTEM": "1",
    # Newer gits: what a partial clone lacks is fetched by us beforehand, or missed.
    "GIT_NO_LAZY_FETCH": "1",
}


INDEX_LATER = ("core.fsync", "committed,derived-metadata,reference")
"""For an index that is written several times or made anew. Git takes `all,-index` for all."""


class Result(NamedTuple):
    """What git said. `code` is one of the exit codes that the caller called fine."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """The output as one line of text."""
        return os.fsdecode(self.stdout).strip()

    @property
    def items(self) -> list[bytes]:
        """The NUL-terminated items of a call with ``-z``."""
        return self.stdout.split(b"\0")[:-1]


class Git(NamedTuple):
    """Git with its settings fixed: which repository, and whose configuration counts.

    `trusts_user` tells whether the system's and the user's own configuration is read: yes for the
    user's repository (their filters, their ``safe.directory``), never for the hub and workspaces,
    where nothing but `settings` may change what git does.
    """

    trusts_user: bool
    git_dir: str | None = None
    work_tree: str | None = None
    cwd: str | None = None
    index_file: str | None = None
    object_dir: str | None = None
    alternates: tuple[str, ...] = ()
    settings: Settings = ()
    variables: Settings = ()
    timeout_s: float = QUICK_S
    keep_open: tuple[int, ...] = ()

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        stdin_path: str | None = None,
        stdout_path: str | None = None,
        ok_codes: Sequence[int] = (0,),
    ) -> Result:
        """Run ``git ARGS`` and return what it said; the paths are files to use instead of memory.

        Raises GitFailed for an exit code outside `ok_codes`, GitTimedOut, GitMissing.
        """
        argv = ("git", *args)
        cwd = self.cwd or self.work_tree or self.git_dir
        streams = child.Streams(
            stdin=stdin, stdin_path=stdin_path, stdout_path=stdout_path, keep_open=self.keep_open
        )
        env = self.environment(os.environ)
        try:
            ended = child.run(argv, env=env, cwd=cwd, streams=streams, timeout_s=self.timeout_s)
        except FileNotFoundError as error:
            raise _not_started(error, cwd) from error
        stderr = ended.stderr[:STDERR_BYTES_MAX].decode("utf-8", "backslashreplace")
        if ended.timed_out:
            raise GitTimedOut(argv, limit_s=self.timeout_s, stderr=stderr)
        if ended.code not in ok_codes:
            raise GitFailed(argv, returncode=ended.code, stderr=stderr)
        return Result(ended.code, ended.stdout, ended.stderr)

    def succeeds(self, *args: str) -> bool:
        """Run a question that git answers by exit code 0 (yes) or 1 (no)."""
        return self.run(*args, ok_codes=(0, 1)).code == 0

    def within(self, timeout_s: float) -> "Git":
        """Return the same git with another time limit."""
        return self._replace(timeout_s=timeout_s)

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the whole environment of a call made from `inherited`."""
        env = scrubbed(inherited) | _SILENT
        settings = (_HARDENED if self.trusts_user else _OURS) + self.settings
        if not self.trusts_user:
            env |= _NOBODY_ELSES
        for variable, value in (
            ("GIT_DIR", self.git_dir),
            ("GIT_WORK_TREE", self.work_tree),
            ("GIT_INDEX_FILE", self.index_file),
            ("GIT_OBJECT_DIRECTORY", self.object_dir),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", _joined(self.alternates)),
            *self.variables,
        ):
            if value:
                env[variable] = value
        return env | _as_variables(settings)


def scrubbed(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without any variable of git's: for our git, set-up and agents."""
    return {name: value for name, value in inherited.items() if not name.startswith("GIT_")}


def _as_variables(settings: Settings) -> dict[str, str]:
    """Settings as variables, not as ``-c``: the argv in an error message stays readable."""
    env = {"GIT_CONFIG_COUNT": str(len(settings))}
    for index, (key, value) in enumerate(settings):
        env[f"GIT_CONFIG_KEY_{index}"] = key
        env[f"GIT_CONFIG_VALUE_{index}"] = value
    return env


def _joined(directories: Sequence[str]) -> str:
    """Join object directories as git reads them: quoted where a path holds the separator."""
    return ":".join(_quoted(directory) for directory in directories)


def _quoted(directory: str) -> str:
    if ":" not in directory and not directory.startswith('"'):
        return directory
    escaped = directory.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _not_started(error: FileNotFoundError, cwd: str | None) -> Exception:
    if cwd is not None and error.filename == cwd:
        return error
    return GitMissing("git is not installed, or not on the PATH", hint="install git 2.38 or newer")
