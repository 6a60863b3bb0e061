"""What is asked of all lanes at once, kept lane by lane as they change.

A tick plans each lane by facts of all the others. To walk over all of them for each would cost the
square of their number: a thousand lanes took seconds.
"""

from tidegate.core.lane import Lane
from tidegate.core.values import Role
from tidegate.playbooks.build import could_not_start


class Tally:
    """The lanes that others have to know of, by their ids."""

    def __init__(self) -> None:
        self.queueing: dict[str, Lane] = {}
        """Lanes that may have a place in the landing queue, or had one and answer a conflict."""
        self.building: set[str] = set()
        """Lanes whose builder has an open turn."""
        self.unstartable: set[str] = set()
        """Lanes of which an agent could not be started."""

    def note(self, lane: Lane) -> None:
        """A lane has changed."""
        self.forget(lane.id)
        if lane.is_queued or lane.conflicts or lane.landing is not None:
            self.queueing[lane.id] = lane
        build = lane.latest(Role.BUILD)
        if build is not None and build.has_open_turn:
            self.building.add(lane.id)
        if any(could_not_start(attempt) for attempt in lane.attempts.values()):
            self.unstartable.add(lane.id)

    def forget(self, lane_id: str) -> None:
        """A lane is gone."""
        self.queueing.pop(lane_id, None)
        self.building.discard(lane_id)
        self.unstartable.discard(lane_id)
