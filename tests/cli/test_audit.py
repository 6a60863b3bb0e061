"""A real ledger is replayed offline, rule by rule, and a forged one is caught by name."""

import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk, Said
from tests.cli.test_crashes import begin
from tidegate.core.invariants import FOLLOWS, INVARIANTS
from tidegate.verbs.audit import IN_HUB

pytestmark = pytest.mark.slow


@pytest.fixture
def landed(desk: Desk) -> Desk:
    """Two runs of one issue each; the first fails its check once."""
    desk.settle("test $TIDEGATE_TURN = 1 && echo bad > part.txt || echo good > part.txt")
    desk.issue(1)
    assert desk.run()[0] == 0
    desk.settle("echo more >> part.txt")
    desk.issue(2)
    assert desk.run()[0] == 0
    return desk


def audited(desk: Desk, *arguments: str, code: int = 0) -> Any:
    """What `audit` says."""
    said = desk.tidegate("audit", "--json", *arguments)
    assert said.code == code, said
    assert said.json["is_lawful"] is (code == 0)
    return said.json


def broken(said: Any) -> set[str]:
    """The rules that are broken."""
    return {each["invariant"] for each in said["lines"] if each["violations"]}


def forge(desk: Desk, statement: str) -> None:
    """Change events as somebody would who has a shell."""
    connection = sqlite3.connect(desk.ledger_folder / "ledger.db", isolation_level=None)
    for name in ("event_is_not_changed", "event_is_not_removed"):
        connection.execute(f"drop trigger {name}")
    assert connection.execute(statement).rowcount, statement
    connection.close()


def test_a_real_ledger_is_lawful(landed: Desk) -> None:
    """G2, C085: no rule is broken, and what was done is asked of all; one run by its name."""
    said = audited(landed)
    assert said["runs"] == 2
    lines = {each["invariant"]: each for each in said["lines"]}
    assert list(lines) == [FOLLOWS, *(each.name for each in INVARIANTS), IN_HUB]
    unasked = {name for name, each in lines.items() if not each["checked"]}
    assert unasked == {"a recovery is told once", "an intervention is claimed once"}
    assert said["events"] == len(landed.events()) + len(landed.events(runs(landed)[0]))
    first = audited(landed, "--run", runs(landed)[0])
    assert 0 < first["events"] < said["events"]
    assert landed.tidegate("audit", "--run", "nonsense").code == 2


def runs(desk: Desk) -> list[str]:
    """The runs, oldest first."""
    return sorted(path.name for path in (desk.ledger_folder / "runs").iterdir())


def test_it_reads_as_a_table(landed: Desk) -> None:
    """A line for each rule, and at the end how many events and how fast."""
    text = landed.text("audit")
    assert text.splitlines()[0].split() == ["invariant", "events", "checked", "violations"]
    assert "every rule holds: " in text
    assert "events/s" in text


def test_a_forged_ledger_is_caught_by_name(landed: Desk) -> None:
    """G9: a landing on another tree than the one that passed; exit 5, with the event's number."""
    forge(
        landed,
        "update event set body = json_set(body, '$.tree', 'another') "
        "where kind in ('landing_intended', 'landed')",
    )
    said = audited(landed, code=5)
    assert broken(said) == {"what lands has passed"}
    assert {each["lane"] for each in said["breaches"]} == {"001", "002"}
    shown = landed.tidegate("audit", "--no-json")
    assert shown.code == 5
    assert "BROKEN what lands has passed: event " in shown.out
    assert "NOT LAWFUL" in shown.out


_OTHER_RECEIPT = (
    "update event set body = json_set(body, '$.receipt', 'x') where kind = 'delivery_settled'"
)


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("delete from event where kind = 'landing_intended'", "events are numbered"),
        (
            "update event set body = json_set(body, '$.digest', 'x') where kind = 'materialized'",
            "an artifact is staged before it is promoted",
        ),
        ("update event set next_state = 'accepted' where kind = 'checkpointed'",
         "every move is in the table"),
        ("update event set epoch = 9 where kind = 'turn_started'",
         "an event carries the epoch that was granted"),
        (_OTHER_RECEIPT, "an effect is intended before it is settled"),
    ],
)  # fmt: skip
def test_each_forgery_in_the_file_is_seen(landed: Desk, statement: str, rule: str) -> None:
    """The same rules on what SQLite really holds; all of them: tests/core/test_invariants.py."""
    forge(landed, statement)
    assert rule in broken(audited(landed, code=5))


def test_a_landing_that_the_hub_lost_is_a_breach(landed: Desk) -> None:
    """G1, G4-16: what landed has to be on the hub's ref, and that is asked of git itself."""
    ref = f"refs/heads/tidegate/{runs(landed)[-1]}"
    hub = f"--git-dir={landed.ledger_folder / 'hub.git'}"
    landed.git(hub, "update-ref", ref, f"{ref}~1")
    said = audited(landed, code=5)
    assert broken(said) == {IN_HUB}
    assert audited(landed, "--run", runs(landed)[0])["is_lawful"]


def test_it_needs_no_controller_and_disturbs_none(desk: Desk) -> None:
    """G4-10: beside one it audits what is durable; after a kill -9 the history is lawful too."""
    run = begin(desk)
    assert audited(desk)["events"] > 5
    os.killpg(run.pid, signal.SIGKILL)
    desk.ended(run)
    before = _digests(desk)
    assert audited(desk)["is_lawful"]
    assert _digests(desk) == before
    desk.let("go")
    assert desk.run()[0] == 0
    said = audited(desk)
    lines = {each["invariant"]: each["checked"] for each in said["lines"]}
    assert lines["controller epochs grow"] == 2


def _digests(desk: Desk) -> dict[str, bytes]:
    """The ledger and its log. Every reader leaves marks in the index of the log, and may."""
    names = ("ledger.db", "ledger.db-wal")
    return {name: (desk.ledger_folder / name).read_bytes() for name in names}


def test_without_a_ledger_there_is_nothing_to_audit(desk: Desk) -> None:
    """Exit 3, with what makes one."""
    said: Said = desk.tidegate("audit", "--json")
    assert said.code == 3
    assert "tidegate run" in said.error.hint


def test_its_copy_does_not_stay(landed: Desk, tmp_path: Path) -> None:
    """The temporary folder is gone when it is over."""
    place = tmp_path / "temporary"
    place.mkdir()
    assert landed.tidegate("audit", "--json", env={"TMPDIR": str(place)}).code == 0
    assert landed.tidegate("fsck", "--json", env={"TMPDIR": str(place)}).code == 0
    assert list(place.iterdir()) == []
