"""What of the user's settings goes with a workspace, and what would not work there.

A clone takes files along and none of the configuration that makes them whole: filter programs,
addresses of submodules, ignore rules that are not committed. Of these only a short list is carried,
as values; nothing in a workspace ever reads the user's configuration.
"""

import os
import re

from tidegate.git.command import Git, Settings
from tidegate.git.repository import Repository

FILTERS_ALLOWED = ("lfs",)
"""Filter drivers that are carried. Any other could run what it likes in a harvest."""

EXCLUDES_BYTES_MAX = 1 << 20


def filters(repository: Repository) -> Settings:
    """Return the settings of the allowed filter drivers, and where their large files are kept."""
    names = "|".join(map(re.escape, FILTERS_ALLOWED))
    found = _settings(repository.git, rf"^filter\.({names})\.(clean|smudge|process|required)$")
    if found and "lfs" in FILTERS_ALLOWED:
        found += (
            ("lfs.storage", os.path.join(repository.common_dir, "lfs")),
            # One that is not in the user's store stays a pointer. Else no file would be there.
            ("lfs.skipdownloaderrors", "true"),
        )
    return found


def filters_wanted(git: Git, commit: str) -> tuple[str, ...]:
    """List the filter drivers that the attribute files of a commit ask for.

    One that is asked for and not carried leaves stored text in place of content, in a workspace
    as in any clone without it; a run says so before it starts.
    """
    found = git.run(
        "grep",
        "-h",
        "-o",
        "-I",
        "-E",
        r"\<filter=[A-Za-z0-9_-]+",
        commit,
        "--",
        ":(glob)**/.gitattributes",
        ok_codes=(0, 1),
    )
    return tuple(sorted({line.partition("=")[2] for line in found.text.split()}))


def addresses(repository: Repository) -> tuple[str | None, dict[str, str]]:
    """Return the user's remote, and the addresses that they set for submodules by name.

    A relative address in a commit is meant relative to that remote; from a workspace it would be
    read as relative to the hub.
    """
    prefix, suffix, remote = "submodule.", ".url", "remote.origin.url"
    found = dict(_settings(repository.git, r"^(submodule\..*|remote\.origin)\.url$"))
    own = {
        key.removeprefix(prefix).removesuffix(suffix): url
        for key, url in found.items()
        if key != remote
    }
    return found.get(remote), own


def absolute(url: str, remote: str) -> str:
    """Join a relative address to a remote's, whose last name stands for the repository itself."""
    if not url.startswith(("./", "../")):
        return url
    joined = remote.rstrip("/")
    while True:
        if url.startswith("../"):
            joined, url = joined.rpartition("/" if "/" in joined else ":")[0], url[3:]
        elif url.startswith("./"):
            url = url[2:]
        else:
            return f"{joined}/{url}"


def without_password(url: str) -> str:
    """Return an address without the name and password that it may carry: an agent will read it."""
    return re.sub(r"^(https?://)[^/@]*@", r"\1", url)


def excludes(repository: Repository) -> bytes:
    """Return the user's ignore rules that are in no commit: the global ones, then the local ones.

    They go into the hub and into each workspace, so that what the user's git would not commit is
    not committed there either.
    """
    named = _settings(repository.git, r"^core\.excludesfile$", "--type=path")
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    everywhere = named[-1][1] if named else os.path.join(home, "git", "ignore")
    here = os.path.join(repository.common_dir, "info", "exclude")
    return b"\n".join(filter(None, map(_read, (everywhere, here))))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(EXCLUDES_BYTES_MAX)
    except OSError:
        return b""


def _settings(git: Git, pattern: str, *options: str) -> Settings:
    found = git.run("config", "-z", *options, "--get-regexp", pattern, ok_codes=(0, 1))
    pairs = (os.fsdecode(item).partition("\n") for item in found.items)
    return tuple((key, value) for key, _, value in pairs)
