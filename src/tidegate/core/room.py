"""Decide what becomes of a workspace that is not needed: it is removed, or makes room. Pure."""

from tidegate.core import commands as c
from tidegate.core import events as e
from tidegate.core.errors import Refused
from tidegate.core.lane import Attempt, Lane


def workspace_event(
    lane: Lane, command: c.NoteRemoval | c.EvictWorkspace | c.NoteEviction
) -> e.WorkspaceRemoved | e.WorkspaceEvicted | e.WorkspaceCleared:
    """The fact that a command makes of a workspace. Raises Refused."""
    attempt = lane.attempts[command.attempt]
    if attempt.is_removed:
        raise Refused(f"the workspace of {attempt.id} is gone already")
    match command:
        case c.NoteRemoval():
            return e.WorkspaceRemoved(attempt=attempt.id)
        case c.EvictWorkspace():
            return _evicted(attempt)
        case c.NoteEviction():
            if not attempt.is_being_evicted:
                raise Refused(f"the workspace of {attempt.id} was not to make room")
            return e.WorkspaceCleared(attempt=attempt.id)


def _evicted(attempt: Attempt) -> e.WorkspaceEvicted:
    """The intent comes first, so that no turn begins in what is on its way out."""
    is_at_rest = attempt.environment is not None and not attempt.has_open_turn
    if not is_at_rest or attempt.tip is None:
        raise Refused(f"the workspace of {attempt.id} is in use, or is not in the hub")
    return e.WorkspaceEvicted(attempt=attempt.id)
