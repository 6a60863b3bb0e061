"""Adjudicators, verifiers and an owner, through the whole engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.scene import (
    at,
    outcomes,
    process,
    runs_in,
    started,
    told,
    waits_for_room,
)
from tests.sim.builders import GOOD, Deed
from tests.sim.faults import SimulatedCrash
from tests.sim.judges import (
    ASKS,
    BREACHES,
    FAILS,
    REFUSES,
    SILENT,
    TAMPERS,
    TAMPERS_AND_COMMITS,
    UNCLEAR,
    Word,
)
from tests.sim.plan import Plan
from tests.sim.world import World
from tidegate.core import events as e
from tidegate.core.values import Role, Ruling
from tidegate.engine.engine import Engine
from tidegate.ports.git import MergeWork
from tidegate.ports.inbox import Request

SLOW = replace(GOOD, work_s=400.0)


def scene(
    folder: Path,
    plan: Plan,
    words: Mapping[Role, Sequence[Word]] | None = None,
    **deeds: Sequence[Deed],
) -> World:
    """A calm world whose judges say these words of the issue `fix`."""
    said = {role: {"fix": each} for role, each in (words or {}).items()}
    return World(replace(plan, deeds=deeds, words=said), seed=1, folder=folder)


def says(world: World, verb: str, lane: str, **what: str) -> Request:
    """The owner says something; the next tick takes it."""
    owner = world.owner or world.new_owner(world.faults.random, is_calm=lambda: False)
    owner.said = len(world.inbox.replies) + len(world.inbox.requests)
    return owner.say(verb, lane, **what)


def answers(world: World, *said: str) -> None:
    """The owner gives these answers, each as soon as something is asked."""
    left = list(said)

    def look(_: object) -> None:
        for lane in world.durable.lanes.values():
            if left and lane.question is not None and not world.inbox.requests:
                says(world, "answer", lane.id, question=lane.question.id, answer=left.pop(0))

    world.at_tick.append(look)


def asks(world: World) -> Callable[[object], object]:
    """The lane `fix` waits for its owner."""
    return lambda _: "fix" in world.durable.lanes and world.durable.lanes["fix"].question


def has_failed(world: World) -> Callable[[object], object]:
    """The lane `fix` has spent a round."""
    return lambda _: "fix" in world.durable.lanes and world.durable.lanes["fix"].fails


VERIFIES, ADJUDICATES = Plan(deeds={}, verifies=True), Plan(deeds={}, adjudicates=True)
ASKED = Plan(deeds={}, asks_owner=True)


def test_what_a_verifier_finds_is_told_to_the_builder_word_for_word(tmp_path: Path) -> None:
    """A14, A15: the same builder, and a fresh verifier at the commit that would land."""
    world = scene(tmp_path, VERIFIES, {Role.VERIFY: [FAILS]}, fix=[GOOD, GOOD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    turns = [each for each in told(world, e.TurnOpened) if each.attempt == "fix-build-1"]
    assert world.ledger.text(turns[1].finding_digest or "") == FAILS.says
    (landed,) = told(world, e.Landed)
    verifiers = [each for each in told(world, e.Requested) if each.role is Role.VERIFY]
    assert [each.commit for each in verifiers][-1] == landed.commit
    assert len(verifiers) == 2


def test_a_verifier_gets_its_attacks_and_what_was_sent_back_last(tmp_path: Path) -> None:
    """A13: other attacks in each round; and the commit that it judges."""
    world = scene(tmp_path, VERIFIES, {Role.VERIFY: [FAILS]}, fix=[GOOD, GOOD])
    world.run_to_end()
    first, second = world.builders.judges.briefs
    assert len(first.attacks) == len(second.attacks) == 4
    assert first.attacks != second.attacks
    assert (first.finding, second.finding) == (None, FAILS.says)
    assert first.commit != second.commit


@pytest.mark.parametrize("word", [UNCLEAR, SILENT, TAMPERS, TAMPERS_AND_COMMITS])
def test_a_void_verdict_is_given_by_another(tmp_path: Path, word: Word) -> None:
    """G6-09: it costs no round, and nothing that the verifier left reaches the target."""
    world = scene(tmp_path, VERIFIES, {Role.VERIFY: [word]}, fix=[GOOD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    assert world.durable.lanes["fix"].count(Role.VERIFY) == 2
    assert world.durable.lanes["fix"].fails == 0
    (landed,) = told(world, e.Landed)
    assert "mended" not in world.git.objects.tree(landed.commit)


def test_a_verifier_that_writes_outside_stops_the_lane(tmp_path: Path) -> None:
    """C163: and its workspace is kept as evidence."""
    world = scene(tmp_path, VERIFIES, {Role.VERIFY: [BREACHES]}, fix=[GOOD])
    world.run_to_end()
    assert outcomes(world) == {"fix": "stopped"}
    assert [path.split("/")[-2] for path in world.git.workspaces] == ["fix-verify-1"]


def test_a_refused_issue_is_told_as_refused(tmp_path: Path) -> None:
    """A11: with its kind; nothing is built."""
    world = scene(tmp_path, ADJUDICATES, {Role.ADJUDICATE: [REFUSES]}, fix=[GOOD])
    result = world.run_to_end()
    (refused,) = result.summary.refused
    assert (refused.issue, refused.kind) == ("fix", "otherwise")
    assert started(world, "fix-build-") == 0


EXPECTS = Word(says="VERDICT: BUILD\nFOOTPRINT: own/** tests/** .github/**\n")


@pytest.mark.parametrize("written", [(), ("own/**", "tests/a.py")])
def test_what_an_adjudicator_expects_is_no_leave(tmp_path: Path, written: tuple[str, ...]) -> None:
    """A11, G6-07: its paths are reserved and kept to; what the owner wrote is all the leave."""
    plan = replace(ADJUDICATES, footprints={"fix": written})
    world = scene(tmp_path, plan, {Role.ADJUDICATE: [EXPECTS]}, fix=[GOOD])
    world.run_to_end()
    merges = [each for each in world.git.works.values() if isinstance(each, MergeWork)]
    expected = written or ("own/**", "tests/**", ".github/**")
    assert {(each.footprint, each.leave) for each in merges} == {(expected, written)}
    assert [each.footprint for each in told(world, e.Reserved)] == [expected]
    assert outcomes(world) == {"fix": "landed"}


def test_the_answer_to_an_adjudicator_reaches_the_builder(tmp_path: Path) -> None:
    """The option itself, also where no word came with it."""
    world = scene(tmp_path, ADJUDICATES, {Role.ADJUDICATE: [ASKS]}, fix=[GOOD])
    answers(world, "that")
    at(world, runs_in(world, "fix-build-1/turns/1"), lambda _: None)
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    (word,) = world.durable.lanes["fix"].owner_words
    assert world.ledger.text(word) == "Asked: which one?\nAnswered: that"


def test_a_lane_that_waits_for_its_owner_blocks_no_other(tmp_path: Path) -> None:
    """G7: neither by its slot nor by its paths nor by its place in the queue."""
    paths = dict.fromkeys(("fix", "two"), ("own/**",))
    plan = replace(ASKED, footprints=paths, width=1)
    world = scene(tmp_path, plan, fix=[GOOD], two=[GOOD])

    def land_the_second(_: object) -> None:
        lane = world.durable.lanes.get("two")
        if lane is not None and lane.question is not None and not world.inbox.requests:
            says(world, "answer", "two", question=lane.question.id, answer="land")

    world.at_tick.append(land_the_second)
    world.live()
    assert outcomes(world) == {"fix": "open", "two": "landed"}
    lane = world.durable.lanes["fix"]
    assert lane.question is not None
    says(world, "answer", "fix", question=lane.question.id, answer="land")
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed", "two": "landed"}


def test_a_veto_is_told_as_its_list_and_the_next_pass_is_asked_again(tmp_path: Path) -> None:
    """A16: numbered, with its end, and nothing added."""
    world = scene(tmp_path, ASKED, fix=[GOOD, GOOD])
    at(world, asks(world), lambda _: says(world, "veto", "fix"))
    at(world, has_failed(world), lambda _: answers(world, "land"))
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    (vetoed,) = told(world, e.Vetoed)
    assert vetoed.items == 2
    assert world.ledger.text(vetoed.finding_digest).endswith("\n\n1. a name\n2. a test\n")
    assert [each.ruling for each in told(world, e.Ruled)] == [Ruling.LAND]


def test_a_lane_is_stopped_while_its_agent_works(tmp_path: Path) -> None:
    """G1: the process is gone, what it did is kept, and the lane is over."""
    world = scene(tmp_path, Plan(deeds={}), fix=[replace(SLOW, commits="early")])
    running = runs_in(world, "fix-build-1/turns/1")
    at(
        world,
        lambda engine: (
            running(engine) and world.durable.lanes["fix"].attempts["fix-build-1"].checkpoint
        ),
        lambda _: says(world, "stop", "fix", reason="no longer wanted"),
    )
    world.run_to_end()
    assert outcomes(world) == {"fix": "stopped"}
    assert process(world, "fix-build-1/turns/1") is None
    (harvested,) = told(world, e.Harvested)
    assert harvested.tip in world.git.kept
    assert not harvested.is_empty


@pytest.mark.parametrize("call", ["inbox.reply:before", "ledger.commit:after"])
def test_a_request_whose_controller_died_is_taken_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """G2: it has one reply, and was heard once, wherever the first controller died."""
    world = scene(tmp_path, ASKED, fix=[GOOD, GOOD])
    gate = world.faults.gate
    seen: list[str] = []

    def die(name: str) -> None:
        if name == call and world.inbox.requests and not seen:
            seen.append(name)
            world.faults.crash_at = world.faults.calls + 1
        gate(name)

    monkeypatch.setattr(world.faults, "gate", die)
    at(world, asks(world), lambda _: says(world, "veto", "fix"))
    at(world, has_failed(world), lambda _: answers(world, "land"))
    world.run_to_end()
    assert (seen, world.deaths) == ([call], 1)
    assert len(told(world, e.Vetoed)) == 1
    assert set(world.inbox.replies) == {"0001", "0002"}
    assert outcomes(world) == {"fix": "landed"}


@pytest.mark.parametrize(
    ("verb", "lane", "what", "words"),
    [
        ("dance", "fix", {}, "nobody knows how to dance"),
        ("answer", "fix", {}, "says its answer"),
        ("answer", "fix", {"answer": "land"}, "says its question"),
        ("rule", "fix", {}, "says its ruling"),
        ("rule", "fix", {"ruling": "dance"}, "no ruling 'dance'"),
        ("rule", "fix", {"ruling": "land"}, "no verdict"),
        ("veto", "fix", {}, "no PASS to veto"),
        ("stop", "two", {}, "lane two is not open"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_words(
    tmp_path: Path, verb: str, lane: str, what: dict[str, str], words: str
) -> None:
    """Whoever wrote the file: it has its reply, and the run goes on."""
    world = scene(tmp_path, Plan(deeds={}), fix=[GOOD])
    at(
        world,
        lambda _: "fix" in world.durable.lanes,
        lambda _: says(world, verb, lane, **what),
    )
    world.run_to_end()
    (reply,) = world.inbox.replies.values()
    assert not reply.is_done
    assert words in reply.message
    assert outcomes(world) == {"fix": "landed"}


def test_a_drain_by_request_starts_nothing_more(tmp_path: Path) -> None:
    """D23: what runs comes to its end, and the run stays open."""
    world = scene(tmp_path, Plan(deeds={}, width=1), fix=[GOOD], two=[GOOD])
    at(world, runs_in(world, "fix-build-1/turns/1"), lambda _: says(world, "drain", ""))
    world.live()
    assert [reply.is_done for reply in world.inbox.replies.values()] == [True]
    assert outcomes(world) == {"fix": "open"}
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed", "two": "landed"}


def test_a_drain_ends_no_controller_but_the_one_it_was_said_to(tmp_path: Path) -> None:
    """One that died before it took it leaves it to the next, which tells so and goes on."""
    world = scene(tmp_path, Plan(deeds={}, width=1), fix=[GOOD], two=[GOOD])

    def says_it_and_dies(_: Engine) -> None:
        says(world, "drain", "")
        raise SimulatedCrash("before it is heard")

    at(world, runs_in(world, "fix-build-1/turns/1"), says_it_and_dies)
    assert world.live() is None
    assert len(world.inbox.requests) == 1
    world.live()
    (reply,) = world.inbox.replies.values()
    assert (reply.is_done, "has ended" in reply.message) == (False, True)
    assert outcomes(world) == {"fix": "landed", "two": "landed"}


@pytest.mark.parametrize("verb", ["stop", "drain", "veto"])
def test_what_was_said_to_another_run_is_refused(tmp_path: Path, verb: str) -> None:
    """A lane of the same name in a later run is another lane, and has its own word."""
    world = scene(tmp_path, Plan(deeds={}), fix=[GOOD])

    def look(_: object) -> None:
        request = says(world, verb, "fix" if verb != "drain" else "")
        world.inbox.requests[-1] = replace(request, run="20200101-0000")

    at(world, lambda _: "fix" in world.durable.lanes, look)
    world.run_to_end()
    (reply,) = world.inbox.replies.values()
    assert (reply.is_done, "said to run 20200101-0000" in reply.message) == (False, True)
    assert outcomes(world) == {"fix": "landed"}


def test_what_comes_while_the_controller_leaves_is_heard_before_it_has_gone(
    tmp_path: Path,
) -> None:
    """No tick follows that would take it; the run is open, and the next one goes on with it."""
    world = scene(tmp_path, ASKED, fix=[GOOD, GOOD])

    def speaks() -> bool:
        says(world, "veto", "fix")
        return False  # and there are no new issues: the loop ends here

    at(world, asks(world), lambda engine: setattr(engine, "refill", speaks))
    world.live()
    assert world.inbox.requests == []
    (reply,) = world.inbox.replies.values()
    assert reply.is_done
    assert len(told(world, e.Vetoed)) == 1


def test_an_idle_workspace_makes_room_and_is_made_again(tmp_path: Path) -> None:
    """Under the disk's floor what waits for its owner is evicted, and loses nothing by it."""
    world = scene(tmp_path, ASKED, fix=[GOOD, GOOD])
    at(world, asks(world), lambda _: setattr(world, "free_bytes", 1000))
    world.live()
    (evicted,) = told(world, e.WorkspaceEvicted)
    assert evicted.attempt == "fix-build-1"
    assert world.git.workspaces == {}
    world.free_bytes = 10**12
    says(world, "veto", "fix")
    at(world, has_failed(world), lambda _: answers(world, "land"))
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}
    build = world.durable.lanes["fix"].attempts["fix-build-1"]
    first, second = [each for each in told(world, e.Harvested) if each.attempt == build.id]
    assert build.start == first.tip, "it went on from where it was"
    assert second.tip != first.tip


