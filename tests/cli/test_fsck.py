"""Each kind of damage is made by hand, found by its name, and mended or refused with a remedy."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cli.desk import Desk
from tidegate.bootstrap import build_house
from tidegate.cli.app import tidegate
from tidegate.runner import lock
from tidegate.verbs.damage import KINDS

pytestmark = pytest.mark.slow

AGENT = (
    "test $TIDEGATE_TURN = 1 && echo bad > part.txt || echo good > part.txt; "
    "git stash -q; git stash apply -q; echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE"
)
"""It fails its check once, and leaves a stash behind, which is harvested too."""
DEAD = 4_194_303
"""A pid that nobody has: the kernel's largest, and it is far from there."""
USUAL = frozenset({"blob-orphans"})
"""What is told of a desk on which nothing is wrong."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, seed: Path) -> Path:
    """A desk with one run that has landed one issue, in two rounds, and one word of its owner."""
    desk = Desk.copy_of(seed, tmp_path_factory.mktemp("whole"))
    desk.settle(AGENT)
    desk.issue(1)
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 1)
    assert desk.tidegate("rule", "001", "gated", "--reason", "done").code == 0
    (desk.ledger_folder / "inbox" / "bell").unlink()  # no FIFO is copied; a run makes it again
    return desk.folder


@pytest.fixture
def desk(tmp_path: Path, whole: Path) -> Iterator[Desk]:
    """A copy of it, to be damaged."""
    desk = Desk.copy_of(whole, tmp_path)
    yield desk
    desk.clear()


def examined(desk: Desk, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of `fsck`, and what it found beside what is usual."""
    said = desk.tidegate("fsck", "--json", *arguments)
    assert said.out, said.err
    assert said.json["is_clean"] is (said.code == 0)
    return said.code, [each for each in said.json["found"] if each["code"] not in USUAL]


def looked(desk: Desk) -> tuple[int, list[dict[str, Any]]]:
    """The same in this process, which takes a quarter of the time."""
    house = replace(build_house(), environment=desk.environment())
    words = ["-C", str(desk.repository), "fsck", "--json"]
    with chdir(desk.repository):
        said = CliRunner().invoke(tidegate, words, obj=lambda: house)
    found = json.loads(said.output)["found"]
    return said.exit_code, [each for each in found if each["code"] not in USUAL]


def codes(found: list[dict[str, Any]]) -> set[str]:
    """Their names."""
    return {each["code"] for each in found}


def sql(desk: Desk, *statements: str) -> None:
    """Change the ledger as somebody would who has a shell. Guards that are dropped are put back."""
    connection = sqlite3.connect(desk.ledger_folder / "ledger.db", isolation_level=None)
    guards = connection.execute(
        "select name, sql from sqlite_schema where type = 'trigger'"
    ).fetchall()
    for name, _ in guards:
        connection.execute(f"drop trigger {name}")
    for statement in statements:
        assert connection.execute(statement).rowcount, statement
    for _, made in guards:
        connection.execute(made)
    connection.close()


def plain(desk: Desk, statement: str) -> None:
    """One statement, and nothing put back."""
    connection = sqlite3.connect(desk.ledger_folder / "ledger.db", isolation_level=None)
    connection.execute(statement)
    connection.close()


def query(desk: Desk, statement: str) -> str:
    """One value of the ledger."""
    connection = sqlite3.connect(desk.ledger_folder / "ledger.db")
    value = connection.execute(statement).fetchone()[0]
    connection.close()
    return str(value)


def hub(desk: Desk, *arguments: str) -> str:
    """What git says in the hub."""
    return desk.git(f"--git-dir={desk.ledger_folder / 'hub.git'}", *arguments)


def run_of(desk: Desk) -> str:
    """The one run."""
    return query(desk, "select run_id from run")


def ref_of(desk: Desk) -> str:
    """The hub's ref of the run."""
    return f"refs/heads/tidegate/{run_of(desk)}"


def run_folder(desk: Desk) -> Path:
    """The run's folder."""
    return desk.ledger_folder / "runs" / run_of(desk)


