"""Faults in the system calls of a process, by strace: counted first, then injected one by one.

Two traps are kept out here. An injection that never fires leaves a test green, so each run says
whether its fault was seen in the log (`--seccomp-bpf` is not used: with it nothing fires). And
strace counts calls for each process apart, so a process of git's is named by its number: a git that
stands first on the PATH counts itself, and only the one that is meant is traced.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import until

DURABLE = (
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "syncfs",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "link",
    "linkat",
    "ftruncate",
)
"""What changes a disk, or waits for one. A machine may lack some of them: `?` says that is fine."""

LIMIT_S = 60.0
"""What takes longer hangs."""
_NO_CODE = "PYTHONDONTWRITEBYTECODE"
_MARK = "TIDEGATE_CRASH_MARK"
_CALL = re.compile(r"^(\w+)\(", re.MULTILINE)
_SYNCED = re.compile(r"^\w*sync\w*\(\d+<([^>]*)>", re.MULTILINE)
_KILLED = "+++ killed by SIGKILL +++"
_WRAPPER = """\
#!/bin/sh
at={folder}
export GIT_EXEC_PATH=$at/exec
set -C
number=1
while ! true 2>/dev/null > $at/begun.$number; do number=$((number + 1)); done
set +C
if test -e $at/count; then
    exec strace -o $at/log.$number -e trace={durable} -- {git} "$@"
elif test -e $at/fault.$number; then
    exec strace -y -o $at/log $(cat $at/fault.$number) -- {git} "$@"
fi
exec {git} "$@"
"""
"""Git's own children come by here as well, since it looks for them where GIT_EXEC_PATH says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The n-th call of one kind, in our process (git 0) or in one of its gits, counted from 1."""

    call: str
    nth: int
    git: int = 0

    def __str__(self) -> str:
        """For people."""
        where = f"git {self.git}, " if self.git else ""
        return f"{where}{self.call} {self.nth}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended. `fired`: the fault is in strace's log."""

    code: int
    out: str
    err: str
    fired: bool
    log: str

    @property
    def acknowledged(self) -> tuple[str, ...]:
        """The whole lines that it said: what it was killed in the middle of, it has not said."""
        said, _, _ = self.out.rpartition("\n")
        return tuple(said.splitlines())


def failed_sync(log: str) -> str:
    """The path whose sync was made to fail."""
    before, _, _ = log.partition("(INJECTED)")
    return str(_SYNCED.findall(before)[-1])


def synced_again(log: str) -> list[str]:
    """What was synced once more after its sync had failed: the kernel would say that all is well.

    A folder may be: it is another file each time that it is opened.
    """
    _, _, after = log.partition("(INJECTED)")
    failed = failed_sync(log)
    return [path for path in _SYNCED.findall(after) if path == failed and not Path(path).is_dir()]


def missing() -> str:
    """What this machine lacks for it; empty where nothing is."""
    return "" if shutil.which("strace") else "strace is not installed (Debian: apt install strace)"


