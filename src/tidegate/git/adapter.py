"""The engine's view of git: its work becomes job files, and what jobs left becomes results.

See ports.git. Nothing is done here: `tidegate.git.jobs` does it, in a runner of its own.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never

from tidegate.git import plain
from tidegate.git.host import with_paths
from tidegate.git.plain import Tampered
from tidegate.git.program import COMMAND
from tidegate.ports.git import (
    Delivered,
    DeliverWork,
    HarvestResult,
    HarvestWork,
    MergeConflict,
    Merged,
    MergeWork,
    Moved,
    MoveRefused,
    MoveWork,
    NotDelivered,
    NotPublished,
    Packed,
    PackWork,
    Prepared,
    PrepareWork,
    Published,
    PublishWork,
    Removed,
    RemoveWork,
    Unmoved,
    Work,
    WorkFailed,
    WorkResult,
)
from tidegate.rules import lock_files
from tidegate.rules.claims import read_claims

JOB, RESULT, SETUP_LOG = "job.json", "result.json", "setup.log"
_HEAD_BYTES_MAX = 4096
_PACKED_REFS_BYTES_MAX = 1 << 24

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class GitJobs:
    """Git for one run. `identity` is the user's: commits of the engine's own are made in it."""

    hub: str
    repository: str
    common_dir: str
    run: str
    style: str
    identity: tuple[str, str]
    variables: Mapping[str, str]
    """What the set-up command may see of the user's environment."""
    settings: tuple[tuple[str, str], ...] = ()
    """Of the user's configuration what a workspace needs: the filters that are carried."""
    cone: tuple[str, ...] = ()
    """The folders that workspaces are to have; none for all of them."""
    submodules: bool = True
    """Fill the submodules of workspaces."""

    def command(self, work: Work, folder: str) -> tuple[str, ...]:
        """Write the job's file into `folder` and return the command line that does the work."""
        job = {**self._job(work, folder), "result": f"{folder}/{RESULT}"}
        os.makedirs(folder, mode=0o700, exist_ok=True)
        staged = f"{folder}/{JOB}.new"
        with open(staged, "w", encoding="utf-8") as file:
            json.dump(job, file)
        os.rename(staged, f"{folder}/{JOB}")
        return (*COMMAND, f"{folder}/{JOB}")

    def result(self, work: Work, folder: str) -> WorkResult:
        """What the job left in `folder`."""
        try:
            with open(f"{folder}/{RESULT}", "rb") as file:
                said: Json = json.load(file)
        except (OSError, ValueError) as error:
            return WorkFailed(reason="no_result", message=_without_result(folder) or str(error))
        if (failed := said.get("error")) is not None:
            return WorkFailed(
                reason=failed["code"],
                message=failed["message"],
                is_integrity=failed["kind"] == "integrity",
            )
        return _result_of(work, said)

    def peek(self, workspace: str) -> str | None:
        """The commit at the workspace's HEAD, from plain files; None where it cannot be told."""
        try:
            with plain.folder(workspace) as root, plain.folder(".git", within=root) as git_fd:
                return _head(git_fd)
        except (OSError, Tampered):
            return None

    def _job(self, work: Work, folder: str) -> Json:  # noqa: C901 - one arm a kind of work
        match work:
            case PrepareWork():
                return self._prepare(work, folder)
            case HarvestWork():
                return self._harvest(work)
            case MergeWork():
                return self._candidate(work)
            case MoveWork(ref=ref, old=old, new=new):
                return {"job": "move", "hub": self.hub, "ref": ref, "old": old, "new": new}
            case DeliverWork(ref=ref, old=old, new=new):
                places = {"hub": self.hub, "repository": self.repository}
                return {"job": "deliver", **places, "ref": ref, "old": old, "new": new}
            case PublishWork(remote=remote, ref=ref, old=old, new=new):
                places = {"hub": self.hub, "repository": self.repository, "remote": remote}
                job = "ask" if work.only_asks else "publish"
                return {"job": job, **places, "ref": ref, "old": old, "new": new}
            case RemoveWork(workspace=workspace):
                trash = f"{workspace}.trash"  # of its own: removals go on side by side
                return {"job": "remove", "hub": self.hub, "workspace": workspace, "trash": trash}
            case PackWork():
                return {"job": "pack", "hub": self.hub}
            case _:
                assert_never(work)

    def _prepare(self, work: PrepareWork, folder: str) -> Json:
        setup = None
        if work.setup is not None:
            setup = {
                "command": work.setup,
                "timeout_s": work.setup_timeout_s,
                "variables": dict(self.variables),
                "log": f"{folder}/{SETUP_LOG}",
            }
        return {
            "job": "prepare",
            "hub": self.hub,
            "path": work.workspace,
            "commit": work.commit,
            "branch": f"refs/heads/{work.branch}",
            "author": self.identity,
            "made_from": self.repository,
            "aside": f"{work.workspace}.aside",
            "trash": f"{work.workspace}.trash",
            "env_files": self._copies(work.env_files),
            "caches": self._copies(work.caches),
            "settings": self.settings,
            "setup": setup,
            "cone": self.cone,
            "submodules": self.submodules,
        }

    def _copies(self, paths: tuple[str, ...]) -> list[Json]:
        return [{"source": f"{self.repository}/{path}", "to": path} for path in paths]

    def _harvest(self, work: HarvestWork) -> Json:
        return {
            "job": "harvest",
            "hub": self.hub,
            "workspace": work.workspace,
            "base": work.base,
            "namespace": f"refs/tidegate/{self.run}/{work.attempt}/{work.turn}",
            "author": self._stamp(work.utc),
            "message": work.subject,
            "takes_files": work.snapshot,
            "yard": os.path.dirname(work.workspace),
            "settings": self.settings,
        }

    def _candidate(self, work: MergeWork) -> Json:
        stamp, claims = self._stamp(work.utc), read_claims(work.report)
        message = work.subject
        part = {
            "tip": work.tip,
            "message": message,
            "trailers": dict(work.trailers),
            "footprint": work.footprint,
            "leave": work.leave,
            "gate_files": work.gate_files,
            "claims": claims._asdict(),
        }
        return {
            "job": "candidate",
            "hub": self.hub,
            "target": work.target,
            "parts": [part],
            "style": self.style,
            "author": stamp,
            "committer": stamp,
            "pin": f"refs/tidegate/{self.run}/candidate/{work.tip}",
            "common_dir": self.common_dir,
            "since": work.since,
            "checkout": self.repository,
        }

    def _stamp(self, utc: str) -> Json:
        name, email = self.identity
        at_s = int(datetime.fromisoformat(utc).timestamp())
        return {"name": name, "email": email, "at_s": at_s}


