"""Issues as Markdown files in a folder: `NNN-slug.md`, the number being the issue's id.

The folder is the user's and is read as it is now, each time. It is written by `add` alone, one
new file at a time; no file that exists is ever changed, and no outcome is ever written here.
"""

import contextlib
import fcntl
import os
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tidegate.config.frontmatter import Scalar
from tidegate.config.problem import Misconfigured, Problem
from tidegate.config.reading import read_text
from tidegate.core.errors import Misused, Unavailable
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.core.text import first_unsafe, printable
from tidegate.trackers.issue_file import Written, read_issue, title_complaint, written_issue
from tidegate.trackers.needs import with_needs
from tidegate.trackers.remembered import Remembered, Stamp, recall, remember, stamp_of

SIZE_MAX_BYTES = 8_388_608
SLUG_MAX = 50
LOCK_WAIT_S = 10.0
_LOCK_STEP_S = 0.02
_DIGITS_MIN = 3
_NAME = re.compile(r"(?P<number>[0-9]+)-[^/]+\.md")


@record(kw_only=False)
class MarkdownTracker:
    """The issues in `folder`, a path below the repository's `root`.

    `memory` is a file in which what was read is remembered; None where nothing is.
    """

    root: Path
    folder: str = ".tidegate/issues"
    memory: Path | None = None

    def issues(self) -> Sequence[Issue]:
        """All issues, by number. Raises Misconfigured with all problems of all files.

        The folder is looked at each time; a file that is as it was when it was last read is not
        read again.
        """
        stamps = dict(self._stamps())
        known = recall(self.memory, self._place) if self.memory is not None else {}
        if len(known) == len(stamps) and all(
            name in known and known[name].stamp == stamp for name, stamp in stamps.items()
        ):
            return tuple(each.issue for each in sorted(known.values(), key=_number))
        return self._read_all(stamps, known)

    def _read_all(
        self, stamps: Mapping[str, Stamp], known: Mapping[str, Remembered]
    ) -> Sequence[Issue]:
        problems: list[Problem] = []
        found: dict[int, Written] = {}
        names = sorted(self._numbered(stamps, problems).items())
        for number, name in names:
            kept = known.get(name)
            try:
                is_known = kept is not None and kept.stamp == stamps[name]
                found[number] = _written(kept) if kept and is_known else self._read(name)
            except FileNotFoundError:
                continue  # It was removed since the folder was listed.
            except Misconfigured as error:
                problems.extend(error.problems)
        issues = () if problems else with_needs(found, problems=problems)
        if problems:
            raise Misconfigured(problems)
        if self.memory is not None:
            read = {
                name: Remembered(stamps[name], issue, _as_told(found[number]))
                for (number, name), issue in zip(
                    ((n, name) for n, name in names if n in found), issues, strict=True
                )
            }
            remember(self.memory, self._place, read)
        return issues

    @property
    def _place(self) -> str:
        """The folder by its whole path: linked worktrees share a memory and not their issues."""
        return str(self.root / self.folder)

    def add(
        self,
        title: str,
        *,
        text: str,
        footprint: Sequence[str],
        priority: int,
        above: int = 0,
    ) -> Issue:
        """Write a new issue under the next free number; safe for any number of adders at once.

        Raises Misused where it could not be read back as it is, and Unavailable where the folder
        cannot be written.
        """
        draft = _draft(title, text=text, footprint=footprint, priority=priority)
        folder = self.root / self.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _locked(folder) as descriptor:
                number = _next_number([path.name for path in folder.iterdir()], above=above)
                name = f"{number}-{slug(title)}.md"
                _write_new(descriptor, name, draft.encode())
        except OSError as error:
            message = f"the issue could not be written to {self.folder} ({error.strerror})"
            raise Unavailable(message, hint="nothing was added; try again") from error
        return read_issue(draft, number=number, file=f"{self.folder}/{name}").issue

    def _numbered(self, names: Iterable[str], problems: list[Problem]) -> Mapping[int, str]:
        """The name of each issue's file by its number; names that will not do become problems."""
        named: dict[int, str] = {}
        for name in sorted(names):
            match = _NAME.fullmatch(name) if first_unsafe(name) is None else None
            first = named.setdefault(int(match["number"]), name) if match else None
            if first != name:
                problems.append(self._misnamed(name, first))
        return named

    def _stamps(self) -> Iterator[tuple[str, Stamp]]:
        """The names of issues' files, with what tells their contents apart.

        A file is looked at before it is read: one that changes in between is read once more.
        """
        try:
            with os.scandir(self.root / self.folder) as entries:
                found = [each for each in entries if _is_issue(each.name)]
        except OSError as error:
            message = f"the folder of the issues, {self.folder}, cannot be read ({error.strerror})"
            hint = "run `tidegate init`, or set `path` in [tracker]"
            raise Misused(message, hint=hint) from error
        for each in found:
            with contextlib.suppress(FileNotFoundError):
                yield each.name, stamp_of(each.stat(follow_symlinks=False))

    def _misnamed(self, name: str, first: str | None) -> Problem:
        if first is None:
            what, fix = "this is no issue's name", "call it NNN-words.md, such as 007-fix-login.md"
        else:
            what = f"it has the number of {first}"
            fix = "a number is an id: give one of the two another"
        return Problem(file=self._shown(name), line=1, what=what, fix=fix)

    def _read(self, name: str) -> Written:
        shown = self._shown(name)
        path = self.root / self.folder / name
        text = read_text(path, shown=shown, size_max=SIZE_MAX_BYTES, links=False)
        return read_issue(text, number=name.partition("-")[0], file=shown)

    def _shown(self, name: str) -> str:
        return f"{self.folder}/{name}"


