"""The check of sizes, run on small projects of its own."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "file_size.py"


def check(project: Path, text: str) -> tuple[int, str]:
    """Run the check on a project of one file, which git does not know yet."""
    subprocess.run(("git", "init", "-q", project), check=True)
    (project / "page.py").write_text(text)
    argv = (sys.executable, SCRIPT)
    done = subprocess.run(argv, check=False, capture_output=True, text=True, cwd=project)
    return done.returncode, done.stdout


def function(lines: int, docstring: str = "") -> str:
    """A function of that many lines, its docstring not counted."""
    return "def f():\n" + docstring + "    x = 1\n" * (lines - 1)


def test_a_file_may_have_500_lines(tmp_path: Path) -> None:
    """500 lines pass, 501 do not."""
    assert check(tmp_path, "x = 1\n" * 500) == (0, "no function found\n")
    code, said = check(tmp_path, "x = 1\n" * 501)
    assert code == 1
    assert "page.py: 501 lines, at most 500" in said


def test_a_function_may_have_50_lines(tmp_path: Path) -> None:
    """50 lines pass, 51 do not."""
    assert check(tmp_path, function(50))[0] == 0
    code, said = check(tmp_path, function(51))
    assert code == 1
    assert "page.py:1: f(): 51 lines, at most 50" in said


def test_a_docstring_does_not_count(tmp_path: Path) -> None:
    """A function of 50 lines passes with a docstring of any length."""
    docstring = '    """Why.\n' + "\n    More.\n" * 20 + '    """\n'
    code, said = check(tmp_path, function(50, docstring))
    assert code == 0, said
    assert "1 functions, median 50 lines, longest 50" in said


def test_a_method_counts(tmp_path: Path) -> None:
    """A long method is a long function."""
    body = "".join(f"    {line}\n" for line in function(51).splitlines())
    assert check(tmp_path, f"class C:\n{body}")[0] == 1