def a_text(desk: Desk) -> Path:
    """The stored text of the builder's first report."""
    digest = query(desk, "select report_digest from turn")
    return desk.ledger_folder / "blobs" / digest[:2] / digest[2:]


def an_object(desk: Desk, name: str) -> Path:
    """The loose file of an object of the hub."""
    oid = hub(desk, "rev-parse", name)
    path = desk.ledger_folder / "hub.git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    return path


def an_artifact(desk: Desk) -> Path:
    """The builder's first report, where it was promoted to."""
    return run_folder(desk) / "artifacts" / "001-build-1-1.md"


def written(path: Path, text: str = "x") -> Path:
    """A file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- the damages ------------------------------------------------------------------------------


def garbage(desk: Desk) -> None:
    """The ledger is no database any more."""
    (desk.ledger_folder / "ledger.db").write_bytes(b"not a database at all" * 500)


def emptied_index(desk: Desk) -> None:
    """A page of an index is one without a cell, as if what it had was never written."""
    root = int(query(desk, "select rootpage from sqlite_schema where name = 'attempt_of_lane'"))
    with (desk.ledger_folder / "ledger.db").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\x0a\0\0\0\0\x10\0\0")


def lost_event(desk: Desk) -> None:
    """The birth of an attempt is taken out of the events."""
    sql(desk, "delete from event where kind = 'requested' and attempt = '001-build-1'")


def forged_actor(desk: Desk) -> None:
    """Somebody else has done it."""
    sql(desk, "update event set actor = 'nobody' where kind = 'checkpointed'")


def forged_word(desk: Desk) -> None:
    """The owner has said something else."""
    sql(desk, "update word set word = 'open'")


def orphan_commit(desk: Desk, *parents: str) -> str:
    """A commit of the hub's that no run has made."""
    tree = hub(desk, "rev-parse", f"{ref_of(desk)}^{{tree}}")
    options = [word for parent in parents for word in ("-p", parent)]
    return hub(desk, "commit-tree", tree, "-m", "stray", *options)


def old_lock(desk: Desk) -> None:
    """A git that was killed has left a lock, an hour ago."""
    path = written(desk.ledger_folder / "hub.git" / "refs" / "heads" / "main.lock")
    os.utime(path, (path.stat().st_mtime - 3600,) * 2)


def no_hub(desk: Desk) -> None:
    """Somebody has moved it away."""
    (desk.ledger_folder / "hub.git").rename(desk.folder / "elsewhere.git")


def no_bell(desk: Desk) -> None:
    """A copy program has made a file of it."""
    written(desk.ledger_folder / "inbox" / "bell")


def broken_off_delivery(desk: Desk) -> None:
    """The person has taken their branch back."""
    desk.git("update-ref", ref_of(desk), "main")


@dataclass(frozen=True, slots=True)
class Case:
    """A damage. `ends` is mended, wrong or note; `with_it` is what is found because of it too."""

    make: Callable[[Desk], object]
    ends: str
    with_it: frozenset[str] = frozenset()


def case(make: Callable[[Desk], object], ends: str, *with_it: str) -> Case:
    """A case."""
    return Case(make, ends, frozenset(with_it))


