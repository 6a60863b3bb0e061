"""Hold the form of docs/explanation/proof.md: every figure in it was written by `make prove`.

    python -m scripts.prove_page --check

Each part of the proof has a section there, and in it a block between two comments:

    <!-- proved: NAME DIGEST -->
    <!-- /proved -->

DIGEST is of what stands between them, so that a figure that was typed by hand is seen. A section
says what its part proves, by which negative controls that is known to be able to fail, and what it
does not prove.
"""

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

PAGE = Path("docs/explanation/proof.md")
PARTS = ("worlds", "leases", "crashes", "kills", "tests")
NOT_YET = "Not run yet.\n"
BLOCK = re.compile(
    r"^<!-- proved: (?P<name>[a-z]+) (?P<digest>[0-9a-f]{12}) -->\n"
    r"(?P<body>.*?)^<!-- /proved -->$",
    re.MULTILINE | re.DOTALL,
)
RUN_ON = re.compile(r"^Run on \d{4}-\d{2}-\d{2} with `make prove ONLY=[^`]+`, .+\.$", re.MULTILINE)
SAYS = ("**Proves.**", "**Negative controls.**", "**Not proved.**")


def digest_of(body: str) -> str:
    """What binds a block to what was written into it."""
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def block(name: str, body: str) -> str:
    """A block with its digest."""
    return f"<!-- proved: {name} {digest_of(body)} -->\n{body}<!-- /proved -->"


def written(page: str, name: str, body: str) -> str:
    """The page with another body in one block; all others as they were. Raises ValueError."""
    found = [each for each in BLOCK.finditer(page) if each["name"] == name]
    if len(found) != 1:
        raise ValueError(f"{PAGE} has {len(found)} places for the figures of {name}")
    return page[: found[0].start()] + block(name, body) + page[found[0].end() :]


def problems(page: str) -> Iterator[str]:
    """What is wrong with the form of the page."""
    blocks = {each["name"]: each for each in BLOCK.finditer(page)}
    for name in PARTS:
        if name not in blocks:
            yield f"there is no block for {name}"
    for name, found in blocks.items():
        body = found["body"]
        if name not in PARTS:
            yield f"nobody writes a block {name}"
        if digest_of(body) != found["digest"]:
            yield f"the figures of {name} were changed by hand: run `make prove ONLY={name}`"
        if body != NOT_YET and not RUN_ON.search(body):
            yield f"the figures of {name} do not say when, where and with what command"
        section = page[page.rfind("\n## ", 0, found.start()) : found.end()]
        yield from (
            f"the section of {name} lacks {words}" for words in SAYS if words not in section
        )


def main(arguments: Sequence[str]) -> int:
    """Check the page; 1 where something is wrong with it."""
    del arguments
    said = list(problems(PAGE.read_text(encoding="utf-8")))
    print("\n".join(f"{PAGE}: {each}" for each in said))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
