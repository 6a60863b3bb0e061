"""The changelog's fragments, checked and gathered in small projects of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "changelog.py"
MARK = "<!-- the next release goes here -->\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one release behind it."""
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").write_text("# How to\n")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{MARK}\n## 0.1.0 (2027-01-01)\n")
    return tmp_path


def run(project: Path, *arguments: str) -> tuple[int, str]:
    """Run the script there."""
    argv = (sys.executable, str(SCRIPT), *arguments)
    done = subprocess.run(argv, check=False, capture_output=True, text=True, cwd=project)
    return done.returncode, done.stdout


def add(project: Path, name: str, text: str = "Words.\n") -> None:
    """Write a fragment."""
    (project / "changelog.d" / name).write_text(text)


def test_well_named_fragments_pass(project: Path) -> None:
    """A fragment with a slug, a known type and some words is in order."""
    add(project, "faster-harvest.changed.md")
    assert run(project, "check") == (0, "1 fragments for the next release\n")


@pytest.mark.parametrize("name", ["words.md", "words.improved.md", "Two Words.fixed.md", "x.fixed"])
def test_a_wrong_name_fails(project: Path, name: str) -> None:
    """A name without a known type, or not made of small letters and hyphens, is refused."""
    add(project, name)
    code, said = run(project, "check")
    assert code == 1
    assert f"changelog.d/{name}: name it" in said


def test_an_empty_fragment_fails(project: Path) -> None:
    """A fragment without words is refused."""
    add(project, "nothing.fixed.md", "\n")
    assert run(project, "check")[0] == 1


def test_a_lost_mark_fails(project: Path) -> None:
    """A changelog that a release could not be written into is seen before the release."""
    (project / "CHANGELOG.md").write_text("# Changelog\n")
    assert run(project, "check")[0] == 1


def test_a_release_gathers_the_fragments(project: Path) -> None:
    """A release stands above the one before, grouped by type, and its fragments are gone."""
    add(project, "b.fixed.md", "It no longer\nwaits.\n")
    add(project, "a.added.md", "A new way.\n")
    assert run(project, "release", "0.2.0", "2027-02-01")[0] == 0
    text = (project / "CHANGELOG.md").read_text()
    assert text == (
        f"# Changelog\n\n{MARK}\n## 0.2.0 (2027-02-01)\n\n"
        "### Added\n\n- A new way.\n\n### Fixed\n\n- It no longer\n  waits.\n"
        "\n## 0.1.0 (2027-01-01)\n"
    )
    assert [path.name for path in (project / "changelog.d").iterdir()] == ["README.md"]


def test_an_unknown_request_explains(project: Path) -> None:
    """Anything but the two requests shows how the script is used, and fails."""
    code, said = run(project, "publish")
    assert code == 2
    assert "changelog.py check" in said
