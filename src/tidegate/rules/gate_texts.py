"""What the files of a check run and take in, told by their texts: scripts, recipes, manifests.

A script may load what lies beside it, as a part of itself. That counts only in folders that hold
scripts: what a check imports from elsewhere is what is checked.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator

from tidegate.rules.gate_files import called_by, named_by, seen_from
from tidegate.rules.python_module import said_name

MANIFESTS = ("package.json", "composer.json")
"""They tell what the scripts of a check are, and are no part of it but for these."""
_SCRIPT_OF_CHECKS = re.compile(r"(?:pre|post)?(?:test|check|ci|lint|verify|validate|cover)[\w:.-]*")
_OF_SCRIPTS = re.compile(
    r"(?:.*/)?(?:scripts?|tools?|ci|bin|hack|dev|etc|checks?|qa|make|mk|\.[^/]+)/.+"
)
_INCLUDED = re.compile(
    r"""(?mx)^[ \t]*(?:
        [-s]?include[ \t]+(?P<make>[^#\n]+)
        | (?:import|mod)\??[ \t]+(?:\w+[ \t]+)?['"](?P<just>[^'"\n]+)['"][ \t]*$
        | (?:load|apply[ \t]from:)[ \t]*['"](?P<load>[^'"\n]+)['"]
        | .*\btaskfile:[ \t]*['"]?(?P<task>[\w./-]+)
    )"""
)
_RUN = re.compile(r"(?m)^[ \t]*(?:RUN|commands\w*[ \t]*=)[ \t]+(.+)$")
_NEAR = re.compile(r"""\b(?:require|from|import|require_relative)\b[ \t(]*['"]([\w./-]+)['"]""")
_LOADED = ("", ".js", ".mjs", ".cjs", ".ts", ".rb", "/index.js")
_SCRIPT = re.compile(r".+\.[cm]?[jt]s")
_SPAWNED = re.compile(
    r"""\b(?:exec|spawn|fork)\w*\(\s*['"`]([^'"`\n]+)['"`](?:\s*,\s*\[([^\]]{0,500})\])?"""
)
_PROGRAM = re.compile(r"[\w-]+")
_RUNNING = frozenset({
    "Popen", "call", "check_call", "check_output", "getoutput", "popen", "run", "system",
})  # fmt: skip
WORDS_MAX = 200
"""Of a longer list in a script nobody means a command."""


def called(path: str, text: str) -> Iterator[str]:
    """What a file of the check runs: seen from the root, or from the folder of the file."""
    folder, _, name = path.rpartition("/")
    if name in MANIFESTS:
        yield from _of_manifest(text, folder)
        return
    tree = _tree(text) if name.endswith(".py") else None
    lines = _run_by_script(text) if _SCRIPT.fullmatch(name) else _RUN.sub(r"\1", text)
    for place in dict.fromkeys(("", folder)):
        yield from () if tree else called_by(lines, place)
        for found in _INCLUDED.finditer(text):
            yield from seen_from(place, (found[found.lastgroup or 0]).split())
    if tree:
        yield from _of_python(tree, folder)
    elif _OF_SCRIPTS.fullmatch(path):
        near = (f"{each}{ending}" for each in _NEAR.findall(text) for ending in _LOADED)
        yield from filter(_OF_SCRIPTS.fullmatch, seen_from(folder, near))


def _run_by_script(text: str) -> str:
    """The commands that a script of JavaScript runs, one a line."""
    return "\n".join(
        " ".join((program, *re.findall(r"[^'\"`,\s]+", words)))
        for program, words in _SPAWNED.findall(text)
    )


def _tree(text: str) -> ast.Module | None:
    """Python as a syntax tree; None where it is none that this version knows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _of_manifest(text: str, folder: str) -> Iterator[str]:
    try:
        scripts = json.loads(text)["scripts"].items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return
    for name, command in scripts:
        if _SCRIPT_OF_CHECKS.fullmatch(name) and isinstance(command, str):
            yield from named_by(command, folder)


def _of_python(tree: ast.Module, folder: str) -> Iterator[str]:
    for node in ast.walk(tree):
        for place in dict.fromkeys(("", folder)):
            for command in _commands(node):
                yield from named_by(command, place)
            modules = seen_from(place, _modules(node, "" if place else folder))
            yield from filter(_OF_SCRIPTS.fullmatch, modules)


def _commands(node: ast.AST) -> Iterator[str]:
    """What may be a command: the words of a list or of a call, or what is given to be run.

    A list of paths is none: its first word has to be the name of a program, or it has to be run.
    """
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=str(line))]) if _runs(function):
            yield line
        case ast.Call(func=function, args=[ast.List(elts=words), *_]) if _runs(function):
            yield _joined(words)
        case ast.List(elts=words) | ast.Tuple(elts=words) | ast.Call(args=words):
            if words and _PROGRAM.fullmatch(_word(words[0])):
                yield _joined(words)


def _runs(function: ast.expr) -> bool:
    return isinstance(function, ast.Name | ast.Attribute) and said_name(function) in _RUNNING


def _joined(words: list[ast.expr]) -> str:
    return " ".join(map(_word, words[:WORDS_MAX]))


def _word(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(word)) if word and not set(word) & set(" \n'\"();&|`$<>"):
            return word
        case ast.Attribute(attr="executable"):
            return "python"
    return "''"


def _modules(node: ast.AST, folder: str) -> Iterator[str]:
    """The files that an import may mean; `folder` is where dots lead from."""
    names: list[str] = []
    match node:
        case ast.Import(names=aliases):
            names = [alias.name for alias in aliases]
        case ast.ImportFrom(module=module, names=aliases, level=level):
            above = folder.split("/")[: len(folder.split("/")) - level + 1] if level else []
            start = ".".join([*above, *([module] if module else [])])
            names = [start, *(f"{start}.{alias.name}" for alias in aliases)]
    for name in filter(None, names):
        place = name.replace(".", "/")
        yield from (f"{place}.py", f"{place}/__init__.py")
