"""Get the package from the package index, and make a git repository of it.

The digest is checked by pip. No wheel is built; pip asks the package for its name and version, with
the build tool that is installed here. Nothing of it stays behind: the caller's folder is temporary.
"""

import subprocess
import sys
from pathlib import Path

from acceptance.place import Place
from acceptance.wanted import Package

DOWNLOAD_LIMIT_S = 120.0


class NotDownloaded(Exception):
    """The package could not be had. The message says so, with pip's last words."""


def download(package: Package, folder: Path) -> Path:
    """The source distribution, as a file in `folder`. Raises NotDownloaded."""
    wanted = folder / "wanted.txt"
    pinned = f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n"
    wanted.write_text(pinned, encoding="utf-8")
    argv = (sys.executable, "-m", "pip", "download", "--quiet", "--retries", "2", "--no-deps")
    source = ("--no-binary", ":all:", "--no-build-isolation", "--require-hashes")
    try:
        done = subprocess.run(
            (*argv, *source, "--dest", str(folder), "--requirement", str(wanted)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotDownloaded(f"pip did not end within {DOWNLOAD_LIMIT_S:g} s") from error
    found = sorted(folder.glob("*.tar.gz"))
    if done.returncode or len(found) != 1:
        raise NotDownloaded(done.stderr.strip() or "pip said nothing")
    return found[0]


def make_repository(place: Place, package: Package, archive: Path) -> str:
    """Unpack the package into the place's checkout and commit it; the commit."""
    for folder in (place.repository, place.home, place.scratch, place.meetings):
        folder.mkdir()
    unpack = ("tar", "--extract", "--gzip", "--strip-components=1", "--no-same-owner")
    place.must(*unpack, "--file", str(archive))
    place.git("init", "--quiet", "--initial-branch", "main")
    place.git("config", "user.name", "A person")
    place.git("config", "user.email", "person@example.invalid")
    return commit_all(place, f"{package.name} {package.version}, as it was published")


def commit_all(place: Place, message: str) -> str:
    """Commit everything in the checkout; the commit."""
    place.git("add", "--all")
    place.git("commit", "--quiet", "--message", message)
    return place.git("rev-parse", "HEAD")
