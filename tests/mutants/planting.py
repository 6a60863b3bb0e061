"""Take one guard out of running code, and see whether a named check notices.

A mutant is a change of the source that leaves a working program: it is compiled anew, and its
functions stand in for the real ones wherever those are known, until the test is over.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from _pytest.mark.structures import ParameterSet

from tidegate.core.errors import TidegateError

CAUGHT = (AssertionError, pytest.fail.Exception, TidegateError)
"""How a check notices. A NameError or an ImportError is a broken mutant, and no catch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """`guard` stands once in the module's source and is replaced by `instead`."""

    name: str
    module: ModuleType
    guard: str
    instead: str
    caught_by: Callable[[], None]


def plant(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the mutant's functions in the place of the module's own, everywhere."""
    for name, function in _functions(_mutated(mutant)).items():
        real = getattr(mutant.module, name)
        for module in _modules():
            if vars(module).get(name) is real:
                monkeypatch.setattr(module, name, function)


def _mutated(mutant: Mutant) -> ModuleType:
    path = Path(str(mutant.module.__file__))
    source = path.read_text(encoding="utf-8")
    assert source.count(mutant.guard) == 1, f"{path.name} has not this guard once: {mutant.guard}"
    module = ModuleType(mutant.module.__name__)
    code = compile(source.replace(mutant.guard, mutant.instead), str(path), "exec")
    exec(code, vars(module))  # noqa: S102 - our own source, with one guard less
    return module


def _functions(module: ModuleType) -> dict[str, FunctionType]:
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


def _modules() -> list[ModuleType]:
    ours = ("tidegate.", "tests.")
    return [module for name, module in list(sys.modules.items()) if name.startswith(ours)]


def mutant(
    name: str, module: ModuleType, guard: str, instead: str, caught_by: Callable[[], None]
) -> ParameterSet:
    """One row of a list of mutants."""
    row = Mutant(name=name, module=module, guard=guard, instead=instead, caught_by=caught_by)
    return pytest.param(row, id=name.replace(" ", "-"))


def missed(planted: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant's check passes as long as the guard is there, and fails without it."""
    planted.caught_by()
    plant(planted, monkeypatch)
    with pytest.raises(CAUGHT):
        planted.caught_by()
