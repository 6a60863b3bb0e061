"""What a change does to the tests of one Python file, and to what they stand on.

Both sides are read as syntax trees, so that layout and comments mean nothing. All that was there
has to be there still; `python_additions` says what may be new.
"""

import ast
from collections import Counter
from collections.abc import Iterator

from tidegate.rules.python_additions import (
    additions,
    is_far_reaching_fixture,
    named,
    speaks_to_the_runner,
)
from tidegate.rules.python_bodies import change, is_longer
from tidegate.rules.python_module import Item, Module, Test
from tidegate.rules.python_names import (
    SKIPPING,
    Function,
    bound,
    is_subsequence,
    leaf,
    mentions,
    said,
    used,
)


def test_changes(old: Module, new: Module) -> Iterator[str]:
    """What became of the tests that both sides have."""
    for name, test in old.tests.items():
        if name in new.tests and (found := test_change(test, new.tests[name])):
            yield f"{name} {found}"


def test_change(old: Test, new: Test) -> str | None:
    """What became of one test."""
    if old.guards != new.guards:
        return "is run on another condition"
    if old.source == new.source:
        return None
    return change(old.node, new.node)


def support_changes(old: Module, new: Module, *, is_shared: bool) -> Iterator[str]:
    """What became of everything in a file that is no test, and of what is new in it."""
    yield from _lost_imports(old, new)
    yield from _changed_classes(old, new)
    added: list[Item] = []
    if list(map(_as_written, old.items)) != list(map(_as_written, new.items)):
        added = _added(old, new)
        yield from _changed_items(old, new, added, is_shared=is_shared)
    yield from additions(old, added, new, is_shared=is_shared)


def _as_written(item: Item) -> tuple[str, tuple[str, ...], str]:
    return item.scope, item.guards, item.source


def _added(old: Module, new: Module) -> list[Item]:
    before = {item.text for item in old.items}
    return [item for item in new.items if item.text not in before]


def _changed_items(
    old: Module, new: Module, added: list[Item], *, is_shared: bool
) -> Iterator[str]:
    """Say which statements are lost or have changed; what came in their place leaves `added`."""
    rows = _rows_only(old)
    before, after = ([item.text for item in module.items] for module in (old, new))
    lost = Counter(before) - Counter(after)
    for item, text in zip(old.items, before, strict=True):
        if text in lost and (is_shared or not _has_no_more_use(item, new)):
            instead = _instead(item, added)
            if instead is not None:
                added.remove(instead)
            if instead is None or not _has_grown(item.node, instead.node, old.names, rows):
                yield f"{named(item)} has changed"
    if not lost and not is_subsequence(before, after):
        yield "its statements stand in another order"


def _instead(item: Item, added: list[Item]) -> Item | None:
    """What binds the same names as a statement that is lost."""
    names = set(bound(item.node))
    same = (other for other in added if names and set(bound(other.node)) == names)
    return next((other for other in same if other.scope == item.scope), None)


def _has_grown(old: ast.stmt, new: ast.stmt, names: frozenset[str], rows: frozenset[str]) -> bool:
    """Whether a table of rows is longer, or a class of nobody's has more under new names."""
    match old, new:
        case ast.Assign(targets=[ast.Name(id=name)]), ast.Assign():
            return name in rows and is_longer(old.value, new.value)
        case ast.ClassDef(bases=[], keywords=[]), ast.ClassDef():
            before, after = ([said(each) for each in node.body] for node in (old, new))
            fresh = [each for each in new.body if said(each) not in before]
            return (
                _class_head(old) == _class_head(new)
                and is_subsequence(before, after)
                and all(_is_fresh_method(each, names) for each in fresh)
            )
    return False


def _is_fresh_method(node: ast.stmt, names: frozenset[str]) -> bool:
    if not isinstance(node, Function) or node.decorator_list:
        return False
    return node.name not in names and not node.name.startswith("__")


