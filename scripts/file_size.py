"""Fail when a Python file or a function has grown past what one can read in one go.

    python3 scripts/file_size.py

Run it at the top of the project. A function's length is counted in lines, from its `def` to its
end, without its docstring: words of explanation are never the reason to split one.
"""

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 50

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files() -> Iterable[Path]:
    """Every Python file of the project, new ones included, ignored ones not."""
    argv = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.py")
    listed = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    return (Path(name) for name in sorted(listed.split("\0")) if name and Path(name).exists())


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function of a module, methods and inner ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(function: Function) -> int:
    """How many lines a function has, its docstring left out."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None:
        return lines
    return lines - ((first.end_lineno or first.lineno) - first.lineno + 1)


def main() -> int:
    """Print what is too long and, at the end, how long functions are; 1 where something is."""
    complaints: list[str] = []
    lengths: list[int] = []
    for path in python_files():
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > FILE_LINES_MAX:
            complaints.append(f"{path}: {lines} lines, at most {FILE_LINES_MAX}: split it")
        for function in functions(ast.parse(text)):
            lengths.append(length(function))
            if lengths[-1] > FUNCTION_LINES_MAX:
                place = f"{path}:{function.lineno}: {function.name}()"
                complaints.append(f"{place}: {lengths[-1]} lines, at most {FUNCTION_LINES_MAX}")
    print("\n".join([*complaints, _summary(lengths)]))
    return 1 if complaints else 0


def _summary(lengths: list[int]) -> str:
    if not lengths:
        return "no function found"
    median = statistics.median(lengths)
    return f"{len(lengths)} functions, median {median:g} lines, longest {max(lengths)}"


if __name__ == "__main__":
    sys.exit(main())
