"""Run every check of the project, all of them even when one fails, and show what failed.

    .venv/bin/python scripts/check.py

It is what `make check` and CI run. Each check is a program of its own that can be run by hand.
"""

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

BIN = Path(sys.executable).parent

CHECKS: Mapping[str, tuple[str, ...]] = {
    "ruff check": (str(BIN / "ruff"), "check", "--quiet", "--output-format=concise"),
    "ruff format": (str(BIN / "ruff"), "format", "--check", "--quiet"),
    "mypy": (str(BIN / "mypy"), "--no-error-summary"),
    "floors": (str(BIN / "lint-imports"), "--no-cache"),
    "sizes": (sys.executable, "scripts/file_size.py"),
    "pages": (sys.executable, "scripts/docs_check.py"),
    "generated pages": (sys.executable, "scripts/docs.py", "--check"),
    "configuration page": (sys.executable, "-m", "scripts.docs_configuration", "--check"),
    "commands page": (sys.executable, "-m", "scripts.docs_commands", "--check"),
    "states page": (sys.executable, "-m", "scripts.docs_states", "--check"),
    "events page": (sys.executable, "-m", "scripts.docs_events", "--check"),
    "proof page": (sys.executable, "-m", "scripts.prove_page", "--check"),
    "changelog": (sys.executable, "scripts/changelog.py", "check"),
}


def passes(name: str, argv: tuple[str, ...]) -> bool:
    """Run one check and print one line about it; where it fails, all that it said."""
    start = time.perf_counter()
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    took_s = time.perf_counter() - start
    said = (done.stdout + done.stderr).strip()
    if done.returncode:
        print(f"FAILED  {name} ({took_s:.1f} s)\n{said}\n", flush=True)
        return False
    _, _, conclusion = said.rpartition("\n")
    print(f"ok      {name} ({took_s:.1f} s)  {conclusion}".rstrip(), flush=True)
    return True


def main() -> int:
    """Run them all; 1 where one fails."""
    failed = [name for name, argv in CHECKS.items() if not passes(name, argv)]
    if failed:
        print(f"{len(failed)} of {len(CHECKS)} checks failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