def _has_no_more_use(item: Item, new: Module) -> bool:
    """Whether a statement went with the tests that stood on it, as it does where they move."""
    if item.scope and item.scope[:-1] not in new.classes:
        return True
    if isinstance(item.node, Function) and is_far_reaching_fixture(item.node):
        return False
    names = set(bound(item.node))
    return bool(names) and not any(map(speaks_to_the_runner, names)) and not names & new.names


def moved_change(name: str, old: Module, new: Module) -> str | None:
    """What became of a test that moved to another file, with what it stands on."""
    if (found := test_change(old.tests[name], new.tests[name])) is not None:
        return found
    lost = _moved_support(name, old, new)
    return None if lost is None else f"stands on another {lost}"


def _moved_support(name: str, old: Module, new: Module) -> str | None:
    """What a test stood on where it was and does not stand on where it is now, or None.

    Imports and definitions that the test uses are followed through the file that it left.
    """
    scope = name.rpartition(".")[0]
    if scope and _class_said(old, scope) != _class_said(new, scope):
        return scope
    if any(_is_skip_of_all(item) for item in new.items):
        return "a skip of the whole file"
    waiting, seen = [*used(old.tests[name].node), *_OF_THE_FILE], set[str]()
    while waiting:
        if (each := waiting.pop()) in seen:
            continue
        seen.add(each)
        before = old.definitions(each)
        if old.imports.get(each) != new.imports.get(each):
            return each
        if [item.text for item in before] != [item.text for item in new.definitions(each)]:
            return each
        waiting.extend(further for item in before for further in used(item.node))
    return None


_OF_THE_FILE = (
    "pytestmark",
    "load_tests",
    "__test__",
    "setUpModule",
    "setup_module",
    "setup_function",
)


def _class_said(module: Module, scope: str) -> list[str]:
    """Everything of a class but its tests."""
    head = _class_head(module.classes[scope]) if scope in module.classes else []
    return head + [item.text for item in module.items if item.scope == f"{scope}."]


def _is_skip_of_all(item: Item) -> bool:
    is_run = isinstance(item.node, ast.Expr | ast.If | ast.Raise | ast.Try)
    return is_run and not item.scope and mentions(item.node, SKIPPING)


def _lost_imports(old: Module, new: Module) -> Iterator[str]:
    lost = [name for name, origin in old.imports.items() if new.imports.get(name) != origin]
    used_names = frozenset(name for each in _all_nodes(new) for name in used(each)) if lost else ()
    for name in lost:
        if name.partition(".")[0] in used_names or name.lower().startswith(("*", "test")):
            yield f"{name} is imported from elsewhere, or no more"


def _all_nodes(module: Module) -> Iterator[ast.AST]:
    yield from (test.node for test in module.tests.values())
    yield from (item.node for item in module.items)
    for node in module.classes.values():
        yield from (*node.bases, *node.decorator_list)


def _changed_classes(old: Module, new: Module) -> Iterator[str]:
    for name, node in old.classes.items():
        other = new.classes.get(name)
        if other is not None and _class_head(node) != _class_head(other):
            added = [each for each in other.decorator_list if mentions(each, SKIPPING)]
            is_skipped = added and not any(mentions(each, SKIPPING) for each in node.decorator_list)
            yield f"{name} {'is skipped' if is_skipped else 'has other bases or decorators'}"


def _class_head(node: ast.ClassDef) -> list[str]:
    parts = (*node.decorator_list, *node.bases, *(each.value for each in node.keywords))
    return [said(each) for each in parts]


def _rows_only(module: Module) -> frozenset[str]:
    """Names at the top that are read nowhere but as the rows of a parametrization."""
    everywhere = Counter(name for each in _all_nodes(module) for name in used(each))
    as_rows: Counter[str] = Counter()
    for test in module.tests.values():
        for decorator in test.node.decorator_list:
            match decorator:
                case ast.Call(args=[_, ast.Name(id=name)]) if leaf(decorator) == "parametrize":
                    as_rows[name] += 1
    # Once more for the assignment itself.
    return frozenset(name for name, count in as_rows.items() if everywhere[name] == count + 1)
