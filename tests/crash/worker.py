"""The process that is killed: one step of one operation, in one folder.

python -m tests.crash.worker OPERATION STEP FOLDER [MUTANT]
"""

import sys
from pathlib import Path

from tests.crash.operation import stuck
from tests.crash.registry import load
from tidegate.core.errors import TidegateError


def main(name: str, step: str, folder: str, mutant: str = "") -> None:
    """Do the step. An error of the product ends it with one line, as the program itself does."""
    operation = load(name)
    if mutant:
        from tests.crash.mutants import MUTANTS  # noqa: PLC0415 - it knows all that can be wrong

        MUTANTS[mutant]()
    steps = {
        "begin": operation.begin,
        "work": operation.work,
        "recover": operation.recover or operation.work,
    }
    try:
        steps[step](Path(folder))
    except (TidegateError, OSError) as error:
        stuck(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
