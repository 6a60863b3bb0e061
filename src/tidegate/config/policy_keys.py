"""The keys of `[limits]` and `[deadlines]`: the fields of the policy, bounded and explained.

The defaults are the policy's own and stand nowhere else. Five of its numbers have their key in
another section, beside what they are about; `PLACED` says where.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from tidegate.config.sections import Seconds

PLACED: Mapping[str, str] = {
    "limits.width": "run.width",
    "limits.check_reruns_max": "check.reruns",
    "limits.disk_floor_bytes": "disk.floor_bytes",
    "deadlines.check_s": "check.timeout_s",
    "deadlines.build_s": "roles.build.timeout_s",
    "deadlines.adjudicate_s": "roles.adjudicate.timeout_s",
    "deadlines.verify_s": "roles.verify.timeout_s",
}

_KEPT = "Kept with the run; nothing is held to it yet."

LIMITS: Mapping[str, Any] = {
    "fails_max": Annotated[
        int,
        Meta(ge=1, le=100, description="FAILs of one lane, vetoes counted in, until it stops."),
    ],
    "replacements_max": Annotated[
        int, Meta(ge=0, le=10, description="Attempts that may take the place of a dead one.")
    ],
    "conflicts_max": Annotated[
        int,
        Meta(ge=1, le=100, description="Times that a lane may be sent back to merge anew."),
    ],
    "overtakes_max": Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="How often others may land while a lane resolves a conflict; then the "
            "landing queue waits for it.",
        ),
    ],
    "infra_max": Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="Failures of git, set-up or disk in a row until the lane asks.",
        ),
    ],
    "output_max_bytes": Annotated[
        int,
        Meta(ge=65_536, le=2**40, description="What one turn may print until it is ended."),
    ],
    "finding_max_bytes": Annotated[
        int,
        Meta(
            ge=1_024,
            le=1_048_576,
            description="How much of a failed command's output its builder gets: the end.",
        ),
    ],
    "steps_per_tick_max": Annotated[
        int, Meta(ge=1, le=10_000, description="Steps that the controller takes in one tick.")
    ],
    "tick_budget_ms": Annotated[
        int, Meta(ge=10, le=60_000, description=f"How long one tick should take at most. {_KEPT}")
    ],
}

DEADLINES: Mapping[str, Any] = {
    "heartbeat_s": Annotated[Seconds, Meta(description="Between two signs of life of a turn.")],
    "missed_beats_max": Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="Signs of life that may be missing until a turn is stale and told to end.",
        ),
    ],
    "checkpoint_s": Annotated[
        Seconds, Meta(description=f"Until the first promised piece of an attempt. {_KEPT}")
    ],
    "checkpoint_build_s": Annotated[
        Seconds,
        Meta(
            description="Until a builder must have committed something; then it is stopped as "
            "stale, and replaced once."
        ),
    ],
    "attempt_s": Annotated[
        Seconds, Meta(description=f"For an attempt that has no other limit. {_KEPT}")
    ],
    "parent_s": Annotated[Seconds, Meta(description=f"For one turn of a parent. {_KEPT}")],
    "setup_s": Annotated[Seconds, Meta(description="For `[workspace] setup`.")],
    "job_s": Annotated[
        Seconds, Meta(description="For one job of the engine: a checkout, a harvest, a removal.")
    ],
    "retry_s": Annotated[
        Seconds,
        Meta(description="Until a job that failed is tried again; fourfold each further time."),
    ],
    "stop_ack_s": Annotated[
        Seconds,
        Meta(
            description="For a runner to say that it heard a request to end; then it is ended by "
            "force. And for what would not die to be gone, until a person is asked."
        ),
    ],
    "term_grace_s": Annotated[
        Seconds, Meta(description="Between asking a process to end and ending it.")
    ],
    "start_s": Annotated[Seconds, Meta(description="Until a started runner must hold its lock.")],
    "checkpoint_look_s": Annotated[
        Seconds,
        Meta(
            description="Between two looks for the first commit of a builder; longer for more than "
            "twenty, since ten looks a second are made at most."
        ),
    ],
    "monitor_s": Annotated[
        float,
        Meta(
            gt=0, le=600, description="At most this long between two observations of all attempts."
        ),
    ],
}
