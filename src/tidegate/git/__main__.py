"""The job program: ``python -I -S PATH/TO/tidegate/git JOB.json``.

A runner starts it as a bare interpreter, which knows nothing of where packages are installed: the
package is found by this file's own place. `tidegate.git.jobs` says what a job file holds.
"""

import os
import sys


def _main() -> int:
    """Make the package importable from where it lies, and do the job."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = os.path.dirname(os.path.dirname(here))
    from tidegate.git.jobs import main  # noqa: PLC0415 - only now can it be found

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(_main())