class Tracer:
    """Runs one command again and again, with other faults. `folder` is its own."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._folder = folder
        self._mark = f"{os.getpid()}-{folder}"
        self._env = {**env, _MARK: self._mark}
        self._wrap_git()

    def plain(self, argv: Sequence[str], before: Callable[[], None] | None = None) -> Ended:
        """Run it without a fault in its calls. Code that was not compiled yet is from now on.

        `before` is called in the child before the program begins. Such a child writes no compiled
        code: Python takes a short write for a whole one there, and would leave half of a file.
        """
        env = self._env
        if before is None:
            env = {name: value for name, value in env.items() if name != _NO_CODE}
        return self._run(argv, env, before)

    def points(self, argv: Sequence[str]) -> list[Point]:
        """Run it once to its end, and name the durable calls that our own process made."""
        log = self._folder / "log"
        ended = self._run((*_strace(log, ",".join(f"?{name}" for name in DURABLE)), *argv))
        assert ended.code == 0, f"without a fault: {ended.err or ended.out}"
        return list(_counted(log, 0))

    def git_points(self, argv: Sequence[str]) -> list[Point]:
        """Run it once to its end, and name the durable calls that its gits made."""
        self._clear_gits()
        (self._folder / "count").touch()
        ended = self._run(argv, self._with_git())
        (self._folder / "count").unlink()
        assert ended.code == 0, f"without a fault: {ended.err or ended.out}"
        begun = range(1, len(list(self._folder.glob("begun.*"))) + 1)
        return [
            point for number in begun for point in _counted(self._folder / f"log.{number}", number)
        ]

    def killed(self, argv: Sequence[str], point: Point) -> Ended:
        """Kill it, or one git of its, before this call takes effect; nothing of it lives on."""
        return self.faulty(argv, point, "signal=KILL")

    def faulty(self, argv: Sequence[str], point: Point, fault: str) -> Ended:
        """Have this call fail; `fault` as strace has it: ``error=EIO``, ``signal=KILL``."""
        self._clear_gits()
        log = self._folder / "log"
        log.unlink(missing_ok=True)
        if not point.git:
            command = (*_strace(log, _injection(point, fault)), *argv)
            ended = self._run(command, self._env)
        else:
            words = " ".join(_strace(log, _injection(point, fault))[4:-1])
            (self._folder / f"fault.{point.git}").write_text(words, encoding="utf-8")
            ended = self._run(argv, self._with_git())
        self._end_survivors()
        return Ended(
            code=ended.code,
            out=ended.out,
            err=ended.err,
            fired=_has_fired(log, point, fault),
            log=log.read_text(encoding="utf-8", errors="replace") if log.exists() else "",
        )

    def _with_git(self) -> dict[str, str]:
        return self._env | {"PATH": f"{self._folder / 'bin'}:{self._env['PATH']}"}

    def _run(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> Ended:
        done = subprocess.run(
            argv,
            env=self._env if env is None else env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
            start_new_session=True,
            preexec_fn=before,
        )
        out, err = (said.decode(errors="replace") for said in (done.stdout, done.stderr))
        return Ended(code=done.returncode, out=out, err=err, fired=False, log="")

    def _wrap_git(self) -> None:
        real = shutil.which("git", path=self._env["PATH"])
        assert real is not None
        told = subprocess.run([real, "--exec-path"], capture_output=True, text=True, check=True)
        own, execs = self._folder / "bin", self._folder / "exec"
        for folder in (own, execs):
            folder.mkdir(parents=True)
        script = _WRAPPER.format(
            folder=shlex.quote(str(self._folder)),
            durable=",".join(f"?{name}" for name in DURABLE),
            git=shlex.quote(real),
        )
        (own / "git").write_text(script, encoding="utf-8")
        (own / "git").chmod(0o755)
        (execs / "git").symlink_to(own / "git")
        for entry in Path(told.stdout.strip()).iterdir():
            if entry.name != "git":
                (execs / entry.name).symlink_to(entry)

    def _clear_gits(self) -> None:
        for pattern in ("begun.*", "fault.*", "log.*"):
            for left in self._folder.glob(pattern):
                left.unlink()

    def _end_survivors(self) -> None:
        """Kill what the killed one had started, as a runner's sweep does, and wait for its end."""

        def are_gone() -> bool:
            living = list(self._living())
            for pid in living:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not living

        until(are_gone)

    def _living(self) -> Iterator[int]:
        mark = os.fsencode(f"{_MARK}={self._mark}")
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                with suppress(OSError):
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        yield int(entry.name)


def environment(home: Path) -> dict[str, str]:
    """What a program under test gets: no coverage, no caches of code, nothing that is a write."""
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(place for place in sys.path if place),
        _NO_CODE: "1",
        "PYTHONHASHSEED": "0",
    }


def _strace(log: Path, expressions: str) -> tuple[str, ...]:
    return (
        "strace",
        "-y",
        "-o",
        str(log),
        "-e",
        f"trace={expressions.partition(':')[0]}",
        *(("-e", f"inject={expressions}") if ":" in expressions else ()),
        "--",
    )


def _injection(point: Point, fault: str) -> str:
    return f"{point.call}:{fault}:when={point.nth}"


def _counted(log: Path, git: int) -> Iterator[Point]:
    """Each call of a log as a point. A git that did nothing durable has an empty log."""
    seen: Counter[str] = Counter()
    for call in _CALL.findall(log.read_text(encoding="utf-8", errors="replace")):
        seen[call] += 1
        yield Point(call=call, nth=seen[call], git=git)


def _has_fired(log: Path, point: Point, fault: str) -> bool:
    if not log.exists():
        return False
    text = log.read_text(encoding="utf-8", errors="replace")
    calls = _CALL.findall(text)
    if fault == "signal=KILL":
        return text.rstrip().endswith(_KILLED) and calls == [point.call] * point.nth
    return "(INJECTED)" in text and len(calls) >= point.nth