_TIP = "refs/tidegate/{run}/001-build-1/1/tip"
CASES: dict[str, Case] = {
    "ledger-unreadable": case(garbage, "wrong"),
    "ledger-pages": case(emptied_index, "wrong"),
    "schema-differs": case(lambda d: plain(d, "create table stray (x text) strict"), "wrong"),
    "guard-missing": case(lambda d: plain(d, "drop trigger event_is_not_changed"), "mended"),
    "chain-broken": case(forged_actor, "wrong"),
    "words-broken": case(forged_word, "wrong"),
    "fold-stuck": case(lost_event, "wrong", "chain-broken"),
    "row-missing": case(lambda d: sql(d, "delete from finding"), "mended"),
    "row-extra": case(
        lambda d: sql(
            d, "insert into ruling select run_id, lane, 9, attempt_id, 'land', 'me', 't', 'now' "
            "from attempt_fold limit 1",
        ),
        "mended",
    ),
    "row-differs": case(lambda d: sql(d, "update lane set outcome = 'stopped'"), "mended"),
    "lease-differs": case(lambda d: sql(d, "update lease set epoch = epoch + 7"), "wrong"),
    "blob-missing": case(lambda d: a_text(d).unlink(), "wrong"),
    "blob-differs": case(lambda d: a_text(d).write_text("other"), "wrong"),
    "blob-stranger": case(lambda d: written(d.ledger_folder / "blobs" / "notes.txt"), "mended"),
    "hub-missing": case(no_hub, "wrong"),
    "hub-broken": case(lambda d: an_object(d, f"{ref_of(d)}:part.txt").unlink(), "wrong"),
    "hub-lock": case(old_lock, "mended"),
    "hub-ref-lost": case(lambda d: hub(d, "update-ref", "-d", ref_of(d)), "mended"),
    "hub-ref-behind": case(
        lambda d: hub(d, "update-ref", ref_of(d), f"{ref_of(d)}~1"), "mended"
    ),
    "hub-ref-ahead": case(
        lambda d: hub(d, "update-ref", ref_of(d), orphan_commit(d, ref_of(d))), "wrong"
    ),
    "hub-ref-elsewhere": case(
        lambda d: hub(d, "update-ref", ref_of(d), orphan_commit(d)), "wrong"
    ),
    "commit-missing": case(
        lambda d: an_object(d, _TIP.format(run=run_of(d))).unlink(), "wrong", "hub-broken"
    ),
    "pin-lost": case(
        lambda d: hub(d, "update-ref", "-d", _TIP.format(run=run_of(d))), "mended"
    ),
    "pins-fewer": case(
        lambda d: hub(
            d, "update-ref", "-d",
            hub(d, "for-each-ref", "--format=%(refname)", "--count=1",
                f"refs/tidegate/{run_of(d)}/001-build-1/1/kept"),
        ),
        "wrong",
    ),
    "branch-differs": case(broken_off_delivery, "note"),
    "artifact-missing": case(lambda d: an_artifact(d).unlink(), "mended"),
    "artifact-differs": case(lambda d: an_artifact(d).write_text("other"), "wrong"),
    "artifact-unknown": case(
        lambda d: written(run_folder(d) / "artifacts" / "late.md"), "mended"
    ),
    "quarantined": case(lambda d: written(run_folder(d) / "quarantine" / "late.md"), "note"),
    "turn-unknown": case(
        lambda d: written(run_folder(d) / "attempts" / "001-build-1" / "turns" / "7" / "stdout"),
        "mended",
    ),
    "run-unknown": case(
        lambda d: (d.ledger_folder / "runs" / "20990101-0000").mkdir(), "note"
    ),
    "trash-left": case(
        lambda d: written(d.ledger_folder / "trash" / "run.0" / "deep" / "file"), "mended"
    ),
    "draft-left": case(
        lambda d: written(a_text(d).parent / f".abcdef01.{DEAD}.1"), "mended"
    ),
    "inbox-unheard": case(
        lambda d: written(d.ledger_folder / "inbox" / f"1-{DEAD}.request.json", "{}"), "note"
    ),
    "inbox-left": case(
        lambda d: written(d.ledger_folder / "inbox" / f"1-{DEAD}.reply.json", "{}"), "mended"
    ),
    "bell-blocked": case(no_bell, "mended"),
}  # fmt: skip

ELSEWHERE = {
    "blob-orphans": "below",
    "lock-held": "below",
    "landing-open": "test_fsck_live.py",
    "artifact-staged": "test_fsck_live.py",
    "turn-unheard": "test_fsck_live.py",
    "turn-dead": "test_fsck_live.py",
    "turn-alone": "test_fsck_live.py",
    "process-left": "test_fsck_live.py",
    "workspace-missing": "test_fsck_live.py",
    "workspace-left": "test_fsck_live.py",
    "workspace-unknown": "test_fsck_live.py",
    "backup-differs": "test_backup.py",
}
"""Kinds that need a run under way, or two commands; each has a test of its own."""


