"""Whether a test was only added to: all that it said before is said still, and nothing undoes it.

What may be added to a test is little: assertions, and what they need under new names. Whatever else
comes in may keep an assertion from being reached, or change what it looks at.
"""

import ast
from collections.abc import Iterator

from tidegate.rules.python_names import (
    DANGEROUS,
    FAILING,
    SKIPPING,
    Function,
    bound,
    is_docstring,
    is_subsequence,
    leaf,
    mentions,
    said,
    used,
)

_ASSERTING = ("assert", "expect", "should")
_TURNING = (ast.Yield, ast.YieldFrom, ast.NamedExpr)
"""What makes a function another one, or binds a name within an expression."""


def change(old: Function, new: Function) -> str | None:
    """Say what happened to a test, or None where it lost nothing."""
    if (found := _decorators(old.decorator_list, new.decorator_list)) is not None:
        return found
    if type(old) is not type(new) or _signature(old) != _signature(new):
        return "takes other arguments"
    names = frozenset({*used(old), *_bound_below(old)})
    if _only_adds(old.body, new.body, names):
        return None
    return _what_became_of(old, new)


def _decorators(old: list[ast.expr], new: list[ast.expr]) -> str | None:
    """Compare decorators; a skip that is gone is no loss, nor is a further row of parameters."""
    had = [each for each in old if not _is_skip(each)]
    has = [each for each in new if said(each) in set(map(said, old)) or not _is_skip(each)]
    kept = [each for each in has if not _is_skip(each)]
    for each in new:
        if _is_skip(each) and said(each) not in set(map(said, old)):
            return "is expected to fail" if mentions(each, FAILING) else "is skipped"
    if len(had) != len(kept) or not all(map(_grown, had, kept)):
        return "has other decorators or parameters"
    return None


def _is_skip(decorator: ast.expr) -> bool:
    return leaf(decorator) in SKIPPING | FAILING


def _grown(old: ast.expr, new: ast.expr) -> bool:
    if said(old) == said(new):
        return True
    if leaf(old) != "parametrize" or leaf(new) != "parametrize":
        return False
    match old, new:
        case ast.Call(func=f, args=[names, rows], keywords=[]), ast.Call(
            func=g, args=[same_names, more_rows], keywords=[]
        ):
            alike = said(f) == said(g) and said(names) == said(same_names)
            return alike and is_longer(rows, more_rows)
    return False


def is_longer(old: ast.expr, new: ast.expr) -> bool:
    """Whether a list or tuple holds all that `old` does, in its order, and perhaps more."""
    if not isinstance(old, _Rows) or not isinstance(new, _Rows) or type(old) is not type(new):
        return False
    return is_subsequence([*map(said, old.elts)], [*map(said, new.elts)])


_Rows = ast.List | ast.Tuple


def _signature(function: Function) -> str:
    """What a function takes, without its annotations."""
    taken = function.args
    names = [each.arg for each in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)]
    rest = [each.arg for each in (taken.vararg, taken.kwarg) if each]
    defaults = [said(each) for each in (*taken.defaults, *taken.kw_defaults) if each]
    return repr((names, rest, defaults))


def _bound_below(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt):
            yield from bound(node)


def _only_adds(old: list[ast.stmt], new: list[ast.stmt], names: frozenset[str]) -> bool:
    """Whether all of `old` stands in `new`, and what stands between takes nothing from it."""
    waiting = [node for node in old if not is_docstring(node)]
    for node in new:
        if waiting and _same_or_more(waiting[0], node, names):
            waiting.pop(0)
        elif not _is_harmless(node, names):
            return False
    return not waiting


def _same_or_more(old: ast.stmt, new: ast.stmt, names: frozenset[str]) -> bool:
    if said(old) == said(new):
        return True
    if type(old) is type(new) and isinstance(old, _Block) and isinstance(new, _Block):
        return _head(old) == _head(new) and _only_adds(old.body, new.body, names)
    return False


_Block = ast.With | ast.AsyncWith | ast.For


def _head(node: _Block) -> str:
    if isinstance(node, ast.For):
        return f"{said(node.target)} in {said(node.iter)} {[said(each) for each in node.orelse]}"
    return ",".join(map(said, node.items))


def _is_harmless(node: ast.stmt, names: frozenset[str]) -> bool:
    """Whether a statement that was added to a test can take nothing from it."""
    if mentions(node, DANGEROUS) or any(isinstance(each, _TURNING) for each in ast.walk(node)):
        return is_docstring(node)
    match node:
        case ast.Expr() | ast.Assert() if is_docstring(node) or isinstance(node, ast.Assert):
            return True
        case (
            ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call))
        ):
            return leaf(call).lstrip("_").startswith(_ASSERTING)
        case ast.Assign(targets=targets):
            return all(_is_fresh(each, names) for each in targets)
        case ast.AnnAssign(target=target):
            return _is_fresh(target, names)
        case ast.For(target=target, body=body, orelse=[]):
            return _is_fresh(target, names) and all(_is_harmless(each, names) for each in body)
        case ast.With(items=items, body=body):
            return _is_harmless_with(items, body, names)
    return False


def _is_fresh(target: ast.expr, names: frozenset[str]) -> bool:
    """Whether what is assigned to is a name, or some, that the test did not know before."""
    if isinstance(target, ast.Tuple):
        return all(_is_fresh(each, names) for each in target.elts)
    return isinstance(target, ast.Name) and target.id not in names


def _is_harmless_with(
    items: list[ast.withitem], body: list[ast.stmt], names: frozenset[str]
) -> bool:
    """A block whose body must raise or warn may call anything; another one may hold assertions."""
    for item in items:
        if item.optional_vars is not None and not _is_fresh(item.optional_vars, names):
            return False
        if leaf(item.context_expr) not in _RAISING:
            return False
    return all(_is_harmless(each, names) or isinstance(each, ast.Expr) for each in body)


_RAISING = frozenset({
    "raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "assertLogs", "subTest",
})  # fmt: skip


def _what_became_of(old: Function, new: Function) -> str:
    """Find the words for a change that is one."""
    added = {*map(said, new.body)} - {*map(said, old.body)}
    fresh = [node for node in new.body if said(node) in added]
    if any(mentions(node, SKIPPING) and not mentions(old, SKIPPING) for node in fresh):
        return "is skipped"
    if any(mentions(node, FAILING) and not mentions(old, FAILING) for node in fresh):
        return "is expected to fail"
    if any(isinstance(node, ast.Return) for node in fresh):
        return "returns early"
    before, after = list(_assertions(old)), list(_assertions(new))
    if before and not after:
        return "asserts nothing any more"
    if any(isinstance(each, ast.Try) for node in fresh for each in ast.walk(node)):
        return "catches what it raises"
    return "asserts something else" if set(before) - set(after) else "does something else"


def _assertions(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) or (
            isinstance(node, ast.Expr) and leaf(node.value).startswith(_ASSERTING)
        ):
            yield said(node)
