"""Write constraints.txt anew: the newest versions of all that the project needs, pinned exactly.

    python3 scripts/lock.py

It fills an environment of its own, so that nothing which merely lies around is pinned. Pins name
no package index and carry no hashes of one index's files: any index that has the versions will do.
"""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# Exactly what `make` and CI install: what the program needs, what developing it needs, and the
# build tool. Written by `make lock`; a test compares it with what is installed.
"""


def pins(folder: Path) -> Sequence[str]:
    """Install what the project asks for into a new environment and list what that brought."""
    python = str(folder / "bin" / "python")
    _run(sys.executable, "-m", "venv", str(folder))
    _run(python, "-m", "pip", "install", "--quiet", "--upgrade", *wanted())
    frozen = _run(python, "-m", "pip", "freeze", "--all", "--exclude", "pip")
    return sorted(frozen.splitlines(), key=str.lower)


def wanted() -> Sequence[str]:
    """The project's own requirements, those of its development included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["dev"]]


def _run(*argv: str) -> str:
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> int:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        text = HEADER + "\n".join(pins(Path(folder))) + "\n"
    (ROOT / "constraints.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
