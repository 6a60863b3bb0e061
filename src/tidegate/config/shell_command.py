"""What can be told of a shell command before a shell runs it: which program it begins with."""

import os
import re
import shlex
from itertools import takewhile
from pathlib import Path


def missing_program(command: str, path: str) -> str | None:
    """Why the first program of a shell command cannot be run, where that can be told.

    A word that holds shell syntax is left to the shell: this check may stay silent, never wrong.
    """
    program = next(iter(words(command)), "")
    if command.lstrip().startswith("PATH=") or " PATH=" in command:
        return None
    if not program or _SHELL_MARKS.intersection(program) or program in _BUILTINS:
        return None
    if program.startswith("/"):
        return _unusable(program)
    # A relative path is one of the workspace, which is not there yet.
    if "/" in program or any(_is_runnable(Path(place, program)) for place in path.split(":")):
        return None
    return f"{program!r} is not on PATH ({path})"


def _is_runnable(path: Path) -> bool:
    return os.access(path, os.X_OK) and not path.is_dir()


def script_of(command: str) -> str | None:
    """The file of the workspace that a command runs: its program, or what it has interpreted."""
    program, *arguments = words(command) or [""]
    script = program if "/" in program else ""
    if program.rpartition("/")[2].rstrip("0123456789.") in _INTERPRETERS:
        script = next(iter(arguments), "")  # after an option it may be anything
    is_plain = bool(script) and not _SHELL_MARKS.intersection(script)
    return script if is_plain and script[0] not in "/-" else None


def words(command: str) -> list[str]:
    """The words of a shell command from its program on; none where only a shell can tell."""
    try:
        every = shlex.split(command)
    except ValueError:
        return []
    assigned = list(takewhile(_ASSIGNMENT.match, every))
    # A value such as `$(date -u)` or `1;cd` goes on in the next words, or ends before itself.
    is_told = not any(_GROUPS.intersection(word.removesuffix(";")) for word in assigned)
    return every[len(assigned) :] if is_told else []


def _unusable(program: str) -> str | None:
    if _is_runnable(Path(program)):
        return None
    what = "cannot be run" if os.path.lexists(program) else "is not there"
    return f"the program {program} {what}"


_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_SHELL_MARKS = frozenset("$`(){}[]*?<>|&;!~#\n")
_GROUPS = frozenset("`(){}<>|&;")


_INTERPRETERS = frozenset({"sh", "bash", "dash", "zsh", "python", "node", "perl", "ruby"})

_BUILTINS = frozenset({
    ".", ":", "[", "alias", "break", "case", "cd", "command", "continue", "echo", "eval", "exec",
    "exit", "export", "false", "for", "getopts", "hash", "if", "kill", "local", "printf", "pwd",
    "read", "readonly", "return", "set", "shift", "test", "times", "trap", "true", "type", "ulimit",
    "umask", "unalias", "unset", "until", "wait", "while",
    "builtin", "declare", "enable", "let", "mapfile", "popd", "pushd", "shopt", "source", "typeset",
})  # fmt: skip
