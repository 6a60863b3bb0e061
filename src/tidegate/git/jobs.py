"""Git's slow work as jobs: a file says what to do, a file says what came of it.

A job file is JSON: ``{"job": NAME, "result": PATH, …}``; the further keys are the fields of the
order that the job carries out, under the names they have there. The result is written to PATH by
rename: the fields of what the job returned, with its name as ``kind``, and exit code 0; or
``{"error": {"kind", "code", "message"}}`` and exit code 1, where kind says whose turn it is:

    setup      the user's set-up command or files
    refused    the same call will be refused again
    integrity  what was written may be lost: stop
    infra      git, the machine or the disk; trying again may help

Anything else that goes wrong is a bug: a traceback, no result. Every job can be done again after a
kill at any point, and finishes what was begun. Each job imports what it alone needs: a run starts
thousands, and a third of the time of a small one is spent on imports.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from tidegate.core.errors import IntegrityError, Misused, NotReady, Refused, TidegateError
from tidegate.git import durable, locks
from tidegate.git.commits import Stamp
from tidegate.git.errors import GitFailed, SetupFailed
from tidegate.git.hub import Hub

Json = dict[str, Any]


def main(argv: Sequence[str]) -> int:
    """Do the job that the one argument names; the exit code is 1 for an error as result."""
    if len(argv) != 1:
        sys.stderr.write("usage: python -I -S PATH/TO/tidegate/git JOB.json\n")
        return 2
    with open(argv[0], "rb") as file:
        job: Json = json.load(file)
    result_path = job.pop("result")
    try:
        outcome, code = _plain(_run(job)), 0
    except (TidegateError, OSError) as error:
        outcome, code = {"error": as_error(error)}, 1
    durable.write_file(result_path, json.dumps(outcome).encode(), is_durable=False)
    return code


def _run(job: Mapping[str, Any]) -> object:
    """Do a job, once more where a killed git's lock may have been what was in the way."""
    try:
        return run(job)
    except GitFailed:
        if not locks.clear_hub(job["hub"]):
            raise
        return run(job)


def run(job: Mapping[str, Any]) -> object:
    """Do a job and return what it says. Raises Misused for a job that is not to be understood."""
    arguments = dict(job)
    name = arguments.pop("job", None)
    if name not in JOBS:
        raise Misused(f"there is no job {name!r}", hint=f"the jobs are {', '.join(JOBS)}")
    try:
        work = JOBS[name](arguments)
    except (KeyError, TypeError, ValueError) as error:
        raise Misused(f"the job file of {name!r} is wrong: {error!r}") from error
    return work()


def as_error(error: Exception) -> Json:
    """Describe an error for whoever reads the result."""
    code = error.code if isinstance(error, TidegateError) else "os_error"
    return {"kind": _kind(error), "code": code, "message": str(error)}


def _kind(error: Exception) -> str:
    match error:
        case SetupFailed():
            return "setup"
        case IntegrityError():
            return "integrity"
        case Refused() | Misused() | NotReady():
            return "refused"
        case _:
            return "infra"


Work = Callable[[], object]


def _open_hub(job: Json) -> Work:
    from tidegate.git import hub, repository  # noqa: PLC0415 - see the module's docstring

    path, folder, commit = job.pop("hub"), job.pop("repository"), job.pop("commit")
    _nothing_left(job)

    def work() -> Json:
        source = repository.find(folder)
        made = hub.make(path, source)
        return {"kind": "hub", "pin": hub.fetch_base(made, source, commit)}

    return work


def _pack(job: Json) -> Work:
    from tidegate.git import hub  # noqa: PLC0415 - see the module's docstring

    where = Hub(job.pop("hub"))
    _nothing_left(job)

    def work() -> Json:
        hub.pack(where)
        return {"kind": "packed"}

    return work


def _prepare(job: Json) -> Work:
    from tidegate.git import workspace  # noqa: PLC0415 - see the module's docstring
    from tidegate.git.environment import Copy, Setup  # noqa: PLC0415 - see the module's docstring

    where = Hub(job.pop("hub"))
    for key in ("env_files", "caches"):
        job[key] = tuple(Copy(**copy) for copy in job.get(key, ()))
    if job.get("setup") is not None:
        job["setup"] = Setup(**job["setup"])
    job |= {
        "author": tuple(job["author"]),
        "cone": tuple(job.get("cone", ())),
        "settings": _settings(job),
    }
    order = workspace.Order(**job)
    return lambda: workspace.prepare(where, order)