def test_a_workspace_at_work_makes_no_room(tmp_path: Path) -> None:
    """Only what waits for its owner does."""
    world = scene(tmp_path, ASKED, fix=[SLOW])
    at(world, runs_in(world, "fix-build-1/turns/1"), lambda _: setattr(world, "free_bytes", 1000))
    at(world, waits_for_room, lambda _: setattr(world, "free_bytes", 10**12))
    world.live()
    answers(world, "land")
    world.run_to_end()
    assert not told(world, e.WorkspaceEvicted)
    assert outcomes(world) == {"fix": "landed"}


def test_a_disk_that_gets_its_room_back_leaves_nothing_half_removed(tmp_path: Path) -> None:
    """The removal itself makes the room, before it is noted: the lane goes on all the same."""
    world = scene(tmp_path, ASKED, fix=[GOOD, GOOD])
    at(world, asks(world), lambda _: setattr(world, "free_bytes", 1000))
    at(world, lambda _: _evicts(world), lambda _: setattr(world, "free_bytes", 10**12))
    world.live()
    assert len(told(world, e.WorkspaceCleared)) == 1
    says(world, "veto", "fix")
    at(world, has_failed(world), lambda _: answers(world, "land"))
    world.run_to_end()
    assert outcomes(world) == {"fix": "landed"}


def _evicts(world: World) -> bool:
    return bool(told(world, e.WorkspaceEvicted)) and world.git.workspaces == {}
