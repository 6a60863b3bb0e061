"""A file of Python tests as data: its tests, its classes, its imports, and what they stand on."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tidegate.core.records import record
from tidegate.rules.python_names import Function, bound, is_docstring, said, used

_CASES = ("TestCase", "Tests", "Test", "Suite", "Mixin")


@record(kw_only=False)
class Test:
    """One test as it is collected. `name` has its classes before it, `guards` what must hold."""

    name: str
    node: Function
    guards: tuple[str, ...]
    source: str


@record(kw_only=False)
class Item:
    """A statement that is no test, with the class and the conditions that it stands under."""

    scope: str
    node: ast.stmt
    guards: tuple[str, ...]
    source: str

    @property
    def text(self) -> str:
        """What it is compared by where its source differs."""
        return f"{self.scope}|{self.guards}|{said(self.node)}"


@dataclass(slots=True)
class Module:
    """What a file holds. Where a name is bound twice, the later one counts, as in Python."""

    tests: dict[str, Test] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    """Each bound name with where it comes from."""
    items: list[Item] = field(default_factory=list)
    tree: ast.Module = field(default_factory=lambda: ast.Module([], []))
    _names: frozenset[str] | None = None

    @property
    def names(self) -> frozenset[str]:
        """All that is bound or used anywhere in the file, worked out when it is asked for."""
        if self._names is None:
            self._names = frozenset(_names(self.tree))
        return self._names

    def definitions(self, name: str) -> list[Item]:
        """The statements at the top that bind a name."""
        return [item for item in self.items if not item.scope and name in bound(item.node)]


EMPTY = Module()


def read(text: str, path: str) -> Module | None:
    """Read a file's text; None where it is no Python that this version knows."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # lines are counted as the parser does
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = Module(tree=ast.parse(text))
        place = _Place(tuple(text.split("\n")), path.split("/")[:-1])
        _collect(module, module.tree.body, place)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return module


@record(kw_only=False)
class _Place:
    """Where statements stand: in which lines and folder, within what."""

    lines: tuple[str, ...]
    folder: list[str]
    scope: str = ""
    guards: tuple[str, ...] = ()

    def source(self, node: ast.stmt) -> str:
        """The lines of a statement, its decorators included."""
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        return "\n".join(self.lines[first - 1 : node.end_lineno])


def _names(tree: ast.Module) -> Iterator[str]:
    yield from used(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            yield from bound(node)


def _collect(module: Module, body: list[ast.stmt], place: _Place) -> None:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom() if not place.scope and not place.guards:
                module.imports.update(origins(node, place.folder))
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test"):
                name = f"{place.scope}{node.name}"
                module.tests[name] = Test(name, node, place.guards, place.source(node))
            case ast.ClassDef() if holds_tests(node):
                _enter(module, node, place)
            case ast.If() | ast.Try() | ast.With() if _has_tests_below(node):
                for guard, branch in _branches(node):
                    _collect(module, branch, replace(place, guards=(*place.guards, guard)))
            case _ if not is_docstring(node):
                module.items.append(Item(place.scope, node, place.guards, place.source(node)))


def _enter(module: Module, node: ast.ClassDef, place: _Place) -> None:
    name = f"{place.scope}{node.name}"
    if name in module.classes:
        _forget(module, f"{name}.")
    module.classes[name] = node
    _collect(module, node.body, replace(place, scope=f"{name}."))


def _forget(module: Module, scope: str) -> None:
    """Drop what a class held that another one of its name takes the place of."""
    for name in [name for name in module.tests if name.startswith(scope)]:
        del module.tests[name]
    module.items[:] = [item for item in module.items if not item.scope.startswith(scope)]


def origins(node: ast.Import | ast.ImportFrom, folder: list[str]) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with the full name of what it is."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name, alias.name
        return
    above = folder[: len(folder) - node.level + 1] if node.level else []
    source = ".".join([*above, node.module or ""]).strip(".")
    for alias in node.names:
        name = f"* from {source}" if alias.name == "*" else alias.asname or alias.name
        yield name, f"{source}:{alias.name}"


def holds_tests(node: ast.ClassDef) -> bool:
    """Whether a runner would look for tests in a class."""
    if node.name.startswith("Test") or any(
        isinstance(base, ast.Name | ast.Attribute) and said_name(base).endswith(_CASES)
        for base in node.bases
    ):
        return True
    return any(isinstance(each, Function) and each.name.startswith("test") for each in node.body)


def said_name(node: ast.Name | ast.Attribute) -> str:
    """The last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr


def _has_tests_below(node: ast.stmt) -> bool:
    return any(
        (isinstance(each, Function) and each.name.startswith("test"))
        or (isinstance(each, ast.ClassDef) and holds_tests(each))
        for each in ast.walk(node)
    )


def _branches(node: ast.If | ast.Try | ast.With) -> Iterator[tuple[str, list[ast.stmt]]]:
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield f"if {said(test)}", body
            yield f"else {said(test)}", orelse
        case ast.With(items=items, body=body):
            yield f"with {','.join(map(said, items))}", body
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            yield "try", body
            yield "else", orelse
            yield "finally", finalbody
            for handler in handlers:
                yield f"except {said(handler.type) if handler.type else ''}", handler.body