def test_every_kind_of_damage_is_made_somewhere() -> None:
    """A name that nobody has made and found proves nothing."""
    assert CASES.keys() | ELSEWHERE.keys() == KINDS.keys()
    here = Path(__file__).parent
    for code, file in ELSEWHERE.items():
        text = (here / (Path(__file__).name if file == "below" else file)).read_text()
        assert f'"{code}"' in text, code


def test_what_is_whole_is_clean(desk: Desk) -> None:
    """C085, G4-16: nothing is found, with counts of all that was looked at; nothing is changed."""
    before = digests(desk)
    code, found = examined(desk)
    assert (code, found) == (0, [])
    assert digests(desk) == before
    looked_at = desk.tidegate("fsck", "--json").json["looked_at"]
    assert looked_at["runs"] == 1
    assert min(looked_at.values()) > 0
    assert "clean: 1 runs, " in desk.text("fsck")
    assert desk.tidegate("fsck", "--repair").code == 0


def digests(desk: Desk) -> dict[str, bytes]:
    """Every file that is kept; a reader's side files of the ledger are none."""
    home = desk.ledger_folder
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.parametrize("code", CASES)
def test_a_damage_is_found_by_its_name_and_mended_or_refused(desk: Desk, code: str) -> None:
    """C085, G4-16: a look changes nothing; what is not dared stays as it is, and is told."""
    damage = CASES[code]
    damage.make(desk)
    before = digests(desk)
    ended, found = looked(desk)
    assert codes(found) == {code, *damage.with_it}
    assert ended == (0 if KINDS[code].level == "note" else 5)
    assert all(each["remedy"] for each in found)
    assert digests(desk) == before
    ended, found = examined(desk, "--repair")
    mine = [each for each in found if each["code"] == code]
    assert {each["level"] for each in mine} == {damage.ends}
    if damage.ends == "mended":
        assert ended == 0
        assert all(each["done"] for each in mine)
        assert codes(looked(desk)[1]) <= {"quarantined"}
    else:
        assert ended == (0 if damage.ends == "note" else 5)
        assert before.items() <= digests(desk).items()


def test_texts_that_no_event_names_are_counted(desk: Desk) -> None:
    """A tick that died before its commit has left them: they are told, and stay."""
    text = "nobody's"

    digest = hashlib.sha256(text.encode()).hexdigest()
    path = written(desk.ledger_folder / "blobs" / digest[:2] / digest[2:], text)
    said = desk.tidegate("fsck", "--repair", "--json")
    assert said.code == 0
    (told,) = [each for each in said.json["found"] if each["code"] == "blob-orphans"]
    assert "no event names 2 of " in told["message"]
    assert path.exists()


def test_a_runner_that_holds_the_lock_of_a_turn_that_is_over(desk: Desk) -> None:
    """It is told with its folder, and left alone: whose it is, a person must say."""
    folder = run_folder(desk) / "attempts" / "001-build-1" / "turns" / "1"
    held = lock.take(str(folder))
    try:
        code, found = examined(desk, "--repair")
    finally:
        os.close(held)
    assert (code, codes(found)) == (5, {"lock-held"})
    assert str(folder) in found[0]["where"]
    assert examined(desk) == (0, [])


def test_a_controller_that_died_before_its_first_event_is_no_damage(desk: Desk) -> None:
    """Its epoch is raised before it is recorded, and must never be taken back by a repair."""
    sql(desk, "update run set controller_epoch = controller_epoch + 1, controller = 'it'")
    assert examined(desk) == (0, [])
    sql(desk, "update run set reason = 'other'")
    epoch = query(desk, "select controller_epoch from run")
    code, found = examined(desk, "--repair")
    assert (code, codes(found), found[0]["level"]) == (0, {"row-differs"}, "mended")
    assert query(desk, "select controller_epoch from run") == epoch
    sql(desk, "update run set controller_epoch = 0")
    assert codes(examined(desk)[1]) == {"row-differs"}