def _is_issue(name: str) -> bool:
    return name.endswith(".md") and not name.startswith(".")


def _number(remembered: Remembered) -> int:
    return int(remembered.issue.id)


def _written(remembered: Remembered) -> Written:
    """As it was read, before its needs were looked at beside the other issues."""
    needs = tuple(Scalar(text=text, line=line) for text, line in remembered.needs)
    return Written(issue=remembered.issue, needs=needs)


def _as_told(written: Written) -> tuple[tuple[str, int], ...]:
    return tuple((need.text, need.line) for need in written.needs)


def slug(title: str) -> str:
    """A title as part of a file's name: ASCII letters and digits, hyphens, at most `SLUG_MAX`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    kept = ""
    for word in words:
        if len(kept) + 1 + len(word) > SLUG_MAX:
            break
        kept = f"{kept}-{word}" if kept else word
    return kept or "".join(words)[:SLUG_MAX] or "issue"


def _draft(title: str, *, text: str, footprint: Sequence[str], priority: int) -> str:
    """The file's text, proved to be readable. Raises Misused in the words of the reader."""
    complaint = title_complaint(title.strip())
    if complaint is not None:
        what, _, fix = complaint.partition(": ")
        raise Misused(f"the issue was not added: `title`: {what}", hint=fix)
    body = text.replace("\r\n", "\n").strip("\n")
    draft = written_issue(title.strip(), text=body, footprint=footprint, priority=priority)
    try:
        read_issue(draft, number="0", file="the new issue")
        size = len(draft.encode())
    except Misconfigured as error:
        first = error.problems[0]
        message = printable(f"the issue was not added: {first.what}")
        raise Misused(message, hint=first.fix, did_you_mean=first.did_you_mean) from None
    except UnicodeEncodeError:
        raise Misused("the issue was not added: it is not UTF-8", hint="write UTF-8") from None
    if size > SIZE_MAX_BYTES:
        message = f"the issue was not added: it has {size} bytes"
        raise Misused(message, hint=f"{SIZE_MAX_BYTES} is the limit")
    return draft


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Hold the folder's lock, on its own descriptor: two adders never pick the same number."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _lock(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    limit = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > limit:
                message = f"the folder of the issues has been locked for {LOCK_WAIT_S:g} s"
                raise Unavailable(message, hint="see who adds issues, and try again") from None
            time.sleep(_LOCK_STEP_S)
        else:
            return


def _next_number(names: Sequence[str], *, above: int) -> str:
    """One above the highest, in as many digits as the longest has. Gaps stay gaps.

    `above` is the highest number that ever was used, as far as the caller knows: an issue whose
    file is gone keeps its number.
    """
    taken = [match["number"] for match in map(_NAME.fullmatch, names) if match]
    digits = max([_DIGITS_MIN, *map(len, taken)])
    return str(max([above, *map(int, taken)]) + 1).rjust(digits, "0")


def _write_new(descriptor: int, name: str, content: bytes) -> None:
    """Give a file its name only once its content is on the disk, and never another file's name."""
    draft = f".{name}.{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    file = os.open(draft, flags, 0o666, dir_fd=descriptor)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(file)
        os.link(draft, name, src_dir_fd=descriptor, dst_dir_fd=descriptor)
    finally:
        os.unlink(draft, dir_fd=descriptor)
    os.fsync(descriptor)
