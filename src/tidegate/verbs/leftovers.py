"""What runs have left that nobody needs, and what looks so and is kept, each with its reason.

It only looks. A workspace goes when its lane is over and all that it held is in the hub; a run's
folder when the run is over for long and its landing is in the target; a branch when it is.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tidegate.core.errors import IntegrityError
from tidegate.core.lane import NEVER_RAN
from tidegate.core.records import record
from tidegate.core.settle import HARVESTED
from tidegate.engine.engine import BASE
from tidegate.engine.places import Places, hub_ref
from tidegate.playbooks.build import WORKSPACE
from tidegate.ports.ledger import Ledger, Row
from tidegate.ports.repository import Repository
from tidegate.verbs.frozen import frozen
from tidegate.verbs.house import House
from tidegate.verbs.landed import landed_commit
from tidegate.verbs.proved_dead import doubt, turn_folders
from tidegate.verbs.workspaces import workspaces_root

OLDER_THAN_DAYS = 14
TRASH = "trash"
"""Where folders of runs go first, beside the ledger."""
_DAY_S = 86_400.0
_EVIDENCE = "evidence of a critical stop; --with-evidence takes it too"
_BOUNDARY = "boundary"
_UNKNOWN = "it lies where a workspace was, and nobody knows whose it is"


@record
class Leftover:
    """One thing. `keep` says why it stays, and is empty where it may go; `reason` why it may.

    `kind` is workspace, trash, run or branch; `folders` are those of its turns and jobs.
    """

    kind: str
    name: str
    run: str
    path: str
    reason: str
    keep: str = ""
    size_bytes: int = 0
    folders: tuple[str, ...] = ()
    commit: str = ""


@record
class Scope:
    """How far to go: runs that ended before so many days, and evidence of critical stops too."""

    older_than_days: int = OLDER_THAN_DAYS
    with_evidence: bool = False


@record
class _Look:
    """All that a look needs."""

    house: House
    repository: Repository
    ledger: Ledger
    scope: Scope
    before_utc: str


def leftovers(
    house: House, repository: Repository, ledger: Ledger, scope: Scope
) -> Iterator[Leftover]:
    """Everything, in the order in which it may go: a run's folder proves what was in its lanes."""
    before_utc = house.clock.now().utc_in(-scope.older_than_days * _DAY_S)
    look = _Look(
        house=house, repository=repository, ledger=ledger, scope=scope, before_utc=before_utc
    )
    runs = ledger.runs()
    found = {str(run["run_id"]): tuple(_workspaces(look, run)) for run in runs}
    for each in found.values():
        yield from each
    yield from _trash(look)
    newest = {str(run["target"]): str(run["run_id"]) for run in runs}
    old = [run for run in runs if _is_old(look, run, newest)]
    for run in old:
        yield from _run(look, run, found[str(run["run_id"])])
    for run in old:
        yield from _branch(look, run)


def _is_old(look: _Look, run: Row, newest: Mapping[str, str]) -> bool:
    """It ended long ago, and is not the newest of its target."""
    is_newest = newest[str(run["target"])] == run["run_id"]
    return bool(run["ended_at"]) and str(run["ended_at"]) <= look.before_utc and not is_newest


def _workspaces(look: _Look, run: Row) -> Iterator[Leftover]:
    """The workspaces of a run's lanes that are over, as far as anything of them is there."""
    run_id = str(run["run_id"])
    lanes = {row["lane"]: row for row in look.ledger.rows("lane", run_id)}
    attempts = {row["attempt_id"]: row for row in look.ledger.rows("attempt", run_id)}
    turns = {row["attempt_id"]: row for row in look.ledger.rows("turn", run_id)}  # the last of each
    for row in look.ledger.rows("workspace", run_id):
        outcome = lanes[row["lane"]]["outcome"]
        attempt, path = str(row["attempt_id"]), str(row["path"])
        is_ours = path.endswith(f"/{run_id}/{attempt}/{WORKSPACE}")
        if not (outcome or run["ended_at"]) or not is_ours:
            continue
        reason = f"lane {row['lane']} is over ({outcome or 'its run is'}), and harvested"
        keep = _kept(look, attempts[attempt], turns.get(attempt))
        if row["removed_at"] and Path(path).is_dir():
            keep = _UNKNOWN
        yield from _workspace(look, run_id, attempt, path, reason=reason, keep=keep)
    if run["ended_at"]:
        yield from _base(look, run_id)


