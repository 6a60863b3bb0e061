"""What an interpreter is given to run: a file, a module, a text, or what comes as its input."""

import re
from collections import deque
from collections.abc import Sequence

from tidegate.core.records import record

FAMILY = re.compile(
    r"(sh|ash|bash|dash|zsh|ksh|python|pypy|node|deno|bun|tsx|ts-node|perl|ruby|php|lua|fish|pwsh|Rscript|expect|bats|source|\.)[\d.]*"
)
_SHELLS = frozenset({"sh", "ash", "bash", "dash", "zsh", "ksh"})
_PYTHONS = frozenset({"python", "pypy"})
_SHELL_VALUED = frozenset({"--init-file", "--rcfile", "-O", "-o", "+O", "+o"})
_PYTHON_VALUED = frozenset({"--check-hash-based-pycs", "-W", "-X"})
_VALUED = {
    "node": frozenset({
        "--conditions", "--env-file", "--eval", "--experimental-loader", "--import", "--input-type",
        "--loader", "--print", "--require", "--test-name-pattern", "--test-reporter", "-C", "-e",
        "-p", "-r",
    }),
    "perl": frozenset({"-E", "-I", "-e"}),
    "php": frozenset({"-c", "-d", "-r", "-z"}),
    "pypy": _PYTHON_VALUED,
    "python": _PYTHON_VALUED,
    "ruby": frozenset({"-C", "-E", "-I", "-e", "-r"}),
    "deno": frozenset({"--config", "--import-map", "-c"}),
    **dict.fromkeys(_SHELLS, _SHELL_VALUED),
}  # fmt: skip
"""Options whose value is the next word. What is in no list stands alone."""
_MODULE = re.compile(r"-[bBdEhiIOPqsSuvVx]*m(.*)")
_CODE = re.compile(r"-[bBdEhiIOPqsSuvVx]*c.*")


@record(kw_only=False)
class Script:
    """What is run: files, a shell's own text, or a module with its arguments."""

    paths: tuple[str, ...] = ()
    text: str = ""
    module: tuple[str, ...] = ()
    reads_input: bool = False
    """Nothing else is given, so it runs what it reads."""


def script(name: str, arguments: Sequence[str]) -> Script:
    """What an interpreter of this name runs with these arguments."""
    match = FAMILY.fullmatch(name)
    family = match[1] if match is not None else name
    if family in _PYTHONS:
        return _of_python(family, arguments)
    words, is_text = deque(arguments), False
    while words:
        word = words.popleft()
        is_option = word[:1] in ("-", "+") and family not in ("source", ".")
        if not is_option and not (family in ("deno", "bun") and word in ("run", "test")):
            return Script(text=word) if is_text else Script((word,))
        is_cluster = family in _SHELLS and is_option and not word.startswith("--")
        is_text = is_text or (is_cluster and word[0] == "-" and "c" in word)
        if is_cluster and not is_text and "s" in word:
            break
        if word in _VALUED.get(family, ()) or (is_cluster and word[-1] in "oO"):
            _skip(words)
    return Script(reads_input=True)


def _of_python(family: str, arguments: Sequence[str]) -> Script:
    words = deque(arguments)
    while words:
        word = words.popleft()
        if word in _VALUED[family]:
            _skip(words)
        elif (found := _MODULE.fullmatch(word)) is not None:
            module = found[1] or _skip(words)
            place = module.replace(".", "/")
            return Script((f"{place}.py", f"{place}/__main__.py"), module=(module, *words))
        elif _CODE.fullmatch(word):
            return Script()
        elif not word.startswith("-"):
            is_folder = "." not in word.rpartition("/")[2]
            return Script((word, f"{word}/__main__.py") if is_folder else (word,))
    return Script(reads_input=True)


def _skip(words: deque[str]) -> str:
    """Take the value of an option, which may be missing."""
    return words.popleft() if words else ""
