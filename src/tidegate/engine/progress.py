"""What an attempt got done since it was last observed, in figures and in a few words for people.

Progress is commits, files and output, in this order of worth: output alone may be chatter.
"""

from tidegate.core.lane import Attempt
from tidegate.core.liveness import Action, Finding, Signs
from tidegate.core.records import record
from tidegate.engine.engine import Engine
from tidegate.ports.runners import Running


@record
class Progress:
    """The figures, and the words that seed 002 (line 364) asks for."""

    output_bytes: int
    commit: str | None
    progress: str
    working: str
    not_working: str
    changed: str
    next: str


def progress_of(
    engine: Engine, attempt: Attempt, seen: Running, finding: Finding, signs: Signs
) -> Progress:
    """Compare what is there with what was seen the last time."""
    beat, before = seen.beat, attempt.seen
    output_bytes = beat.stdout_bytes + beat.stderr_bytes if beat else 0
    workspace = attempt.workspace or ""
    commit = engine.ports.git.peek(workspace) if workspace else None
    number = attempt.turn.number if attempt.turn else 0
    if before is None or before.turn != number:
        had_bytes, had_commit = 0, attempt.start
    else:
        had_bytes, had_commit = before.output_bytes, before.commit
    changed = _changed(output_bytes - had_bytes, is_new_commit=commit not in (None, had_commit))
    return Progress(
        output_bytes=output_bytes,
        commit=commit,
        progress=changed,
        working=f"a sign of life {signs.silent_s:.0f} s ago, {signs.active_s:.0f} s of work",
        not_working=_not_working(finding),
        changed=changed,
        next=_next(finding, signs),
    )


def _changed(more_bytes: int, *, is_new_commit: bool) -> str:
    if is_new_commit:
        return f"a commit, and {more_bytes} bytes of output"
    if more_bytes > 0:
        return f"{more_bytes} bytes of output, no commit"
    return "nothing that can be seen"


def _not_working(finding: Finding) -> str:
    return "" if finding.lapse is None else finding.lapse.replace("_", " ")


def _next(finding: Finding, signs: Signs) -> str:
    match finding.action:
        case Action.STOP:
            return "it is asked to end"
        case Action.KILL:
            return "it is ended by force"
        case Action.NONE:
            return f"at most {max(0.0, signs.deadline_s - signs.active_s):.0f} s of work are left"
