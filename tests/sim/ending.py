"""What must hold when a run has ended: all is told, nothing is left over, nothing still lives."""

from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.sim.git import FakeGit
from tests.sim.host import Host
from tests.sim.process import Process
from tests.sim.safety import Durable, require
from tidegate.core.lane import Attempt
from tidegate.engine.engine import Engine
from tidegate.ledger.chain import verify_chain
from tidegate.ledger.memory import MemoryLedger
from tidegate.playbooks.build import is_removable
from tidegate.ports.git import MergeWork
from tidegate.verbs.summary import Summary

_FOLDED = ("lane", "attempt", "turn", "workspace", "receipt", "finding", "ruling")
_LEASED = frozenset({"owner", "lease_token", "lease_epoch", "lease_expiry_utc"})


def check_rows(ledger: MemoryLedger, run: str) -> None:
    """The events alone add up to the rows, and the chain holds."""
    folded = MemoryLedger.folded(list(ledger.read(run)))
    for table in _FOLDED:
        told, rows = (_rows(each, table, run) for each in (ledger, folded))
        require(told == rows, "rows that the events do not add up to", table)
    require(verify_chain(ledger, run) is None, "the chain is broken")


def _rows(ledger: MemoryLedger, table: str, run: str) -> list[dict[str, object]]:
    rows = ledger.rows(table, run)
    return [{name: row[name] for name in row if name not in _LEASED} for row in rows]


def check_lanes(durable: Durable, summary: Summary, issues: AbstractSet[str]) -> None:
    """Each issue has landed, was stopped for a reason, or waits for something that has a name."""
    lanes = durable.lanes.values()
    still_open = [lane.id for lane in lanes if lane.outcome is None]
    require(not still_open, "the run has ended with open lanes", still_open)
    landed = [each.issue for each in summary.landed]
    stopped = [each.issue for each in summary.stopped if each.reason]
    waiting = [each.issue for each in summary.waiting if each.waits_for]
    refused = [each.issue for each in summary.refused if each.reason]
    told = [*landed, *stopped, *refused, *waiting]
    require(sorted(told) == sorted(issues), "issues that nobody speaks of", told, summary)


def check_landings(git: FakeGit, target: str) -> None:
    """No lane of any run has landed twice, as the history of the target tells it."""
    commits = (git.objects.commit(name) for name in git.objects.line(target))
    landed = [each.trailers[:2] for each in commits if each.trailers]
    require(len(landed) == len(set(landed)), "the target holds a change twice", landed)


def check_leftovers(
    durable: Durable, git: FakeGit, host: Host, engine: Engine, *, is_base_kept: bool
) -> None:
    """Nothing lives but what would not die, and nothing is left but what is kept on purpose."""
    alive = [each.spec.folder for each in host.living if not _may_live(each, git)]
    require(not alive, "something is still alive", alive)
    owners = {x.workspace: x for lane in durable.lanes.values() for x in lane.attempts.values()}
    mine = [each for each in git.workspaces if f"/{engine.book.run.id}/" in each]
    for workspace in mine:
        owner = owners.get(workspace)
        is_kept = is_base_kept if owner is None else _is_kept(durable, owner)
        require(is_kept, "a workspace is left", workspace)
    jobs = Path(engine.setup.places.jobs)
    left = sorted(jobs.iterdir()) if jobs.exists() else []
    require(not left or engine.clinging_since, "folders of jobs are left", left)


def _may_live(process: Process, git: FakeGit) -> bool:
    """It would not die, or it is a merge that nobody waits for: it can change nothing."""
    is_merge = isinstance(git.works.get(process.spec.folder), MergeWork)
    return process.clings_until_s > 0 or is_merge


def gives_up_base(engine: Engine) -> bool:
    """Its removal was given up, or its process would not die.

    Its job folders are gone by then: of a controller that still had to record the run's end, and
    found no room, the next one does not know that it had given up.
    """
    limit = engine.setup.policy.limits.infra_max
    failed = max(engine.base_removals_failed, engine.base_clearings_failed)
    return failed >= limit or bool(engine.clinging_since)


def _is_kept(durable: Durable, attempt: Attempt) -> bool:
    """It holds what may be nowhere else, or its removal was given up."""
    lane = next(x for x in durable.lanes.values() if attempt.id in x.attempts)
    return not is_removable(lane, attempt, durable.limits)
