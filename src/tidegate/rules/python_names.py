"""What Python's syntax tree says of names: which are bound, which are used, and what is dangerous.

All of it is about text. Nothing is imported or run.
"""

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef

SKIPPING = frozenset(
    {"skip", "skipif", "skipIf", "skipUnless", "skipTest", "SkipTest", "importorskip"}
)
FAILING = frozenset({"xfail", "expectedFailure"})
ENDING = frozenset({"_exit", "abort", "shouldfail", "shouldstop"})
"""What ends the whole run at once, whatever the tests after it would have said."""
_LEAVING = frozenset({"exit", "quit", "SystemExit", "KeyboardInterrupt"})
_REACHING = frozenset({
    "__import__", "__builtins__", "__class__", "__code__", "__dict__", "__globals__",
    "delattr", "eval", "exec", "globals", "locals", "patch", "setattr", "setitem", "vars",
})  # fmt: skip
"""What can change how other code behaves."""
DANGEROUS = SKIPPING | FAILING | ENDING | _LEAVING | _REACHING

Statements = list[ast.stmt]


def mentioned(node: ast.AST) -> Iterator[str]:
    """Every plain or dotted name's last part that stands in a tree."""
    for each in ast.walk(node):
        match each:
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                yield "__import__"  # to change what is imported comes to the same
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name


def mentions(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether one of the names stands anywhere in a tree."""
    return any(name in names for name in mentioned(node))


def used(node: ast.AST) -> Iterator[str]:
    """Every name that code in a tree relies on: read, dotted, or asked for as a fixture."""
    yield from mentioned(node)
    for each in ast.walk(node):
        match each:
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                yield name  # usefixtures("name"), getfixturevalue("name")


def bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds where it stands; not those within functions and classes."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        match node := waiting.pop():
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
                continue
            case ast.ClassDef(name=name):
                yield name
                continue
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
        waiting.extend(ast.iter_child_nodes(node))


def leaf(node: ast.expr) -> str:
    """The last part of a name or of what is called: `skip` for `pytest.mark.skip(reason=…)`."""
    while isinstance(node, ast.Call):
        node = node.func
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text that nothing reads; one with examples may be run."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return ">>>" not in text
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return True
    return False


def said(node: ast.AST) -> str:
    """A tree as text: alike for code that means the same, whatever its layout."""
    return ast.dump(node)


def is_subsequence(old: list[str], new: list[str]) -> bool:
    """Whether all of `old` stands in `new`, in its order."""
    rest = iter(new)
    return all(each in rest for each in old)
