"""Which files of a repository a check is made of: the scripts and recipes that it runs.

Only what stands where a shell looks for a program counts, and what an interpreter or a build tool
is given to run, seen from the folder in which it runs. A file that a check merely looks at is what
is checked.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from tidegate.rules.interpreters import FAMILY, script
from tidegate.rules.prefixes import MODULES, PREFIXES, VALUED
from tidegate.rules.shell_words import Command, commands, joined, moved

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
    "golangci-lint": (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"),
    "rubocop": (".rubocop.yml",),
    "bmake": ("makefile", "Makefile"),
    "remake": ("GNUmakefile", "makefile", "Makefile"),
    "scons": ("SConstruct",),
    "waf": ("wscript",),
    "doit": ("dodo.py",),
    "ant": ("build.xml",),
    "meson": ("meson.build",),
    "mise": ("mise.toml", ".mise.toml"),
    "docker-compose": ("docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml"),
    "bazel": (".bazelrc",),
    "pants": ("pants.toml",),
    "tilt": ("Tiltfile",),
    "lefthook": ("lefthook.yml", ".lefthook.yml"),
    "lint-imports": (".importlinter",),
    "shellcheck": (".shellcheckrc",),
    "yamllint": (".yamllint", ".yamllint.yml", ".yamllint.yaml"),
    "biome": ("biome.json", "biome.jsonc"),
    "phpstan": ("phpstan.neon", "phpstan.neon.dist"),
    "psalm": ("psalm.xml",),
    "standardrb": (".standard.yml",),
    "detekt": ("detekt.yml",),
    "typos": ("typos.toml", "_typos.toml", ".typos.toml"),
    "codespell": (".codespellrc",),
    "docker": ("Dockerfile", "docker-compose.yml", "compose.yaml", "compose.yml"),
    "earthly": ("Earthfile",),
    "dagger": ("dagger.json",),
    "gradlew": ("gradlew", "gradle/wrapper/gradle-wrapper.properties"),
    "mvnw": ("mvnw", ".mvn/maven.config", ".mvn/jvm.config"),
}
_HERE_ONLY = frozenset({
    "docker", "gmake", "gradlew", "make", "mvnw", "ninja", "nox", "tox",
})  # fmt: skip
"""These read the recipe of their own folder; the others look for it further up, too."""
_FOLDER_OPTIONS = frozenset({
    "-C", "--chdir", "--cwd", "--dir", "--directory", "--prefix", "--project-directory",
    "--working-dir", "--working-directory",
})  # fmt: skip
_FILE_OPTIONS = frozenset({
    "-c", "-f", "--config", "--config-file", "--configfile", "--cov-config", "--file", "--justfile",
    "--makefile", "--noxfile", "--rcfile", "--taskfile",
})  # fmt: skip
_FILES_OF = {
    "bash": frozenset({"--init-file"}),
    "gradle": frozenset({"-I", "-b", "--init-script", "--build-file"}),
    "gradlew": frozenset({"-I", "-b", "--init-script", "--build-file"}),
    "jest": frozenset({"--setupFiles", "--setupFilesAfterEnv", "--globalSetup"}),
    "mocha": frozenset({"-r", "--require"}),
    "phpunit": frozenset({"--bootstrap"}),
    "rspec": frozenset({"-r", "--require", "-O", "--options"}),
    "ruby": frozenset({"-r"}),
    "node": frozenset({"-r", "--require", "--import", "--loader", "--experimental-loader"}),
    "tsc": frozenset({"-p", "--project"}),
}
"""What single tools are told to read, beside what most are."""
_FOLDERS_OF = {"just": frozenset({"-d"}), "task": frozenset({"-d"})}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_VARIABLE = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\}|(\w+))")
_PLACE = re.compile(
    r"""("?)\$(?:\{[^}\n]{1,99}\}|[A-Za-z_]\w*"""
    r"""|\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\)){1,200}\))("?)/"""
)
"""What leads a path whose begin only a shell can tell, as `"$(dirname "$0")/`."""
_SCRIPT = re.compile(r".+\.(?:py|sh|bash)")


def named_by(command: str, folder: str = "") -> tuple[str, ...]:
    """The paths, from the repository's root, of what a command runs. Some may not be there."""
    found: dict[str, None] = {}
    for each in commands(_VARIABLE.sub(_tool, _PLACE.sub(_here, command)), folder):
        found |= dict.fromkeys(_of_command(each))
    return tuple(found)


def _here(found: re.Match[str]) -> str:
    """A folder that only a shell can tell is taken for the one that a line is read from."""
    return "./" if found[1] and found[2] else f"{found[1]}./{found[2]}"


def _tool(variable: re.Match[str]) -> str:
    """A variable that is called after a tool stands for it, as `$(MAKE)` does."""
    name = (variable[1] or variable[2] or variable[3]).lower()
    return name if name in _RECIPES or FAMILY.fullmatch(name) else variable[0]


def _of_command(command: Command) -> Iterator[str]:
    words, folder, read = _unwrapped(command)
    yield from seen_from(command.folder, read)
    if words and " " in words[0]:  # a text for `eval`, `trap` or `env -S`
        yield from named_by(" ".join(words), folder)
    elif words:
        yield from _of_program(words, folder, command)


def _of_program(words: Sequence[str], folder: str, command: Command) -> Iterator[str]:
    program, arguments = words[0], words[1:]
    name = program.rpartition("/")[2]
    if "/" in program or _SCRIPT.fullmatch(program):
        yield from seen_from(folder, [program])
    is_interpreter = FAMILY.fullmatch(name) is not None
    place = folder if is_interpreter else _place_of(name, arguments, folder)
    yield from _recipes(program, place)
    yield from seen_from(place, _files_given(name, arguments))
    if is_interpreter:
        yield from _interpreted(name, arguments, folder, command)