def _result_of(work: Work, said: Json) -> WorkResult:  # noqa: C901 - one arm a kind of work
    match work:
        case PrepareWork():
            return Prepared(environment_digest=said["environment_digest"])
        case HarvestWork():
            return _harvested(said)
        case MergeWork():
            return _merged(said)
        case MoveWork():
            is_moved = said["kind"] == "moved"
            return Moved() if is_moved else MoveRefused(actual=said["actual"] or "nowhere")
        case DeliverWork():
            return _delivered(said)
        case PublishWork():
            return _published(said)
        case RemoveWork():
            return _removed(said)
        case PackWork():
            return Packed()
        case _:
            assert_never(work)


def _published(said: Json) -> Published | Unmoved | NotPublished:
    match said["kind"]:
        case "published":
            return Published()
        case "unmoved":
            return Unmoved()
        case _:
            return NotPublished(reason=said["reason"])


def _merged(said: Json) -> Merged | MergeConflict:
    if said["kind"] == "unmergeable":
        paths = tuple(said["paths"])
        return MergeConflict(paths=paths, hints=lock_files.hints(paths))
    return Merged(
        commit=said["commit"],
        tree=said["tree"],
        findings=_in_words(said["steps"], "findings"),
        codes=tuple(dict.fromkeys(f["code"] for step in said["steps"] for f in step["findings"])),
        surface=_in_words(said["steps"], "surface"),
        is_disjoint=said["is_disjoint"],
    )


def _in_words(steps: list[Json], kind: str) -> tuple[str, ...]:
    found = (each for step in steps for each in step[kind])
    return tuple(f"{each['path']}: {each['detail']} ({each['code']})" for each in found)


def _removed(said: Json) -> Removed | WorkFailed:
    if not said["failures"]:
        return Removed()
    return WorkFailed(reason="left_over", message=said["failures"][0])


def _harvested(said: Json) -> HarvestResult | WorkFailed:
    violations = [f"{v['code']} {v['path']}: {v['detail']}" for v in said["violations"]]
    # What is in no commit of ours would be lost with the workspace: a breach keeps it.
    violations += [f"left_out {path}: it cannot be collected" for path in said["left_out"]]
    return HarvestResult(
        tip=said["tip"] or said["base"],
        tree=said["tree"] or "",
        is_empty=said["is_empty"],
        pins=len(said["pins"]),
        violations=tuple(violations),
    )


def _delivered(said: Json) -> Delivered | NotDelivered:
    match said["kind"]:
        case "delivered":
            return Delivered()
        case "waiting":
            return NotDelivered(reason=with_paths(said["reason"], said["paths"]))
        case _:
            return NotDelivered(reason=said["reason"])


def _without_result(folder: str) -> str:
    """What a job without a result said: the last line first, since that tells most."""
    try:
        with open(f"{folder}/stderr", "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _HEAD_BYTES_MAX))
            said = file.read(_HEAD_BYTES_MAX).decode(errors="replace").strip()
    except OSError:
        return ""
    return f"it ended without a result: {said.splitlines()[-1]}\n{said}" if said else ""


def _head(git_fd: int) -> str | None:
    """Follow HEAD through one loose or packed ref, as git does, and no further."""
    head = _content("HEAD", git_fd, _HEAD_BYTES_MAX)
    if head is None or not head.startswith("ref: "):
        return head
    name = head.removeprefix("ref: ")
    if (loose := _content(name, git_fd, _HEAD_BYTES_MAX)) is not None:
        return loose
    packed = _content("packed-refs", git_fd, _PACKED_REFS_BYTES_MAX) or ""
    rows = (row.partition(" ") for row in packed.splitlines())
    return next((oid for oid, _, ref in rows if ref == name), None)


def _content(name: str, git_fd: int, limit: int) -> str | None:
    found = plain.content(name, within=git_fd, bytes_max=limit)
    return None if found is None else os.fsdecode(found).strip()
