"""What the acceptance asks git and the disk, in a small repository."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from acceptance import afterwards
from acceptance.claims import Event
from acceptance.package import commit_all
from acceptance.place import Place
from acceptance.wanted import Package, Wanted

pytestmark = pytest.mark.slow


def package(*footprint: str) -> Package:
    """A package with one issue."""
    wanted = Wanted(id="001", title="A title", text="A text", footprint=footprint)
    return Package(name="made", version="1", sha256="", tests="true", wanted=(wanted,))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository with some files at its first commit."""
    made = Place(tmp_path)
    for folder in (made.repository, made.home, made.scratch):
        folder.mkdir()
    made.git("init", "--quiet", "--initial-branch", "main")
    made.git("config", "user.name", "A person")
    made.git("config", "user.email", "person@example.invalid")
    for name in ("a/one.py", "a/b/two.py", "a/one.txt", "c.py"):
        (made.repository / name).parent.mkdir(parents=True, exist_ok=True)
        (made.repository / name).write_text(f"{name}\n")
    commit_all(made, "The first files")
    return made


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("a/**", {"a/one.py", "a/b/two.py", "a/one.txt"}),
        ("a/", {"a/one.py", "a/b/two.py", "a/one.txt"}),
        ("a/*.py", {"a/one.py"}),
        ("a/one.py", {"a/one.py"}),
        ("**/*.py", {"a/one.py", "a/b/two.py", "c.py"}),
        ("d/**", set()),
    ],
)
def test_git_says_what_a_pattern_covers(place: Place, pattern: str, files: set[str]) -> None:
    """Its own patterns mean the same, and know nothing of the code that is judged."""
    found = afterwards.covered(place, package(pattern), "HEAD")
    assert found == {pattern: files}


@pytest.mark.parametrize(
    ("footprint", "outside"),
    [
        (("a/**", "c.py"), []),
        (("a/**",), ["c.py"]),
        (("a/*.py",), ["a/b/two.py", "c.py"]),
        ((), []),
    ],
)
def test_a_path_outside_of_the_footprint_is_found(
    place: Place, footprint: Sequence[str], outside: Sequence[str]
) -> None:
    """Both names of a file that moved count, and without a footprint any path may change."""
    place.git("mv", "c.py", "a/c.py")
    (place.repository / "a" / "b" / "two.py").write_text("another\n")
    commit = commit_all(place, "Change something")
    log = [Event(sequence=1, kind="landed", lane="001", body={"commit": commit})]
    found = afterwards.strayed(place, package(*footprint), log)
    assert {commit: list(found[commit])} == {commit: outside}


def test_a_stray_file_is_found(place: Place) -> None:
    """In the user's home and among the temporary files."""
    before = afterwards.strewn(place)
    assert afterwards.nothing_strewn(place, before).problems == ()
    for folder in (place.home, place.scratch):
        (folder / f"of-{folder.name}").touch()
    problems = afterwards.nothing_strewn(place, before).problems
    assert problems == ("of-home is new", "of-scratch is new")


def test_what_a_red_check_printed_is_found_beside_the_next_finding(place: Place) -> None:
    """The last FAIL of a lane that stopped has no finding after it, and is left out."""
    attempts = place.ledger_folder / "runs" / "20260101-0000" / "attempts"
    for path, text in (
        ("001-check-1/turns/1/stdout", "red\n"),
        ("001-check-2/turns/1/stdout", "redder\n"),
        ("001-build-1/turns/2/finding.md", "It is red\n"),
    ):
        (attempts / path).parent.mkdir(parents=True)
        (attempts / path).write_text(text)
    bodies: Sequence[tuple[str, Mapping[str, Any]]] = (
        ("turn_opened", {"turn": 1}),
        ("judged", {"by": "001-check-1", "verdict": "FAIL", "counts": True}),
        ("turn_opened", {"turn": 2}),
        ("judged", {"by": "001-check-2", "verdict": "FAIL", "counts": True}),
    )
    log = [
        Event(sequence=number, kind=kind, lane="001", body={**body, "attempt": "001-build-1"})
        for number, (kind, body) in enumerate(bodies, start=1)
    ]
    assert afterwards.told_after_red(place, log) == {"001-check-1": ("red\n", "It is red\n")}
