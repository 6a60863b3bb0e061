"""What is claimed of the world after a run, each claim looked up in it: git, /proc, the disk."""

from collections.abc import Iterator, Mapping, Sequence

from acceptance import claims, leftovers, witness
from acceptance.claims import Claim, Log, of_kind
from acceptance.conduct import Covered
from acceptance.place import Place, Told
from acceptance.wanted import End, Package


def trees_of_landed(place: Place, log: Log) -> Mapping[str, str]:
    """Commit -> its tree as git has it, of each that landed."""
    commits = [event.body["commit"] for event in of_kind(log, "landed")]
    return {commit: place.git("rev-parse", f"{commit}^{{tree}}") for commit in commits}


def first_parents(place: Place, base: str, ref: str) -> Sequence[str]:
    """The commits of a branch from a base on, the oldest first, along first parents."""
    chain = place.git("rev-list", "--first-parent", "--reverse", f"{base}..{ref}")
    return chain.splitlines()


def covered(place: Place, package: Package, *commits: str) -> Covered:
    """Each pattern of the issues -> the files of these commits that it covers, as git reads it."""
    patterns = {pattern for wanted in package.wanted for pattern in wanted.footprint}
    return {
        pattern: frozenset(
            path
            for commit in commits
            for path in _moved(place, _EMPTY_TREE, commit, f":(glob){pattern}")
        )
        for pattern in patterns
    }


_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def _moved(place: Place, old: str, new: str, *pathspecs: str) -> Sequence[str]:
    return place.git("diff", "--name-only", "--no-renames", old, new, "--", *pathspecs).splitlines()


def strayed(place: Place, package: Package, log: Log) -> Mapping[str, Sequence[str]]:
    """Landed commit -> the paths that it moves and its issue does not name.

    Where the issue names none any may change.
    """
    footprints = {wanted.id: wanted.footprint for wanted in package.wanted}
    found: dict[str, Sequence[str]] = {}
    for event in of_kind(log, "landed"):
        commit = event.body["commit"]
        outside = [f":(exclude,glob){pattern}" for pattern in footprints[event.lane]]
        found[commit] = _moved(place, f"{commit}^1", commit, ".", *outside) if outside else ()
    return found


def told_after_red(place: Place, log: Log) -> Mapping[str, tuple[str, str]]:
    """Red check -> what it printed, and the finding that its builder had in the turn after it.

    The last FAIL of a lane that stopped has no turn after it.
    """
    (run,) = (place.ledger_folder / "runs").iterdir()
    found = {}
    for check, build, turn in claims.red_checks(log):
        finding = run / "attempts" / build / "turns" / str(turn + 1) / "finding.md"
        printed = run / "attempts" / check / "turns" / "1" / "stdout"
        if finding.exists():
            found[check] = (printed.read_text("utf-8"), finding.read_text("utf-8"))
    return found


def parts(place: Place, ref: str) -> Claim:
    """The large file is a pointer in git, and the submodule's commit is in the user's own store."""
    corpus = place.git("show", f"{ref}:corpus.txt")
    commit = place.git("rev-parse", f"{ref}:words")
    store = place.repository / ".git" / "modules" / "words"
    known = place.tell("git", "cat-file", "-e", f"{commit}^{{commit}}", cwd=store)
    problems = [] if corpus.startswith("version https://git-lfs") else [f"corpus.txt is {corpus!r}"]
    if known.code:
        problems.append(f"{commit} is not in {store}: {known.said}")
    return Claim(
        name="the large file landed as a pointer, the submodule's commit is in its store",
        problems=tuple(problems),
        evidence=f"{' '.join(corpus.splitlines()[1:])}; words at {commit[:10]}",
    )


def fresh_clone(place: Place, package: Package, ref: str) -> Iterator[Claim]:
    """In a fresh clone of what landed the package's tests pass, and every change is there."""
    clone = place.folder / "clone"
    if package.has_parts:
        _publish_submodule(place, ref)
    whole = ("--recurse-submodules",) if package.has_parts else ()
    branch = ref.removeprefix("refs/heads/")
    place.git("clone", "--quiet", *whole, "--branch", branch, str(place.repository), str(clone))
    tests = place.tell("sh", "-c", package.tests, cwd=clone)
    yield Claim(
        name="the package's own tests pass in a fresh clone of what landed",
        problems=() if tests.code == 0 else (f"exit code {tests.code}:\n{tests.said}",),
        evidence=_last_line(tests),
    )
    proofs = {i: place.tell(*proof, cwd=clone).code for i, proof in package.proofs.items()}
    yield Claim(
        name="each landed change is in it",
        problems=tuple(f"{i}: its proof exited {code}" for i, code in proofs.items() if code),
        evidence=f"the proofs of {' '.join(proofs)} pass; on the base they fail",
    )


def _publish_submodule(place: Place, ref: str) -> None:
    """Push the commit of the submodule that landed, as a person does before what names it.

    It must be in the store of the user's own checkout by now.
    """
    commit = place.git("rev-parse", f"{ref}:words")
    store = place.repository / ".git" / "modules" / "words"
    place.git("push", "--quiet", "origin", f"{commit}:refs/heads/main", cwd=store)


