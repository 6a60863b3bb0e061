"""Start a run: freeze its base, its target and its configuration in one first event."""

from tidegate.config.load import Loaded, freeze
from tidegate.core.digest import sha256_hex
from tidegate.core.errors import Misused, Refused
from tidegate.core.events import RunStarted
from tidegate.core.records import record
from tidegate.engine.places import hub_ref
from tidegate.ports.ledger import Ledger
from tidegate.ports.repository import Repository
from tidegate.verbs.house import House
from tidegate.verbs.land import merge_command
from tidegate.verbs.landed import landed_commit, lost_landing
from tidegate.verbs.readiness import require_landing_place, target_branch

_RUNS_A_MINUTE_MAX = 100


@record
class RunWish:
    """What a person asks of one run, over the configuration."""

    width: int | None = None
    base: str | None = None
    anew: bool = False
    """End the run that is open, and begin another."""
    only: tuple[str, ...] = ()
    """The issues that may be taken, as a person names them; none means all."""
    opened_max: int | None = None
    """How many lanes may be opened."""
    opened: int = 0
    """How many of these there are already, where the run goes on after it had to wait."""


def start_run(
    house: House, repository: Repository, loaded: Loaded, ledger: Ledger, wish: RunWish
) -> str:
    """Record the start of a new run and return its id."""
    settings = loaded.configuration.settings
    branch = target_branch(house, repository, loaded.configuration)
    require_landing_place(house, repository, loaded.configuration)
    now = house.clock.now()
    run_id = _free_id(house, repository, ledger, now.utc)
    ref = f"refs/heads/{settings.land.to or f'tidegate/{run_id}'}"
    base = _base(house, repository, ledger, f"refs/heads/{branch}", wish)
    tree = house.repositories.open_hub(repository, base)
    house.repositories.create_hub_ref(repository, hub_ref(run_id), base)
    started = RunStarted(
        playbook="build",
        target=f"refs/heads/{branch}",
        ref=ref,
        base=base,
        base_tree=tree,
        delivered_from=house.repositories.branch_commit(repository, ref),
        config_digest=_frozen(ledger, loaded),
        gate_digest=sha256_hex(settings.check.command.encode()),
        policy=loaded.configuration.policy,
    )
    ledger.create_run(run_id, started, actor=house.holder, utc=now.utc)
    return run_id


def _frozen(ledger: Ledger, loaded: Loaded) -> str:
    """The digest of the configuration as it is kept. Raises Misused where that is not all of it.

    What looks like a secret is masked before it is stored, and whoever took the run up again would
    act on the mask.
    """
    text = freeze(loaded.configuration).decode()
    digest = ledger.put_text(text)
    if ledger.text(digest) != text:
        raise Misused(
            "the configuration holds something that looks like a secret, which is never stored",
            hint="put it into your environment and its name into [env] allow",
        )
    return digest


def _free_id(house: House, repository: Repository, ledger: Ledger, utc: str) -> str:
    """``YYYYMMDD-HHMM`` in UTC, with a suffix where that minute has a run already.

    A start that died before it was recorded has left its ref in the hub: that id is taken too.
    """
    minute = f"{utc[0:4]}{utc[5:7]}{utc[8:10]}-{utc[11:13]}{utc[14:16]}"
    taken = {str(row["run_id"]) for row in ledger.runs()}
    wanted = (minute, *(f"{minute}-{n}" for n in range(2, _RUNS_A_MINUTE_MAX)))
    hub_commit = house.repositories.hub_commit
    is_taken = (name in taken or hub_commit(repository, hub_ref(name)) for name in wanted)
    free = next((name for name, used in zip(wanted, is_taken, strict=True) if not used), None)
    if free is None:
        raise Refused(f"{len(taken)} runs have begun; wait a minute before the next one")
    return free


def _base(house: House, repository: Repository, ledger: Ledger, branch: str, wish: RunWish) -> str:
    """The commit to start from: what was asked for, or the branch and what landed on top of it.

    Work that landed in an earlier run and was not taken into the branch yet is built upon, so
    that a second run does not undo the first. Where both have moved, a person must decide.
    """
    if wish.base is not None:
        return house.repositories.resolve(repository, wish.base)
    commit = house.repositories.branch_commit(repository, branch)
    if commit is None:
        raise Misused(f"there is no branch {branch}", hint="set [run] target in tidegate.toml")
    earlier = _newest_landing(house, repository, ledger, branch, commit)
    if earlier is None or earlier[1] == commit:
        return commit
    run, tip = earlier
    house.repositories.open_hub(repository, commit)
    if house.repositories.is_ancestor(repository, tip, commit):
        return commit
    if house.repositories.is_ancestor(repository, commit, tip):
        return tip
    raise Refused(
        f"run {run} has landed work that is not in {branch.removeprefix('refs/heads/')}, "
        "which has moved on",
        hint=f"take it: {merge_command(house, repository, run, tip)}; "
        "or say where to start: `tidegate run --base REF`",
    )


def _newest_landing(
    house: House, repository: Repository, ledger: Ledger, branch: str, commit: str
) -> tuple[str, str] | None:
    """The run that landed last on a branch, which is at `commit`, and what it landed.

    Raises IntegrityError where neither the hub nor the branch has that.
    """
    runs = [row for row in ledger.runs() if row["target"] == branch]
    for row in reversed(runs):
        run = str(row["run_id"])
        landed = landed_commit(ledger, run)
        if landed is not None:
            break
    else:
        return None
    tip = house.repositories.hub_commit(repository, hub_ref(run))
    if tip is not None and tip != str(row["base"]):
        return run, tip
    if house.repositories.has_before(repository, landed, commit):
        return None
    otherwise = "say where to start without it: `tidegate run --base REF`"
    raise lost_landing(house, repository, run, landed, otherwise=otherwise)
