"""What came of the proof, in numbers, and in words that a person enjoys."""

import statistics
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from tidegate.core.records import record
from tidegate.showcase.proving.child import Recovery
from tidegate.showcase.proving.examiner import Damage, Kind
from tidegate.showcase.proving.faults import Fault, Struck


@record
class Line:
    """One kind of fault: how often, what it did, and how soon the next controller was at work."""

    fault: Fault
    injected: int
    took_effect: int
    lost: int
    doubled: int
    redone: int
    """Parts that a replacement wrote anew, which the dead agent's commits in the hub have too."""
    recovery_median_s: float | None
    recovery_max_s: float | None


@record
class Proof:
    """All of it. `problems` are what went wrong, in words; without any the proof holds."""

    seed: int
    seconds: float
    lines: Sequence[Line]
    looked_at: Mapping[str, int]
    problems: Sequence[str] = ()
    lost: int = 0
    doubled: int = 0
    decided_median_s: float | None = None
    decided_max_s: float | None = None
    adopted_median_s: float | None = None
    adopted_max_s: float | None = None
    adopted_agents: int = 0
    kept: str = ""
    full_disk_by: str = "RLIMIT_FSIZE of the controller: every write to a file fails with EFBIG"

    @property
    def holds(self) -> bool:
        """Nothing was lost, nothing was done twice, and every fault took effect."""
        return not self.problems

    def as_json(self) -> dict[str, object]:
        """All of it, and whether it holds."""
        return {"holds": self.holds, **asdict(self), "says": _sentence(self)}


def drawn_up(
    struck: Sequence[Struck],
    damages: Sequence[Damage],
    starts: Sequence[Recovery],
    *,
    seed: int,
    seconds: float,
    looked_at: Mapping[str, int],
    wanted: Sequence[Fault],
    problems: Sequence[str] = (),
) -> Proof:
    """The proof of what was done and found."""
    blamed = [(_blamed(damage, struck), damage.kind) for damage in damages]
    decided, adopted = _spread(starts)
    return Proof(
        seed=seed,
        seconds=round(seconds, 1),
        lines=tuple(_line(fault, struck, blamed) for fault in wanted),
        looked_at=looked_at,
        problems=(
            *problems,
            *(f"{x.kind}: {x.what}" for x in damages if x.kind is not Kind.REDONE),
            *_without_effect(struck, wanted),
        ),
        lost=sum(damage.kind is Kind.LOST for damage in damages),
        doubled=sum(damage.kind is Kind.DOUBLED for damage in damages),
        decided_median_s=decided[0],
        decided_max_s=decided[1],
        adopted_median_s=adopted[0],
        adopted_max_s=adopted[1],
        adopted_agents=sum(each.agents for each in starts),
    )


def _spread(starts: Sequence[Recovery]) -> tuple[tuple[float | None, float | None], ...]:
    return (
        _of([each.decided_s for each in starts]),
        _of([each.adopted_s for each in starts if each.agents]),
    )


def _of(values: Sequence[float]) -> tuple[float | None, float | None]:
    if not values:
        return None, None
    return round(statistics.median(values), 3), round(max(values), 3)


def _blamed(damage: Damage, struck: Sequence[Struck]) -> Fault | None:
    """The fault that it follows from, or that came last before it, as far as that is known."""
    for each in struck:
        if each.turn is not None and each.turn == damage.after:
            return each.fault
    if damage.at_s is None:
        return None
    place = bisect_right([each.at_s for each in struck], damage.at_s)
    return struck[place - 1].fault if place else None


def _line(
    fault: Fault, struck: Sequence[Struck], blamed: Sequence[tuple[Fault | None, Kind]]
) -> Line:
    mine = [each for each in struck if each.fault is fault]
    median_s, max_s = _of(
        [max(r.decided_s, r.adopted_s) for each in mine if (r := each.recovery) is not None]
    )
    return Line(
        fault=fault,
        injected=len(mine),
        took_effect=sum(bool(each.seen) for each in mine),
        lost=blamed.count((fault, Kind.LOST)),
        doubled=blamed.count((fault, Kind.DOUBLED)),
        redone=blamed.count((fault, Kind.REDONE)),
        recovery_median_s=median_s,
        recovery_max_s=max_s,
    )


def _without_effect(struck: Sequence[Struck], wanted: Sequence[Fault]) -> Sequence[str]:
    """A fault that never fired proves nothing."""
    injected = [each.fault for each in struck]
    never = [f"never fired: {fault}" for fault in wanted if fault not in injected]
    vain = [f"without effect: {each.fault}" for each in struck if not each.seen]
    return (*never, *vain)


HEAD = ("fault", "injected", "effect", "lost", "twice", "anew", "median", "at most")


def table(proof: Proof) -> Sequence[Sequence[str]]:
    """The rows of the table, its head first."""
    return [
        HEAD,
        *(
            (
                str(line.fault),
                str(line.injected),
                str(line.took_effect),
                str(line.lost),
                str(line.doubled),
                str(line.redone),
                _seconds(line.recovery_median_s),
                _seconds(line.recovery_max_s),
            )
            for line in proof.lines
        ),
    ]


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def closing(proof: Proof) -> Sequence[str]:
    """What was looked at, and one sentence to end with."""
    seen = proof.looked_at
    looked = ", ".join(f"{count} {name}" for name, count in seen.items())
    lines = [
        f"examined: {looked}; seed {proof.seed}, {proof.seconds:.0f} s",
        *_how(proof),
        *_wheel(proof),
        *(f"PROBLEM  {each}" for each in proof.problems),
        *([f"kept: {proof.kept}"] if proof.kept else ()),
    ]
    return [*_legend(proof), *lines, "", _sentence(proof)]


def _legend(proof: Proof) -> Sequence[str]:
    """What the heads of the columns mean, where that needs words."""
    words = [
        "effect: it is known to have struck; lost, twice: damage; median, at most: from a",
        "controller's start until it was at work and had adopted every live agent",
    ]
    if any(line.redone for line in proof.lines):
        words.append("anew: parts that a killed agent had committed and its successor wrote again")
    return [*words, ""]


def _how(proof: Proof) -> Sequence[str]:
    """By what a fault was done that can be done in several ways."""
    is_done = any(line.fault is Fault.FULL_DISK and line.injected for line in proof.lines)
    return [f"a full disk by {proof.full_disk_by}"] if is_done else []


def _wheel(proof: Proof) -> Sequence[str]:
    """How soon a next controller was at work; nothing where no fault called for one."""
    if proof.decided_median_s is None:
        return []
    median, most = _seconds(proof.decided_median_s), _seconds(proof.decided_max_s)
    adopted = f"with {proof.adopted_agents} live agents adopted"
    return [f"at the wheel again after {median} (median; at most {most}), {adopted}"]


def _sentence(proof: Proof) -> str:
    blows = sum(line.took_effect for line in proof.lines)
    if proof.holds:
        word = "blow" if blows == 1 else "blows"
        return (
            f"{blows} {word}, {proof.looked_at.get('landings', 0)} landings, nothing lost, nothing "
            "done twice. Sleep well."
        )
    if proof.lost or proof.doubled:
        return (
            f"{proof.lost} lost and {proof.doubled} done twice: this is a bug. Please report it "
            f"with seed {proof.seed} and the folder above."
        )
    return f"The proof does not hold: {len(proof.problems)} problems, named above."
