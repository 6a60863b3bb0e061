"""The check of the pages, run on small projects of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "docs_check.py"
README = "# A project\n\nRun `make demo`, then `make test`.\n"


def check(project: Path, **pages: str) -> tuple[int, str]:
    """Run the check on a project that has these pages."""
    subprocess.run(("git", "init", "-q", project), check=True)
    for name, text in ({"README": README} | pages).items():
        (project / f"{name}.md").write_text(text)
    argv = (sys.executable, SCRIPT)
    done = subprocess.run(argv, check=False, capture_output=True, text=True, cwd=project)
    return done.returncode, done.stdout


def test_good_pages_pass(tmp_path: Path) -> None:
    """Links to files, headings and other sites pass, and so does anything shown as code."""
    page = "[a](README.md#a-project) [b](#here) [c](https://example.org) `[d](no)`\n\n## Here\n"
    assert check(tmp_path, page=page) == (0, "2 pages, 2 files\n")


@pytest.mark.parametrize("target", ["gone.md", "README.md#gone", "#gone", "docs/"])
def test_a_link_that_leads_nowhere_fails(tmp_path: Path, target: str) -> None:
    """A missing file, folder or heading is named with its page."""
    code, said = check(tmp_path, page=f"[words]({target})\n")
    assert code == 1
    assert f"page.md: the link {target}" in said


@pytest.mark.parametrize("shown", ["make demo", "make test"])
def test_the_readme_shows_the_first_commands(tmp_path: Path, shown: str) -> None:
    """A README without one of the two commands to start with fails."""
    code, said = check(tmp_path, README=README.replace(shown, ""))
    assert code == 1
    assert f"it does not show `{shown}`" in said


def test_a_home_directory_fails(tmp_path: Path) -> None:
    """A page that names somebody's home is no page for everybody."""
    home = "/home/ada/project"
    code, said = check(tmp_path, page=f"Look into {home} for it.\n")
    assert code == 1
    assert "page.md:1: a path of one machine" in said


def test_the_checkout_itself_fails(tmp_path: Path) -> None:
    """Where the checkout lies is not written into the project."""
    code, said = check(tmp_path, page=f"one\n\n{tmp_path.resolve()}\n")
    assert code == 1
    assert "page.md:3: a path of one machine" in said