def nothing_is_done_yet(place: Place, package: Package) -> Claim:
    """On the base every proof fails: otherwise it would prove nothing afterwards."""
    codes = {i: place.tell(*proof).code for i, proof in package.proofs.items()}
    return Claim(
        name="no change is in the base",
        problems=tuple(f"{i}: its proof exited {code}" for i, code in codes.items() if code != 1),
        evidence=f"the proofs of {' '.join(codes)} fail",
    )


def untouched(place: Place, before: Mapping[str, str]) -> Claim:
    """The user's checkout and git folder are byte for byte what they were."""
    after = witness.snapshot(place.repository)
    return Claim(
        name="the user's checkout, HEAD, index, settings and refs are untouched",
        problems=tuple(witness.changes(before, after)),
        evidence=f"{len(after)} files, {sum(n.startswith('.git/') for n in after)} of them git's",
    )


def nothing_left(place: Place) -> Iterator[Claim]:
    """No process, no workspace and no folder of a job is left."""
    yield _none_left("no process is left", leftovers.processes(place.folder), "none in /proc")
    workspaces = leftovers.contents(place.state / "tidegate")
    yield _none_left("no workspace is left", workspaces, f"nothing in {place.state}/tidegate")
    jobs = (
        path
        for run in (place.ledger_folder / "runs").iterdir()
        for path in leftovers.contents(run / "jobs")
    )
    yield _none_left("no folder of a job is left", jobs, "nothing in runs/*/jobs")


def nothing_strewn(place: Place, before: Mapping[str, str]) -> Claim:
    """In the user's home and in the folder for temporary files is what was there before."""
    after = strewn(place)
    return Claim(
        name="no stray file is in HOME or TMPDIR",
        problems=tuple(witness.changes(before, after)),
        evidence=f"{len(after)} files there, as before",
    )


def strewn(place: Place) -> Mapping[str, str]:
    """What is in the user's home and in the folder for temporary files."""
    return {**witness.snapshot(place.home), **witness.snapshot(place.scratch)}


def _none_left(name: str, found: Iterator[str], evidence: str) -> Claim:
    return Claim(name=name, problems=tuple(found), evidence=evidence)


def second_run(place: Place, run: str) -> Claim:
    """A second run has nothing to do, says so, and begins no run."""
    told = place.tidegate("run")
    return _answers(
        "a second run has nothing to do",
        (told, 0, "nothing to do"),
        (place.tidegate("status"), 0, f'"run": "{run}"'),
    )


def lands(place: Place, package: Package, commit: str) -> Claim:
    """`land` fast-forwards the branch that is checked out; a second one says it is all there."""
    before = place.git("rev-parse", "HEAD")
    first, second = place.tidegate("land"), place.tidegate("land")
    problems = list(_answers("", (first, 0, commit[:10]), (second, 0, "already")).problems)
    if package.has_parts:
        place.git("submodule", "--quiet", "update")
    head, branch = place.git("rev-parse", "HEAD"), place.git("symbolic-ref", "HEAD")
    if (head, branch) != (commit, "refs/heads/main"):
        problems.append(f"HEAD is {branch} at {head}, not main at {commit}")
    if changed := place.git("status", "--porcelain"):
        problems.append(f"the checkout is not what was landed:\n{changed}")
    proofs = {i: place.tell(*proof).code for i, proof in package.proofs.items()}
    problems += [f"{i}: its proof exited {code}" for i, code in proofs.items() if code]
    return Claim(
        name="`land` fast-forwards the branch, and a second one has nothing to add",
        problems=tuple(problems),
        evidence=f"main {before[:10]} -> {head[:10]}; {second.output.strip()}",
    )


def faces(place: Place, package: Package) -> Claim:
    """The reading commands answer, and exit as they are documented to."""
    stopped = sorted(package.ending(End.STOPPED))
    one = min(package.ending(End.LANDED))
    of_stopped = (
        (place.tidegate("status", "--no-json"), 0, f"{len(stopped)} stopped"),
        *((place.tidegate("log", lane), 0, "FAIL 3") for lane in stopped),
    )
    return _answers(
        "status, show, explain, log and doctor exit as documented",
        *(of_stopped if stopped else ()),
        (place.tidegate("status", "--run", "19700101-0000"), 2, "19700101-0000"),
        (place.tidegate("show", one), 0, one),
        (place.tidegate("show", "999"), 2, "999"),
        (place.tidegate("explain", "--no-json"), 0, "landed in run"),
        (place.tidegate("explain", "999"), 2, "999"),
        (place.tidegate("doctor", "--no-json"), 0, "ok"),
    )


def _answers(name: str, *expected: tuple[Told, int, str]) -> Claim:
    """Each command exited so, and said those words somewhere."""
    problems = [
        f"{told.command} exited {told.code}, expected {code} and {words!r}: {told.said}"
        for told, code, words in expected
        if told.code != code or words not in told.said
    ]
    codes = ", ".join(f"{told.command} {told.code}" for told, _, _ in expected)
    return Claim(name=name, problems=tuple(problems), evidence=codes)


def _last_line(told: Told) -> str:
    return told.output.strip().rpartition("\n")[2]