def _interpreted(
    name: str, arguments: Sequence[str], folder: str, command: Command
) -> Iterator[str]:
    run = script(name, arguments)
    yield from named_by(run.text, folder) if run.text else ()
    yield from seen_from(folder, run.paths)
    if run.module and run.module[0] in MODULES and len(run.module) <= MODULE_WORDS_MAX:
        yield from _of_command(replace(command, words=run.module, folder=folder))
    elif run.module and FAMILY.fullmatch(run.module[0]) is None:
        yield from _of_program(run.module, folder, command)
    if run.reads_input:
        yield from seen_from(command.folder, command.inputs)


@dataclass(slots=True)
class _Lead:
    """What stands before a program: the folder that it leads to, and the files that it reads."""

    rest: deque[str]
    folder: str
    prefix: str = ""
    read: list[str] = field(default_factory=list)


def _unwrapped(command: Command) -> tuple[Sequence[str], str, Sequence[str]]:
    """A command without what stands before its program; its folder, and what was read so far."""
    lead = _Lead(deque(command.words), command.folder)
    while lead.rest:
        word = lead.rest.popleft()
        word = word if lead.prefix else word.lstrip("@-+")
        if (name := word.rpartition("/")[2]) in PREFIXES:
            is_inner = name in ("run", "exec") and lead.prefix
            lead.prefix = lead.prefix if is_inner else name
        elif lead.prefix and word in ("-m", "--module"):
            return ("python", "-m", *lead.rest), lead.folder, lead.read
        elif lead.prefix and word.startswith("-"):
            _take_option(lead, word)
        elif word and not _ASSIGNMENT.fullmatch(word) and not _DURATION.fullmatch(word):
            return (word, *lead.rest), lead.folder, lead.read
    return (), lead.folder, lead.read


def _take_option(lead: _Lead, word: str) -> None:
    option, sign, value = word.partition("=")
    if option in VALUED.get(lead.prefix, ()) and not sign:
        value = lead.rest.popleft() if lead.rest else ""
    if option in _FOLDER_OPTIONS:
        lead.folder = moved(lead.folder, value)
    elif option in ("-S", "--split-string"):
        lead.rest.extendleft(reversed(value.split()))
    elif option in _FILE_OPTIONS:
        lead.read.append(value)


def _options(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option with what may be its value: the next word, or what stands in the same."""
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        option, sign, value = word.partition("=")
        if word.startswith("--"):
            yield (option, value) if sign else (word, following)
        elif word.startswith("-"):
            yield word[:2], word[2:].removeprefix("=") or following
            if len(word) > len("-c"):  # several letters in one, of which the last has a value
                yield f"-{word[-1]}", following


def _place_of(name: str, arguments: Sequence[str], folder: str) -> str:
    """The folder in which a tool works, by its own options."""
    wanted = _FOLDER_OPTIONS | _FOLDERS_OF.get(name, frozenset())
    for option, value in _options(arguments):
        folder = moved(folder, value) if option in wanted else folder
    return folder


def _files_given(name: str, arguments: Sequence[str]) -> Iterator[str]:
    """What a tool is told to read instead of the usual file."""
    wanted = _FILE_OPTIONS | _FILES_OF.get(name, frozenset())
    return (value for option, value in _options(arguments) if option in wanted)


def _recipes(program: str, folder: str) -> Iterator[str]:
    """What a tool reads by itself: in its folder, and for most of them in those above."""
    place, _, name = program.rpartition("/")
    recipes = _RECIPES.get(name, ())
    if name in ("gradlew", "mvnw"):  # these look beside themselves
        folder = moved(folder, place) if place else folder
    while recipes:
        yield from seen_from(folder, recipes)
        if name in _HERE_ONLY or not folder:
            return
        folder = folder.rpartition("/")[0]


def seen_from(folder: str, paths: Sequence[str] | Iterator[str]) -> Iterator[str]:
    """Paths as git has them; nothing of what lies elsewhere or only a shell can tell."""
    return (found for path in paths if (found := joined(folder, path)))


def called_by(text: str, folder: str = "") -> tuple[str, ...]:
    """The files that a script or a recipe runs, line by line, as `named_by` tells them.

    It runs in a folder, and a line may change it for those behind. Where that is not certain, both
    are named: what is not there is nobody's.
    """
    found: dict[str, None] = {}
    here = folder
    for line in text[:TEXT_CHARACTERS_MAX].replace("\\\n", " ").splitlines():
        _, colon, after = line.partition(": ")  # a value of YAML or JSON, where it is one
        for said in (line.strip(), after.strip().strip('",') if colon else ""):
            for place in dict.fromkeys((folder, here)):
                found |= dict.fromkeys(named_by(said, place))
        if not line.startswith("\t"):  # each line of a recipe begins where the recipe does
            here = _left_in(line.strip(), here)
    return tuple(found)


def _left_in(line: str, folder: str) -> str:
    """The folder in which a line leaves the next one."""
    if "cd" not in line and "popd" not in line and "pushd" not in line:
        return folder
    *_, last = (folder, *(each.folder for each in commands(f"{line}\n:", folder)))
    return last


TEXT_CHARACTERS_MAX = 200_000
MODULE_WORDS_MAX = 64
"""Of a longer command nobody means it, and modules that run modules would be followed too far."""