def test_no_row_is_made_from_events_that_are_in_doubt(desk: Desk) -> None:
    """Rows may be the last that is true: beside a broken chain they are left as they are."""
    sql(desk, "update lane set title = 'another'")
    forged_actor(desk)
    code, found = examined(desk, "--repair")
    assert (code, codes(found)) == (5, {"chain-broken", "row-differs"})
    assert query(desk, "select title from lane") == "another"


@pytest.mark.parametrize("how", ["gone", "empty"])
def test_a_ledger_that_was_lost_is_told(desk: Desk, how: str) -> None:
    """G1: gone or empty beside what runs have left, it is never taken for one that is new."""
    for path in desk.ledger_folder.glob("ledger.db*"):
        path.unlink()
    if how == "empty":
        (desk.ledger_folder / "ledger.db").touch()
    code, found = looked(desk)
    assert (code, codes(found)) == (5, {"ledger-unreadable"})
    assert how in found[0]["message"]
    assert examined(desk, "--repair")[0] == 5


def test_an_event_that_is_not_understood_hides_nothing_else(desk: Desk) -> None:
    """Beside what its own file shows of it, the ledger is told as unreadable; nothing is mended."""
    sql(desk, "update event set kind = 'nonsense' where kind = 'harvested'")
    code, found = examined(desk, "--repair")
    assert (code, codes(found)) == (5, {"chain-broken", "fold-stuck", "ledger-unreadable"})
    assert any("nonsense" in each["message"] for each in found)


@pytest.mark.parametrize("make_it", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_hides_nothing_else(desk: Desk, make_it: Callable[[Path], None]) -> None:
    """A folder or a FIFO in a text's and an artifact's place: both are told, none is waited for."""
    for path in (a_text(desk), an_artifact(desk)):
        path.unlink()
        make_it(path)
    assert {"artifact-differs"} < codes(examined(desk, "--repair")[1])


def test_a_hub_that_git_takes_for_none_hides_nothing_else(desk: Desk) -> None:
    """Without its HEAD git knows no repository there; the artifacts are looked at all the same."""
    (desk.ledger_folder / "hub.git" / "HEAD").unlink()
    an_artifact(desk).unlink()
    code, found = looked(desk)
    assert (code, codes(found)) == (5, {"hub-broken", "artifact-missing"})


def test_what_was_mended_goes_on(desk: Desk) -> None:
    """A ledger whose rows were made anew takes the next run as if nothing had been."""
    rows = query(desk, "select group_concat(title || outcome) from lane")
    sql(desk, "delete from lane", "delete from attempt_fold", "delete from turn")
    code, found = examined(desk, "--repair")
    assert (code, codes(found)) == (0, {"row-missing"})
    assert query(desk, "select group_concat(title || outcome) from lane") == rows
    desk.settle("echo more >> part.txt")
    desk.issue(2)
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 1)
    assert examined(desk)[0] == 0


def test_without_a_ledger_there_is_nothing(tmp_path: Path, seed: Path) -> None:
    """A repository that never had a run is clean; a folder that is none is told as always."""
    desk = Desk.copy_of(seed, tmp_path)
    for arguments in ((), ("--repair",)):
        said = desk.tidegate("fsck", "--json", *arguments)
        assert (said.code, said.json["found"]) == (0, [])
        assert not desk.ledger_folder.exists()
    assert "there is nothing yet" in desk.text("fsck")
    assert desk.tidegate("fsck", "--json", cwd=tmp_path).code == 3


def test_a_person_reads_each_thing_on_its_line(desk: Desk) -> None:
    """The level, the name, what it is, and what to do; the last line counts."""
    an_artifact(desk).unlink()
    said = desk.tidegate("fsck", "--no-json")
    assert said.code == 5
    lines = said.out.splitlines()
    assert any(line.startswith("wrong   artifact-missing: the artifact ") for line in lines)
    assert lines[-1] == "1 thing is wrong"
    mended = desk.tidegate("fsck", "--repair", "--no-json").out
    assert "made anew from its stored text" in mended
    assert json.loads(desk.tidegate("fsck", "--json").out)["is_clean"]
