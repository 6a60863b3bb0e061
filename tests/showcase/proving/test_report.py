"""What the proof says of itself: a fault without effect is an error, and damage has a cause."""

from collections.abc import Mapping, Sequence

from tidegate.showcase.proving.child import Recovery
from tidegate.showcase.proving.examiner import Damage, Kind
from tidegate.showcase.proving.faults import Fault, Struck
from tidegate.showcase.proving.report import Proof, closing, drawn_up, table

_LOOKED_AT: Mapping[str, int] = {"landings": 3}
_KILL = Struck(
    fault=Fault.KILL_CONTROLLER,
    at_s=10.0,
    seen="it ended",
    recovery=Recovery(decided_s=0.5, adopted_s=0.25, agents=2),
)
_LOST_RUNNER = Struck(
    fault=Fault.KILL_RUNNER, at_s=20.0, seen="found lost", turn=("001-build-1", 1)
)


def proof(
    struck: Sequence[Struck] = (_KILL, _LOST_RUNNER),
    damages: Sequence[Damage] = (),
    wanted: Sequence[Fault] = (Fault.KILL_CONTROLLER, Fault.KILL_RUNNER),
) -> Proof:
    """The proof of these two faults."""
    return drawn_up(
        struck,
        damages,
        [each.recovery for each in struck if each.recovery is not None],
        seed=7,
        seconds=30.0,
        looked_at=_LOOKED_AT,
        wanted=wanted,
    )


def test_it_holds_where_all_took_effect_and_nothing_is_wrong() -> None:
    """Its last line can be slept on."""
    made = proof()
    assert made.holds
    assert closing(made)[-1] == (
        "2 blows, 3 landings, nothing lost, nothing done twice. Sleep well."
    )
    assert made.lines[0].recovery_max_s == 0.5


def test_one_fault_that_calls_for_no_further_controller_says_nothing_of_one() -> None:
    """One blow is no `blows`, and a time that nobody measured is not told as a dash."""
    said = closing(proof(struck=(_LOST_RUNNER,), wanted=(Fault.KILL_RUNNER,)))
    assert said[-1].startswith("1 blow, 3 landings")
    assert not any("at the wheel" in line for line in said)
    assert any("at the wheel again after 0.50 s" in line for line in closing(proof()))


def test_a_fault_that_never_fired_is_an_error() -> None:
    """Where a kind of fault was never injected the proof does not hold, and says which."""
    made = proof(struck=(_KILL,))
    assert made.problems == ("never fired: kill -9 of a runner",)
    assert made.as_json()["holds"] is False


def test_a_fault_without_effect_is_an_error() -> None:
    """One that was injected and is not known to have done anything proves nothing."""
    vain = Struck(fault=Fault.KILL_CONTROLLER, at_s=1.0, seen="")
    made = proof(struck=(vain, _LOST_RUNNER))
    assert made.problems == ("without effect: kill -9 of the controller",)


def test_damage_is_put_down_to_the_fault_before_it() -> None:
    """What was done twice at a time belongs to the last fault before that time."""
    damage = Damage(kind=Kind.DOUBLED, what="turn 1 of 002-build-1 ran twice", at_s=15.0)
    made = proof(damages=[damage])
    assert [line.doubled for line in made.lines] == [1, 0]
    assert (made.doubled, made.holds) == (1, False)


def test_what_a_replacement_writes_anew_is_counted_and_no_damage() -> None:
    """It belongs to the fault that killed the agent, however many came later."""
    anew = Damage(kind=Kind.REDONE, what="part 0 again", at_s=99.0, after=("001-build-1", 1))
    late = Struck(fault=Fault.KILL_CONTROLLER, at_s=90.0, seen="it ended")
    made = proof(struck=(_KILL, _LOST_RUNNER, late), damages=[anew])
    assert [line.redone for line in made.lines] == [0, 1]
    assert made.holds


def test_damage_without_a_time_counts_all_the_same() -> None:
    """No fault is blamed for it, and the proof does not hold."""
    made = proof(damages=[Damage(kind=Kind.LOST, what="the artifact of 001-build-1 is gone")])
    assert [line.lost for line in made.lines] == [0, 0]
    assert (made.lost, made.holds) == (1, False)
    assert "this is a bug" in closing(made)[-1]


def test_the_table_has_a_row_for_each_fault() -> None:
    """A fault without a further controller has no recovery to tell."""
    rows = table(proof())
    assert [len(row) for row in rows] == [8, 8, 8]
    assert rows[2][-1] == "-"
