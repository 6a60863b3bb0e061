"""Check what a reader of the pages would trip over.

    python3 scripts/docs_check.py

Run it at the top of the project.

- A relative link leads to a file, and its anchor to a heading.
- README.md shows the two commands that everybody starts with.
- Nothing names a place of somebody's machine: a home directory, or where this checkout lies.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

README_SHOWS = ("make demo", "make test")

FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
HEADING = re.compile(r"^#+\s+(.+?)\s*#*$", re.MULTILINE)
HOME = re.compile(r"(?<![\w.$}~-])/(?:root|home/[a-z]\w*|Users/[A-Za-z]\w*)/")


def project_files() -> Sequence[Path]:
    """Every file of the project, new ones included, ignored ones not."""
    argv = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    paths = (Path(name) for name in sorted(listed.split("\0")) if name)
    return [path for path in paths if path.is_file()]


def broken_links(page: Path) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for target in LINK.findall(_without_code(page.read_text(encoding="utf-8"))):
        if not ELSEWHERE.match(target):
            yield from _broken_link(page, target)


def _broken_link(page: Path, target: str) -> Iterator[str]:
    name, _, anchor = target.partition("#")
    there = (page.parent / name) if name else page
    if not there.exists():
        yield f"{page}: the link {target} leads nowhere"
    elif anchor and there.suffix == ".md" and anchor not in anchors(there):
        yield f"{page}: the link {target} names no heading of that page"


def anchors(page: Path) -> set[str]:
    """The anchors that the usual renderers give to a page's headings."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


def _without_code(text: str) -> str:
    return INLINE_CODE.sub("", FENCED.sub("", text))


def missing_from_readme() -> Iterator[str]:
    """What README.md must show and does not."""
    readme = Path("README.md")
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    return (f"README.md: it does not show `{shown}`" for shown in README_SHOWS if shown not in text)


def machine_paths(path: Path) -> Iterator[str]:
    """The lines of a file that name a place of one machine. Tests make up homes, and may."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return
    is_test = path.is_relative_to("tests")
    for number, line in enumerate(lines, start=1):
        if _is_checkout(line) or (HOME.search(line) and not is_test):
            yield f"{path}:{number}: a path of one machine"


def _is_checkout(line: str) -> bool:
    """True where a line names this very checkout. One right below / may be a word of any text."""
    checkout = Path.cwd()
    return len(checkout.parts) > 2 and f"{checkout}/" in f"{line}/"  # noqa: PLR2004 - "/" and a name


def complaints(files: Iterable[Path]) -> Iterator[str]:
    """Everything that is wrong, one line each."""
    yield from missing_from_readme()
    for path in files:
        if path.suffix == ".md":
            yield from broken_links(path)
        yield from machine_paths(path)


def main() -> int:
    """Print what is wrong; 1 where something is."""
    files = project_files()
    found = list(complaints(files))
    pages = sum(path.suffix == ".md" for path in files)
    print("\n".join([*found, f"{pages} pages, {len(files)} files"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
