"""Download a package, set Tidegate to work on it, and judge what came of it. Minutes.

Exit codes: 0 every claim holds; 1 one does not, or the proof could not go on; 3 the package could
not be downloaded, so nothing was proved.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from acceptance import afterwards, claims, witness
from acceptance.claims import Claim
from acceptance.issues import (
    CHECK,
    DISPUTED,
    FAILS_MAX,
    LANDED,
    NAME,
    RIVALS,
    STOPPED,
    VERSION,
    WANTED,
    WIDTH,
)
from acceptance.package import NotDownloaded, commit_all, download, make_repository
from acceptance.place import Place, Told, Trouble
from acceptance.settings import Value, with_key

AGENT = Path(__file__).with_name("agent.sh")
DISK_FLOOR_BYTES = 100_000_000

SETTINGS: tuple[tuple[str, str, Value], ...] = (
    ("run", "width", WIDTH),
    ("check", "command", CHECK),
    ("check", "timeout_s", 120),
    ("roles.build", "command", f"sh '{AGENT}'"),
    ("roles.build", "timeout_s", 120),
    ("disk", "floor_bytes", DISK_FLOOR_BYTES),
)


def set_up(place: Place, archive: Path) -> None:
    """What a person does before the first run: a repository, `init`, some settings, five issues."""
    make_repository(place, archive)
    _must(place.tidegate("init"))
    path = place.repository / "tidegate.toml"
    text = path.read_text(encoding="utf-8")
    for section, key, value in SETTINGS:
        text = with_key(text, section, key, value)
    path.write_text(text, encoding="utf-8")
    for wanted in WANTED:
        footprint = (word for each in wanted.footprint for word in ("--footprint", each))
        _must(place.tidegate("add", wanted.title, "--text", wanted.text, *footprint))
    commit_all(place, "Set up Tidegate, and say what is wanted")
    _must(place.tidegate("doctor"))


def _must(told: Told) -> None:
    if told.code:
        raise Trouble(f"{told.command} ended with code {told.code}:\n{told.said}")


def prove(place: Place) -> Iterator[Claim]:
    """Run once, then look at everything that is promised of a run."""
    yield afterwards.nothing_is_done_yet(place)
    base, before = place.git("rev-parse", "HEAD"), witness.snapshot(place.repository)
    told = place.run_tidegate()
    yield afterwards.untouched(place, before)
    yield from afterwards.nothing_left(place)
    try:
        result = json.loads(told.output)
        run, ref, commit = result["run"], result["target"]["ref"], result["target"]["commit"]
    except (ValueError, KeyError, TypeError) as error:
        raise Trouble(f"`run --json` exited {told.code} and said: {told.output}") from error
    yield claims.outcomes(result, told.code, landed=LANDED, stopped=STOPPED)
    yield from of_the_log(place, base=base, ref=ref)
    yield from afterwards.fresh_clone(place, ref)
    yield afterwards.second_run(place, run)
    yield afterwards.faces(place, min(STOPPED))
    yield afterwards.lands(place, commit)


def of_the_log(place: Place, *, base: str, ref: str) -> Iterator[Claim]:
    """Everything that follows from the log, and from git beside it."""
    told = place.tidegate("log", "--json")
    _must(told)
    log = claims.read_log(told.output)
    yield claims.is_gapless(log)
    yield claims.base_first(log)
    yield claims.within_width(log, WIDTH)
    yield claims.carried_through(log, RIVALS, DISPUTED)
    yield from (claims.stop(log, lane, fails=FAILS_MAX) for lane in sorted(STOPPED))
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


def main() -> int:
    """The whole of it, in a folder that is kept where something is wrong."""
    start = time.perf_counter()
    place = Place(Path(tempfile.mkdtemp(prefix="tidegate-acceptance-")).resolve())
    print(f"{NAME} {VERSION}, in {place.folder}", flush=True)
    try:
        archive = download(place.folder)
        set_up(place, archive)
        wrong = judge(prove(place))
    except NotDownloaded as error:
        shutil.rmtree(place.folder)
        print(f"NOT PROVED: {NAME} {VERSION} could not be downloaded, nothing was run.\n{error}")
        return 3
    except Trouble as error:
        print(f"WRONG  {error}\nkept: {place.folder}")
        return 1
    took_s = time.perf_counter() - start
    if wrong:
        print(f"{wrong} claims do not hold ({took_s:.0f} s); kept: {place.folder}")
        return 1
    shutil.rmtree(place.folder)
    print(f"all claims hold ({took_s:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
