"""Which files of a repository a check is made of: the scripts and recipes that it runs.

Only what stands where a shell looks for a program counts, and what an interpreter or a build tool
is given to run. A file that a check merely looks at is what is checked.
"""

import re
import shlex
from collections.abc import Iterator
from itertools import dropwhile, pairwise

_RECIPES: dict[str, tuple[str, ...]] = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml"),
    "nox": ("noxfile.py",),
    "tox": ("tox.ini", "tox.toml"),
    "invoke": ("tasks.py",),
    "inv": ("tasks.py",),
    "rake": ("Rakefile", "rakefile"),
    "fab": ("fabfile.py",),
    "ninja": ("build.ninja",),
    "mage": ("magefile.go",),
    "grunt": ("Gruntfile.js",),
    "gulp": ("gulpfile.js",),
    "ruff": ("ruff.toml", ".ruff.toml"),
    "mypy": ("mypy.ini", ".mypy.ini"),
    "flake8": (".flake8",),
    "pylint": (".pylintrc", "pylintrc"),
    "pyright": ("pyrightconfig.json",),
    "pre-commit": (".pre-commit-config.yaml",),
    "eslint": ("eslint.config.js", "eslint.config.mjs", ".eslintrc.json", ".eslintrc.js"),
    "tsc": ("tsconfig.json",),
    "golangci-lint": (".golangci.yml", ".golangci.yaml"),
    "rubocop": (".rubocop.yml",),
    "docker": ("Dockerfile",),
    "earthly": ("Earthfile",),
    "dagger": ("dagger.json",),
    "gradlew": ("gradlew", "gradle/wrapper/gradle-wrapper.properties"),
    "mvnw": ("mvnw", ".mvn/maven.config", ".mvn/jvm.config"),
}
_INTERPRETERS = re.compile(
    r"(?:sh|bash|dash|zsh|ksh|python|pypy|node|deno|bun|tsx|perl|ruby|php|source|\.)[\d.]*"
)
_PREFIXES = frozenset({
    "!", "command", "do", "else", "env", "exec", "if", "nice", "npx", "pipenv", "poetry", "run",
    "sudo", "then", "time", "timeout", "uv", "xvfb-run",
})  # fmt: skip
_FILE_OPTIONS = frozenset({
    "-C", "-c", "-f", "--config", "--config-file", "--file", "--justfile", "--makefile", "--rcfile",
})  # fmt: skip
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")
_SEPARATORS = ";&|()`\n"
_PLAIN = re.compile(r"[\w./+-]+")


def named_by(command: str) -> tuple[str, ...]:
    """The paths, from the repository's root, of what a command runs. Some may not be there."""
    found: dict[str, None] = {}
    for words in _simple_commands(command):
        found |= dict.fromkeys(map(_normal, _of_simple_command(words)))
    return tuple(path for path in found if path)


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The words of each command that a shell would run by itself, as far as can be told."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set(_SEPARATORS):
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:  # a quotation that nothing closes
        return
    yield words


def _of_simple_command(words: list[str]) -> Iterator[str]:
    words = list(dropwhile(_is_before_program, words))
    if not words:
        return
    program, arguments = words[0].lstrip("@-+"), words[1:]
    name = program.rpartition("/")[2]
    if "/" in program:
        yield program
    yield from _RECIPES.get(name, ())
    yield from _files_given(arguments)
    if _INTERPRETERS.fullmatch(name):
        yield from _run_by_interpreter(arguments)


def _is_before_program(word: str) -> bool:
    is_prefix = word.lstrip("@-+") in _PREFIXES or word[:1] in ("-", "")
    return is_prefix or word.isdigit() or _ASSIGNMENT.fullmatch(word) is not None


def _files_given(arguments: list[str]) -> Iterator[str]:
    """What a build tool is told to read instead of the usual file."""
    for option, value in pairwise(arguments):
        if option in _FILE_OPTIONS:
            yield value


def _run_by_interpreter(arguments: list[str]) -> Iterator[str]:
    rest = iter(arguments)
    for word in rest:
        if word == "-m":
            module = next(rest, "").replace(".", "/")
            yield from (f"{module}.py", f"{module}/__main__.py")
            return
        if word == "-c":
            yield from named_by(next(rest, "")) if len(arguments) > 1 else ()
            return
        if not word.startswith("-"):
            yield word
            return


def _normal(path: str) -> str:
    """A path as git has it; nothing for what lies elsewhere or only a shell can tell."""
    names = [name for name in path.split("/") if name not in ("", ".")]
    if path.startswith("/") or ".." in names or not _PLAIN.fullmatch(path):
        return ""
    return "/".join(names)


def called_by(text: str) -> tuple[str, ...]:
    """The files that a script or a recipe runs, line by line, as `named_by` tells them."""
    found: dict[str, None] = {}
    for line in text[:TEXT_CHARACTERS_MAX].splitlines():
        _, colon, after = line.partition(": ")  # a value of YAML or JSON, where it is one
        found |= dict.fromkeys(named_by(line.strip()))
        if colon:
            found |= dict.fromkeys(named_by(after.strip().strip('",')))
    return tuple(found)


TEXT_CHARACTERS_MAX = 200_000
