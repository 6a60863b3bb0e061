"""How the job program is started, and what a fork server may call instead."""

import os
import sys

PROGRAM = os.path.dirname(os.path.abspath(__file__))
"""The folder that is run: this one."""

COMMAND = (sys.executable, "-I", "-S", PROGRAM)
"""How the command line of a job begins; its last word is the job file."""

FORKABLE = "tidegate.git.forkable"
"""The module whose `main` does what such a command line would."""
