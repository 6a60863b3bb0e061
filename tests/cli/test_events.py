"""The events of a run as programs read them: all of them, in order, and on until the run ends."""

import json
import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import cast

import pytest

from scripts import docs_events
from tests.cli.desk import Desk
from tests.cli.test_crashes import begin
from tidegate.bootstrap import build_house
from tidegate.cli.stream import reader_leaves
from tidegate.core.events import Recorded
from tidegate.ports.repository import Repositories, Repository
from tidegate.verbs.events import LOOK_S, Choice, Ending, events

pytestmark = pytest.mark.slow


def landed(desk: Desk) -> None:
    """One lane that has landed."""
    desk.settle("echo more >> part.txt")
    desk.issue(1)
    assert desk.run()[0] == 0


def test_a_line_has_all_of_an_event_and_the_lines_are_in_order(desk: Desk) -> None:
    """Each line is a link of the chain, from the run's start to its end."""
    landed(desk)
    lines = [json.loads(line) for line in desk.tidegate("events").out.splitlines()]
    assert [line["sequence"] for line in lines] == sorted(line["sequence"] for line in lines)
    assert (lines[0]["kind"], lines[-1]["kind"]) == ("run_started", "run_ended")
    links = pairwise(lines)
    assert all(after["previous_hash"] == before["hash"] for before, after in links)
    assert desk.tidegate("events", "--no-json").out == desk.tidegate("events").out


def test_what_is_wanted_can_be_told(desk: Desk) -> None:
    """By lane, which may be its number alone, by kind, by what was seen last, and by count."""
    landed(desk)
    every = desk.events()
    kinds = ("--kind", "lane_opened", "--kind", "landed")
    chosen = [json.loads(line) for line in desk.tidegate("events", *kinds).out.splitlines()]
    assert [line["kind"] for line in chosen] == ["lane_opened", "landed"]
    opened, last = chosen[0]["sequence"], every[-1]
    after = desk.tidegate("events", *kinds, "--after", f"{opened}").out.splitlines()
    assert [json.loads(line) for line in after] == chosen[1:]
    assert json.loads(desk.tidegate("events", "-n", "1").out) == last
    of_lane = desk.tidegate("events", "--lane", "1").out.splitlines()
    assert of_lane == [json.dumps(line) for line in every if line["lane"] == "001"]


@pytest.mark.parametrize(
    ("words", "meant"),
    [(("--kind", "lande"), "landed"), (("--lane", "O01"), "001"), (("--run", "x"), None)],
)
def test_what_there_is_not_is_wrong_use(
    desk: Desk, words: tuple[str, ...], meant: str | None
) -> None:
    """Exit 2, and the nearest thing that there is."""
    landed(desk)
    said = desk.tidegate("events", *words)
    assert said.code == 2
    assert said.error.did_you_mean == meant


def test_without_a_run_there_is_nothing_to_read(desk: Desk) -> None:
    """No line on standard output: a program would take it for an event."""
    desk.settle("true")
    said = desk.tidegate("events", "--follow")
    assert (said.code, said.out) == (0, "")
    assert "no run yet" in said.err


def test_who_follows_hears_of_everything_and_ends_with_the_run(desk: Desk) -> None:
    """The lines are those that a later look finds, and the command ends by itself."""
    run = begin(desk)
    follower = desk.start("events", "--follow")
    assert follower.stdout is not None
    assert json.loads(follower.stdout.readline())["kind"] == "run_started"
    desk.let("go")
    said = desk.ended(follower)
    assert said.code == 0
    assert desk.ended(run).code == 0
    assert [json.loads(line) for line in said.out.splitlines()] == desk.events()[1:]


def test_who_follows_is_told_that_the_controller_left(desk: Desk) -> None:
    """Exit 1 after a kill -9: nothing more would come, and it says who goes on with it."""
    run = begin(desk)
    follower = desk.start("events", "--follow", "-n", "1")
    assert follower.stdout is not None
    follower.stdout.readline()
    os.killpg(run.pid, signal.SIGKILL)
    desk.ended(run)
    said = desk.ended(follower)
    assert said.code == 1
    assert "nobody is at its controls: `tidegate run` goes on with it" in said.err
    desk.let("go")
    assert desk.run()[0] == 0


def test_who_follows_ends_when_its_reader_leaves(desk: Desk) -> None:
    """Also while nothing happens, so that it could not hear of it by writing."""
    run = begin(desk)
    follower = desk.start("events", "--follow")
    assert follower.stdout is not None
    follower.stdout.readline()
    follower.stdout.close()
    assert follower.wait(30) == 141
    desk.let("go")
    assert desk.ended(run).code == 0


def test_who_follows_waits_between_looks_and_asks_git_once(desk: Desk) -> None:
    """Half a second from one look to the next, and the repository is looked for once."""
    run = begin(desk)
    house, waits = build_house(), list[float]()

    def wait(within_s: float) -> bool:
        waits.append(within_s)
        if len(waits) == 2:
            desk.let("go")
        reader_leaves(within_s)
        return False

    finds = Finds(house.repositories)
    looking = replace(house, repositories=cast("Repositories", finds))
    folder = str(desk.repository)
    assert events(looking, folder, Choice(), collect, wait=wait) == Ending.RUN_ENDED
    assert desk.ended(run).code == 0
    assert set(waits) == {LOOK_S}
    assert finds.count == 1


def test_the_page_names_every_field_of_a_line(desk: Desk) -> None:
    """What docs/reference/events.md lists is what is printed, and in that order."""
    landed(desk)
    named = [name.strip("`") for name, *_ in docs_events._LINE]
    assert all(list(line) == named for line in desk.events())


@dataclass
class Finds:
    """Repositories that can be found, and how often that was asked for."""

    found: Repositories
    count: int = 0

    def find(self, folder: str) -> Repository:
        """As the host finds it."""
        self.count += 1
        return self.found.find(folder)


def collect(found: Iterable[Recorded]) -> None:
    """Read them all."""
    assert all(each.sequence for each in found)
