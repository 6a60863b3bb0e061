"""What is new in a file of Python tests, and whether it reaches further than its own new tests.

A file that is new may do what it likes within itself. In one that was there before, nothing may be
bound that the old tests use, nothing may run when the file is loaded, and nothing may speak to the
runner of the tests on their behalf.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from tidegate.rules.places import test_root
from tidegate.rules.python_module import EMPTY, Item, Module
from tidegate.rules.python_names import (
    DANGEROUS,
    ENDING,
    FAILING,
    SKIPPING,
    Function,
    bound,
    is_docstring,
    leaf,
    mentions,
    said,
    used,
)

_HOOKS = frozenset({
    "collect_ignore", "collect_ignore_glob", "load_tests", "pytestmark",
    "setUp", "setUpClass", "setUpModule", "asyncSetUp", "setup", "setup_class", "setup_function",
    "setup_method", "setup_module", "tearDown", "tearDownClass", "tearDownModule", "asyncTearDown",
    "teardown", "teardown_class", "teardown_function", "teardown_method", "teardown_module",
})  # fmt: skip
"""Names that a runner looks for: to bind one is to tell it something."""
_TOLD = _HOOKS | {"__test__", "pytest_plugins"}
_OF_TEST_CASES = frozenset({
    "run", "debug", "fail", "defaultTestResult", "doCleanups", "doClassCleanups", "countTestCases",
    "failureException", "addCleanup", "shortDescription", "id", "_callTestMethod", "_callSetUp",
    "_callTearDown", "_callCleanup", "_testMethodName",
})  # fmt: skip
"""What every test case inherits and a runner calls: to define one of them is to replace it."""
_FIXTURES_OF_PYTEST = frozenset({
    "cache", "capfd", "caplog", "capsys", "doctest_namespace", "monkeypatch", "pytestconfig",
    "recwarn", "request", "tmp_path", "tmp_path_factory", "tmpdir", "subtests",
})  # fmt: skip


def additions(old: Module, added: Iterable[Item], new: Module, *, is_shared: bool) -> Iterator[str]:
    """What is new in a file and reaches further than its own new tests.

    `is_shared`: other files' tests hear of what stands here, as they do of a conftest.py.
    """
    is_alone = old is EMPTY and not is_shared
    yield from _new_imports(old, new)
    yield from () if is_alone else _telling_imports(old, new, is_shared=is_shared)
    yield from _new_classes(old, new)
    for item in added:
        if is_alone or (item.scope and item.scope[:-1] not in old.classes):
            yield from _local_addition(item, new)
        else:
            yield from _addition(old, item, new)
    for name, test in new.tests.items():
        if name not in old.tests and (harm := _harm(test.node, new) or _rebinds(test.node, old)):
            yield f"{name} {harm}"


def _rebinds(node: ast.AST, old: Module) -> str:
    """What a function does to names of its file that others use; empty where it does nothing."""
    told = {name for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names}
    return f"binds {', '.join(sorted(told & old.names))} anew" if told & old.names else ""


def _new_imports(old: Module, new: Module) -> Iterator[str]:
    for name in new.imports.keys() - old.imports.keys():
        is_star = name.startswith("* ") and old is not EMPTY
        if is_star or name.partition(".")[0] in _taken(old, name):
            yield f"{name} is imported from elsewhere"
        if new.imports[name] == "pytest:exit":
            yield f"{name} ends the run of the tests"


def _telling_imports(old: Module, new: Module, *, is_shared: bool) -> Iterator[str]:
    """Imports that a runner hears of: hooks, fixtures for all, and whatever a star brings along."""
    for name in new.imports.keys() - old.imports.keys():
        is_name = ":" in new.imports[name]
        if old is EMPTY and name.startswith("* "):
            yield f"{name} may bring what speaks to the runner"
        elif (is_name and name.startswith("pytest_")) or name in _TOLD:
            yield f"{name} is imported, and speaks to the runner"
        elif not is_shared and _is_of_tests(new.imports[name]) and name not in _read(new):
            yield f"{name} is imported and used nowhere, as a fixture for all would be"


def _is_of_tests(origin: str) -> bool:
    """Whether a name comes out of a file that lies among tests."""
    module, colon, _ = origin.partition(":")
    return bool(colon) and test_root(f"{module.replace('.', '/')}.py") is not None


def _read(module: Module) -> frozenset[str]:
    return frozenset((*used(module.tree), *_exported(module.tree)))


def _exported(tree: ast.Module) -> Iterator[str]:
    """The names that stand as texts, as in `__all__` and in annotations."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield from _WORD.findall(text)


_WORD = re.compile(r"[A-Za-z_]\w*")


def _taken(old: Module, name: str) -> frozenset[str]:
    """The names that an import may not bind. A part of a known package binds the package again."""
    first = name.partition(".")[0]
    known = {each.partition(".")[0] for each, origin in old.imports.items() if each == origin}
    return frozenset() if first in known and "." in name else old.names


def _new_classes(old: Module, new: Module) -> Iterator[str]:
    for name, node in new.classes.items():
        if name not in old.classes:
            if name.rpartition(".")[2] in old.names:
                yield f"{name} is defined anew"
            if any(mentions(each, _REACHING) for each in (*node.decorator_list, *node.bases)):
                yield f"{name} does more than hold tests"


