"""Start the runner: ``python -I -S PATH/TO/tidegate/runner SPEC.json < ENVIRONMENT``.

With ``--serve MODULE`` in the place of the spec it is the fork server (see `fork_server`).

Run by the path of its folder, it has no package around it, and must not have one: the runner takes
nothing from the rest of Tidegate. An empty stand-in under the package's name lets the modules of
this folder import each other by their full names, as they do everywhere else.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

if __name__ == "__main__":
    folder = __file__.rpartition("/")[0]
    stand_in = ModuleType("tidegate")
    stand_in.__path__ = [folder.rpartition("/")[0]]
    sys.modules.setdefault("tidegate", stand_in)
    # The path of a folder that is run comes first; no module here may hide one of the library's.
    if sys.path[0] == folder:
        del sys.path[0]
    name = "fork_server" if sys.argv[1] == "--serve" else "program"
    code = import_module(f"tidegate.runner.{name}").main(sys.argv[-1])
    sys.stderr.flush()
    os._exit(code)  # all that is to be kept is on disk: taking Python down would take 2 ms more