def _harvest(job: Json) -> Work:
    from tidegate.git import harvest  # noqa: PLC0415 - see the module's docstring

    where = Hub(job.pop("hub"))
    job |= {
        "author": Stamp(**job["author"]),
        "known": tuple(job.get("known", ())),
        "settings": _settings(job),
    }
    order = harvest.Order(**job)
    return lambda: harvest.harvest(where, order)


def _candidate(job: Json) -> Work:
    from tidegate.git import candidate  # noqa: PLC0415 - see the module's docstring

    where = Hub(job.pop("hub"))
    common_dir = job.pop("common_dir", None)
    job |= {
        "parts": tuple(map(_part, job["parts"])),
        "style": candidate.Style(job["style"]),
        "author": Stamp(**job["author"]),
        "committer": Stamp(**job["committer"]),
    }
    order = candidate.Order(**job, common_dir=common_dir)
    return lambda: candidate.build(where, order)


def _part(part: Json) -> Any:
    from tidegate.git import candidate  # noqa: PLC0415 - see the module's docstring

    changed = {
        "footprint": _patterns(part.get("footprint")),
        "leave": _patterns(part.get("leave")),
        "gate_files": tuple(part.get("gate_files", ())),
        "claims": _claims(part.get("claims", {})),
        "trailers": tuple(part.get("trailers", {}).items()),
    }
    return candidate.Part(**(part | changed))


def _patterns(texts: Sequence[str] | None) -> Any:
    if not texts:
        return None
    from tidegate.core import footprint  # noqa: PLC0415 - see the module's docstring

    return tuple(map(footprint.parse, texts))


def _claims(said: Json) -> Any:
    from tidegate.rules.claims import Claims  # noqa: PLC0415 - see the module's docstring

    return Claims(**{name: tuple(paths) for name, paths in said.items()})


def _move(job: Json) -> Work:
    from tidegate.git import landing  # noqa: PLC0415 - see the module's docstring

    where, ref, new, old = (job.pop(key) for key in ("hub", "ref", "new", "old"))
    _nothing_left(job)
    return lambda: landing.move(Hub(where), ref, new=new, old=old)


def _deliver(job: Json) -> Work:
    from tidegate.git import delivery, repository  # noqa: PLC0415 - see the module's docstring

    where, folder, ref, new, old = (
        job.pop(key) for key in ("hub", "repository", "ref", "new", "old")
    )
    again = job.pop("again", False)
    _nothing_left(job)
    return lambda: delivery.deliver(
        Hub(where), repository.find(folder), ref, new=new, old=old, again=again
    )


def _publish(job: Json, *, only_asks: bool = False) -> Work:
    from tidegate.git import publication, repository  # noqa: PLC0415 - see the module's docstring

    reach = publication.ask if only_asks else publication.publish
    job.pop("hub")
    folder, remote, ref, new, old = (
        job.pop(key) for key in ("repository", "remote", "ref", "new", "old")
    )
    _nothing_left(job)
    return lambda: reach(repository.find(folder), remote, ref, new=new, old=old)


def _ask(job: Json) -> Work:
    return _publish(job, only_asks=True)


def _remove(job: Json) -> Work:
    from tidegate.git import workspace  # noqa: PLC0415 - see the module's docstring

    where, path, trash = (job.pop(key) for key in ("hub", "workspace", "trash"))
    _nothing_left(job)
    return lambda: workspace.remove(Hub(where), path, trash)


JOBS: Mapping[str, Callable[[Json], Work]] = {
    "hub": _open_hub,
    "pack": _pack,
    "prepare": _prepare,
    "harvest": _harvest,
    "candidate": _candidate,
    "move": _move,
    "deliver": _deliver,
    "publish": _publish,
    "ask": _ask,
    "remove": _remove,
}


def _settings(job: Json) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in job.get("settings", ()))


def _nothing_left(job: Json) -> None:
    if job:
        raise KeyError(f"unknown keys: {', '.join(job)}")


def _plain(value: object) -> Any:
    """Turn what a job returned into JSON's types; a record tells its own name as `kind`."""
    match value:
        case Enum():
            return value.value
        case Mapping():
            return {key: _plain(item) for key, item in value.items()}
        case tuple() if hasattr(value, "_asdict"):
            return {"kind": type(value).__name__.lower(), **_plain(value._asdict())}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value
