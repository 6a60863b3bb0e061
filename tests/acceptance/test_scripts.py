"""The scripts that stand between a package and its run: the flaky check, the filter."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from acceptance.outset import AGENTS

CONTENT = b"box boxes\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def script(name: str, *arguments: str, cwd: Path, stdin: bytes = b"") -> bytes:
    """Run a script of the acceptance; what it printed. It must end well."""
    argv = ("sh", str(AGENTS / name), *arguments)
    return subprocess.run(argv, cwd=cwd, input=stdin, capture_output=True, check=True).stdout


def test_a_flaky_check_fails_each_third_time(tmp_path: Path) -> None:
    """It counts in a file, so that whoever runs it makes no difference."""
    counter = tmp_path / "counter"
    counter.write_text("0\n")
    argv = ("sh", str(AGENTS / "flaky.sh"), str(counter), "exit 0")
    codes = [subprocess.run(argv, capture_output=True, check=False).returncode for _ in range(7)]
    assert codes == [0, 0, 1, 0, 0, 1, 0]
    assert counter.read_text() == "7\n"


def test_a_flaky_check_is_the_real_one_otherwise(tmp_path: Path) -> None:
    """A check that is red is red."""
    (tmp_path / "counter").write_text("0\n")
    argv = ("sh", str(AGENTS / "flaky.sh"), str(tmp_path / "counter"), "exit 7")
    assert subprocess.run(argv, check=False).returncode == 7


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that is called as it lies in a checkout of the user's."""
    folder = tmp_path / "repository"
    subprocess.run(("git", "init", "--quiet", str(folder)), check=True)
    return folder


def test_the_filter_keeps_content_beside_git(repository: Path) -> None:
    """What git gets is a pointer, from which the content comes back; a pointer stays as it is."""
    pointer = script("large.sh", "clean", cwd=repository, stdin=CONTENT)
    assert f"oid sha256:{DIGEST}\nsize {len(CONTENT)}\n" in pointer.decode()
    kept = repository / ".git" / "lfs" / "objects" / DIGEST[:2] / DIGEST[2:4] / DIGEST
    assert kept.read_bytes() == CONTENT
    assert script("large.sh", "smudge", cwd=repository, stdin=pointer) == CONTENT
    assert script("large.sh", "clean", cwd=repository, stdin=pointer) == pointer
    assert list((repository / ".git" / "lfs" / "tmp").iterdir()) == []


def test_the_filter_takes_what_it_lacks_from_where_it_was_cloned(
    repository: Path, tmp_path: Path
) -> None:
    """And what is nowhere stays a pointer, so that its absence is seen."""
    pointer = script("large.sh", "clean", cwd=repository, stdin=CONTENT)
    clone = tmp_path / "clone"
    subprocess.run(("git", "init", "--quiet", str(clone)), check=True)
    assert script("large.sh", "smudge", cwd=clone, stdin=pointer) == pointer
    address = ("git", "-C", str(clone), "config", "remote.origin.url", str(repository))
    subprocess.run(address, check=True)
    assert script("large.sh", "smudge", cwd=clone, stdin=pointer) == CONTENT
