"""Check the changelog's fragments, or gather them into CHANGELOG.md for a release.

    python3 scripts/changelog.py check
    python3 scripts/changelog.py release 0.2.0 2027-01-31

Run it at the top of the project. Each change brings a file of its own,
`changelog.d/<slug>.<type>.md`, so that branches which are written side by side never meet in
CHANGELOG.md. A release moves them there and removes them.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

FRAGMENTS = Path("changelog.d")
CHANGELOG = Path("CHANGELOG.md")
TYPES = ("added", "changed", "fixed", "removed", "security")
NAME = re.compile(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(TYPES)})\.md")
NEXT_RELEASE = "<!-- the next release goes here -->\n"


def fragments() -> Sequence[Path]:
    """All files that stand for a change, in the order of their names."""
    kept = {"README.md"}
    return sorted(path for path in FRAGMENTS.iterdir() if path.name not in kept)


def complaints() -> Sequence[str]:
    """What is wrong with the fragments, one line each."""
    found = [line for path in fragments() for line in _complaints_about(path)]
    if NEXT_RELEASE not in CHANGELOG.read_text(encoding="utf-8"):
        found.append(f"CHANGELOG.md: the line {NEXT_RELEASE.strip()!r} is gone")
    return found


def _complaints_about(path: Path) -> Sequence[str]:
    if not NAME.fullmatch(path.name):
        return [f"{path}: name it <words-with-hyphens>.<{'|'.join(TYPES)}>.md"]
    if not path.read_text(encoding="utf-8").strip():
        return [f"{path}: it is empty; say in a sentence or two what changes for a user"]
    return []


def section(version: str, date: str) -> str:
    """The release's part of the changelog, the fragments grouped by type."""
    parts = [f"## {version} ({date})\n"]
    for kind in TYPES:
        texts = [path.read_text(encoding="utf-8") for path in fragments() if _kind(path) == kind]
        if texts:
            parts.append(f"### {kind.capitalize()}\n")
            parts.extend([*map(_item, texts), ""])
    return "\n".join(parts)


def _kind(path: Path) -> str:
    return path.name.split(".")[-2]


def _item(text: str) -> str:
    return "- " + text.strip().replace("\n", "\n  ")


def release(version: str, date: str) -> None:
    """Move the fragments into CHANGELOG.md, above the releases before."""
    text = CHANGELOG.read_text(encoding="utf-8")
    replaced = text.replace(NEXT_RELEASE, f"{NEXT_RELEASE}\n{section(version, date)}", 1)
    CHANGELOG.write_text(replaced, encoding="utf-8")
    for path in fragments():
        path.unlink()


def main(arguments: Sequence[str]) -> int:
    """Check, and then release where that is asked for; 1 where a fragment is wrong."""
    wrong = complaints()
    if wrong:
        print("\n".join(wrong))
        return 1
    match arguments:
        case ["check"]:
            print(f"{len(fragments())} fragments for the next release")
        case ["release", version, date]:
            release(version, date)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
