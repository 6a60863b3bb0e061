"""Download packages, set Tidegate to work on each, and judge what came of it. Minutes.

    python -m acceptance [PACKAGE…]

Exit codes: 0 every claim holds; 1 one does not, or a proof could not go on; 3 a package could not
be downloaded, so nothing was proved of it; 2 there is no such package.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from pathlib import Path

from acceptance import afterwards, claims, conduct, witness
from acceptance.claims import Claim, Log
from acceptance.outset import must, set_up
from acceptance.package import NotDownloaded, download
from acceptance.packages import PACKAGES
from acceptance.place import Place, Trouble
from acceptance.running import Ran, run
from acceptance.wanted import FAILS_MAX, WIDTH, End, Package

Getter = Callable[[Package, Path], Path]
"""Where the archive of a package comes from. It may raise NotDownloaded."""


class Proof(IntEnum):
    """What came of one package; the worst is what the whole ends with."""

    HOLDS = 0
    WRONG = 1
    NOT_PROVED = 3


def prove(place: Place, package: Package) -> Iterator[Claim]:
    """Run once, then look at everything that is promised of a run."""
    yield afterwards.nothing_is_done_yet(place, package)
    base, before = place.git("rev-parse", "HEAD"), witness.snapshot(place.repository)
    strewn = afterwards.strewn(place)
    ran = run(place, package)
    yield afterwards.untouched(place, before)
    yield from afterwards.nothing_left(place)
    yield afterwards.nothing_strewn(place, strewn)
    told = ran.told
    try:
        result = json.loads(told.output)
        name, ref, commit = result["run"], result["target"]["ref"], result["target"]["commit"]
    except (ValueError, KeyError, TypeError) as error:
        raise Trouble(f"`run --json` exited {told.code} and said: {told.output}") from error
    yield claims.outcomes(result, told.code, {end: package.ending(end) for end in End})
    log = _log(place)
    yield from of_the_log(log, package, ran)
    yield from of_the_log_and_git(place, package, log, base=base, ref=ref)
    yield from afterwards.fresh_clone(place, package, ref)
    yield afterwards.second_run(place, name)
    yield afterwards.faces(place, package)
    yield afterwards.lands(place, package, commit)


def _log(place: Place) -> Log:
    told = place.tidegate("log", "--all", "--json")
    must(told)
    return claims.read_log(told.output)


def of_the_log(log: Log, package: Package, ran: Ran) -> Iterator[Claim]:
    """Everything that follows from the log alone."""
    yield claims.is_gapless(log)
    yield claims.base_first(log)
    yield conduct.within_width(log, WIDTH)
    yield claims.deserved(log, package.deserved)
    for lane in sorted(package.ending(End.STOPPED)):
        yield claims.stop(log, lane, fails=FAILS_MAX)
    if package.rivals:
        yield claims.carried_through(log, package.rivals, package.disputed)
    if package.is_flaky:
        yield claims.looked_again(log)
    if package.builder_killed:
        yield conduct.replaced(log, package.builder_killed, ran.builder_killed)
    if package.controller_killed:
        yield conduct.taken_up(log, package.controller_killed, ran.builder_left)


def of_the_log_and_git(
    place: Place, package: Package, log: Log, *, base: str, ref: str
) -> Iterator[Claim]:
    """What the log says, beside what git has."""
    yield conduct.apart(log, afterwards.covered(place, package, base, ref))
    if any("exit" in wanted.because for wanted in package.wanted):
        yield claims.word_for_word(afterwards.told_after_red(place, log))
    if package.has_parts:
        yield afterwards.parts(place, ref)
    yield conduct.within_footprints(log, afterwards.strayed(place, package, log))
    yield claims.landed_was_tested(log, afterwards.trees_of_landed(place, log))
    yield claims.chain(log, afterwards.first_parents(place, base, ref))


def judge(found: Iterator[Claim]) -> int:
    """Print each claim as it is judged; how many do not hold."""
    wrong = 0
    for claim in found:
        if claim.problems:
            wrong += 1
            problems = "\n".join(claim.problems).replace("\n", "\n       ")
            print(f"WRONG  {claim.name}\n       {problems}", flush=True)
        else:
            print(f"ok     {claim.name}: {claim.evidence}", flush=True)
    return wrong


def prove_one(package: Package, get: Getter = download) -> tuple[Proof, str]:
    """The whole of one package, in a folder that is kept where something is wrong; a line on it."""
    start = time.perf_counter()
    folder = Path(tempfile.mkdtemp(prefix="tidegate-acceptance-")).resolve()
    place = Place(folder)
    what = f"{package.name} {package.version}"
    print(f"{what}, in {folder}", flush=True)
    try:
        set_up(place, package, get(package, folder))
        wrong = judge(prove(place, package))
    except NotDownloaded as error:
        shutil.rmtree(folder)
        return Proof.NOT_PROVED, f"NOT PROVED: {what} could not be downloaded: {error}"
    except Trouble as error:
        return Proof.WRONG, f"WRONG: {what}: {error}\nkept: {folder}"
    took = f"{time.perf_counter() - start:.0f} s"
    if wrong:
        return Proof.WRONG, f"WRONG: {what}: {wrong} claims do not hold ({took}); kept: {folder}"
    shutil.rmtree(folder)
    return Proof.HOLDS, f"ok: {what}: all claims hold ({took})"


def worst(found: Sequence[Proof]) -> Proof:
    """A claim that is wrong outweighs a package that could not be had."""
    return next((p for p in (Proof.WRONG, Proof.NOT_PROVED) if p in found), Proof.HOLDS)


def main(names: Sequence[str], get: Getter = download) -> int:
    """All packages, or those that are named; then a line for each and the time of all."""
    start = time.perf_counter()
    known = {package.name: package for package in PACKAGES}
    if unknown := [name for name in names if name not in known]:
        print(f"there is no package {', '.join(unknown)} here; there are {', '.join(known)}")
        return 2
    found = [prove_one(known[name], get) for name in names or known]
    print()
    for _, line in found:
        print(line)
    print(f"{len(found)} packages, {time.perf_counter() - start:.0f} s")
    return worst([proof for proof, _ in found])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