def _local_addition(item: Item, new: Module) -> Iterator[str]:
    """What a new file, or a new class, holds: only what reaches out of it counts."""
    if "pytest_plugins" in bound(item.node):
        yield "pytest_plugins is added"
    elif any(_reaches_out(node, new) for node in on_load(item.node)):
        yield "code is added that reaches out of the file when it is loaded"
    elif not new.tests and isinstance(item.node, Function) and _is_for_all(item.node):
        yield f"the fixture {item.node.name} acts on the tests of whoever imports it"
    elif harm := _harm(item.node, new):
        yield f"{named(item)} {harm}"


def _is_for_all(node: Function) -> bool:
    return is_far_reaching_fixture(node) and "autouse" in "".join(map(said, node.decorator_list))


def _harm(node: ast.AST, module: Module) -> str:
    """What code does to the tests of other files whenever it runs; empty where it does nothing."""
    if mentions(node, ENDING) or any(_is_exit(each, module) for each in ast.walk(node)):
        return "ends the process that runs the tests"
    return "reaches into other tests" if any(map(_is_meddling, ast.walk(node))) else ""


def _is_exit(node: ast.AST, module: Module) -> bool:
    """Whether it is pytest's `exit`, whatever pytest is called here."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr="exit"):
            return "pytest" in (name, module.imports.get(name))
    return False


def _is_meddling(node: ast.AST) -> bool:
    """Whether it is the list of the tests to run, or gives a function another body."""
    match node:
        case ast.Attribute(attr="__code__", ctx=ast.Store()) | ast.Constant(value="__code__"):
            return True
        case ast.Attribute(attr="items"):
            names = list(dotted(node))
            return names[-1] == "request" and "session" in names
    return False


def _reaches_out(node: ast.AST, module: Module) -> bool:
    """Whether code that runs on loading changes what was imported, or ends the run."""
    match node:
        case ast.Name(id=name) if name in _REACHING:
            return True
        case ast.Expr(value=value) if mentions(value, _PATCHING):
            return True
        case ast.Attribute(attr=name) if name in _REACHING:
            return True
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            names = list(dotted(node))
            return names[-1] in _roots(module) and "environ" not in names
    return False


_PATCHING = frozenset({"patch"})


def dotted(node: ast.AST) -> Iterator[str]:
    """The names of `a.b[c].d`, the last one first."""
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(attr=name, value=value):
                yield name
                node = value
            case ast.Subscript(value=value) | ast.Call(func=value):
                node = value
            case _:
                yield ""
                return
    yield node.id


def _roots(module: Module) -> frozenset[str]:
    return frozenset(name.partition(".")[0] for name in module.imports)


def _addition(old: Module, item: Item, new: Module) -> Iterator[str]:
    names = list(bound(item.node))
    if any(name in old.names for name in names):
        yield f"{', '.join(names)} is defined anew"
    elif any(map(speaks_to_the_runner, names)):
        yield f"{', '.join(names)} is added"
    elif item.scope and any(name in _OF_TEST_CASES for name in names):
        yield f"{item.scope}{', '.join(names)} replaces what a runner calls"
    elif isinstance(item.node, Function) and is_far_reaching_fixture(item.node):
        yield f"the fixture {item.node.name} acts on tests that do not ask for it"
    elif not is_inert(item.node):
        yield "code is added that runs when the file is loaded"
    elif harm := _harm(item.node, new) or _rebinds(item.node, old):
        yield f"{named(item)} {harm}"


def speaks_to_the_runner(name: str) -> bool:
    """Whether a runner looks for a name by itself."""
    return name in _HOOKS or name.startswith("pytest_") or (name[:2] == "__" and name != "__all__")


def is_far_reaching_fixture(node: Function) -> bool:
    """Whether a function is a fixture that tests get without asking for it by its own name."""
    for each in node.decorator_list:
        if leaf(each) == "fixture":
            told = {word.arg for word in each.keywords} if isinstance(each, ast.Call) else set()
            return bool(told & {"autouse", "name", None}) or node.name in _FIXTURES_OF_PYTEST
    return False


def is_inert(node: ast.stmt) -> bool:
    """Whether a statement at the top of a file leaves other code as it is when it is loaded."""
    if is_docstring(node) or _is_main(node):
        return True
    if any(
        isinstance(each, ast.Name | ast.Attribute) and leaf(each) in _REACHING
        for each in on_load(node)
    ):
        return False
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Import() | ast.ImportFrom():
            return True
        case ast.ClassDef() | ast.If() | ast.Try():
            return all(map(is_inert, _blocks(node)))
        case ast.Assign(targets=targets):
            return all(isinstance(each, ast.Name | ast.Tuple) for each in targets)
        case ast.AnnAssign(target=target):
            return isinstance(target, ast.Name)
    return False


_REACHING = DANGEROUS - SKIPPING - FAILING - {"patch", "__dict__", "__class__"}
"""A new test may be skipped or patched for itself: that takes nothing from the others."""


def on_load(statement: ast.stmt) -> Iterator[ast.AST]:
    """Every node of a statement that runs when its file is loaded: no body of a function."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                waiting += [*node.decorator_list, *node.args.defaults]
            case ast.Lambda():
                continue
            case _:
                waiting.extend(ast.iter_child_nodes(node))


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "'__main__'" in said(node.test)


def _blocks(node: ast.ClassDef | ast.If | ast.Try) -> list[ast.stmt]:
    handlers = [each for handler in getattr(node, "handlers", ()) for each in handler.body]
    others = [*getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
    return [*node.body, *handlers, *others]


def named(item: Item) -> str:
    """Words for a statement: the names that it binds, or the line that it stands on."""
    names = ", ".join(sorted(set(bound(item.node))))
    return f"{item.scope}{names}" if names else f"{item.scope}line {item.node.lineno}"