def _workspace(
    look: _Look, run: str, attempt: str, path: str, *, reason: str, keep: str
) -> Iterator[Leftover]:
    cleaning = look.house.cleaning
    places = Places(home=look.repository.home, run=run)
    parts = [each for each in (path, f"{path}.trash") if Path(each).is_dir()]
    if parts:
        folders = turn_folders(places.folder, attempt)
        yield Leftover(
            kind="workspace",
            name=attempt,
            run=run,
            path=path,
            reason=reason,
            keep=keep or doubt(look.house.runners, folders),
            size_bytes=sum(map(cleaning.size, parts)),
            folders=folders,
        )
    if Path(f"{path}.aside").is_dir():
        yield Leftover(
            kind="workspace",
            name=f"{attempt}, aside",
            run=run,
            path=f"{path}.aside",
            reason="",
            keep=_UNKNOWN,
            size_bytes=cleaning.size(f"{path}.aside"),
        )


def _kept(look: _Look, attempt: Row, turn: Row | None) -> str:
    """Why a workspace is needed, as far as the ledger knows."""
    if str(attempt["reason"] or "").startswith(_BOUNDARY) and not look.scope.with_evidence:
        return _EVIDENCE
    if turn is None:
        return ""
    if not turn["ended_at"]:
        return "how its last turn ended is not known"
    is_safe = turn["harvested_at"] or turn["how"] in NEVER_RAN
    if attempt["role"] in HARVESTED and not is_safe:
        return "it was not harvested: it may be the only copy of somebody's work"
    return ""


def _base(look: _Look, run: str) -> Iterator[Leftover]:
    """The workspace in which the base was checked: nobody's work."""
    try:
        settings = frozen(look.ledger, run).settings
    except IntegrityError:
        return
    root = workspaces_root(look.house, look.repository, settings.workspace.root)
    path = f"{root}/{run}/{BASE}"
    yield from _workspace(look, run, BASE, path, reason="the base was checked in it", keep="")


def _trash(look: _Look) -> Iterator[Leftover]:
    path = f"{look.repository.home}/{TRASH}"
    if Path(path).is_dir():
        yield Leftover(
            kind="trash",
            name=TRASH,
            run="",
            path=path,
            reason="a removal was cut short",
            size_bytes=look.house.cleaning.size(path),
        )


def _run(look: _Look, run: Row, workspaces: tuple[Leftover, ...]) -> Iterator[Leftover]:
    run_id = str(run["run_id"])
    path = Places(home=look.repository.home, run=run_id).folder
    if not Path(path).is_dir():
        return
    folders = turn_folders(path)
    kept = next((f"workspace {each.name} is kept" for each in workspaces if each.keep), "")
    yield Leftover(
        kind="run",
        name=run_id,
        run=run_id,
        path=path,
        reason=f"it ended {str(run['ended_at'])[:10]}; its events stay",
        keep=kept or _needed(look, run) or doubt(look.house.runners, folders),
        size_bytes=look.house.cleaning.size(path),
        folders=folders,
    )


def _needed(look: _Look, run: Row) -> str:
    """Why a run's folder is needed."""
    run_id = str(run["run_id"])
    reasons = (str(row["reason"] or "") for row in look.ledger.rows("attempt", run_id))
    if any(reason.startswith(_BOUNDARY) for reason in reasons) and not look.scope.with_evidence:
        return _EVIDENCE
    commit = landed_commit(look.ledger, run_id)
    if commit is not None and not _is_in_target(look, run, commit):
        target = _short(run["target"])
        return f"what landed in it is not in {target} yet: `tidegate land --run {run_id}`"
    return ""


def _branch(look: _Look, run: Row) -> Iterator[Leftover]:
    """The branch that a run made in the user's repository."""
    ref = hub_ref(str(run["run_id"]))
    commit = look.house.repositories.branch_commit(look.repository, ref)
    if run["ref"] != ref or commit is None:
        return
    target = _short(run["target"])
    is_in = _is_in_target(look, run, commit)
    yield Leftover(
        kind="branch",
        name=_short(ref),
        run=str(run["run_id"]),
        path=ref,
        reason=f"{target} has all of it",
        keep="" if is_in else f"{target} has not all of it",
        commit=commit,
    )


def _is_in_target(look: _Look, run: Row, commit: str) -> bool:
    repositories = look.house.repositories
    tip = repositories.branch_commit(look.repository, str(run["target"]))
    return tip is not None and repositories.has_before(look.repository, commit, tip)


def _short(ref: object) -> str:
    return str(ref).removeprefix("refs/heads/")
