"""Every key of `tidegate.toml` but the limits and deadlines: its type, bounds, default, meaning.

These classes are what the program works with, and what the starter file and the reference page
are written from. A key is here only if it changes something today. A number that the policy holds
too has one key alone, here, beside the thing that it is about.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from msgspec import Meta

from tidegate.config import rules
from tidegate.config.rules import Rule
from tidegate.core.policy import Policy
from tidegate.core.records import record

_POLICY = Policy()

SECONDS_MAX = 2_678_400
"""31 days: what is meant to take longer is more likely a slip of the unit."""

Seconds = Annotated[float, Meta(gt=0, le=SECONDS_MAX)]


@record
class Run:
    """What a run starts from, and how much it does at once."""

    target: Annotated[
        str,
        Meta(description="The branch that work starts from. Empty: the one checked out."),
        Rule(rules.branch),
    ] = ""
    width: Annotated[
        int, Meta(ge=1, le=1024, description="How many lanes may have an agent at work at once.")
    ] = _POLICY.limits.width


@record
class Land:
    """Where proved work goes."""

    to: Annotated[
        str,
        Meta(
            description="The branch that is moved. Empty: a branch of its own, "
            "`tidegate/<run>`, which you merge when you like."
        ),
        Rule(rules.branch),
    ] = ""
    style: Annotated[
        Literal["merge", "squash"],
        Meta(
            description="`merge` keeps the builder's commits under a merge commit; "
            "`squash` lands one commit for each issue."
        ),
    ] = "merge"
    publish: Annotated[
        str,
        Meta(
            description="A remote of your repository that gets what landed, as a fast-forward or "
            "not at all: `origin`, or `origin main` for a branch of another name. Empty: none.",
            examples=["origin"],
        ),
        Rule(rules.publication),
    ] = ""


@record
class Workspace:
    """The fresh clone that each attempt gets. What git does not hold is there only if named."""

    root: Annotated[
        str,
        Meta(
            description="The folder for workspaces, outside the repository. Empty: "
            "`${XDG_STATE_HOME:-~/.local/state}/tidegate`.",
            examples=["~/workspaces"],
        ),
        Rule(rules.outer_folder),
    ] = ""
    setup: Annotated[
        str,
        Meta(
            description="A shell command that makes a fresh workspace ready, run in it before "
            "anything else.",
            examples=["python -m venv .venv && .venv/bin/pip install -e ."],
        ),
        Rule(rules.command),
    ] = ""
    env_files: Annotated[
        tuple[str, ...],
        Meta(
            description="Files that git ignores and work needs, copied from your checkout.",
            examples=[(".env.test",)],
        ),
        Rule(rules.inner_paths),
    ] = ()
    caches: Annotated[
        tuple[str, ...],
        Meta(
            description="Folders of your checkout that workspaces may read and never write.",
            examples=[("node_modules",)],
        ),
        Rule(rules.inner_paths),
    ] = ()
    sparse: Annotated[
        tuple[str, ...],
        Meta(
            description="The only folders that workspaces have, beside the files above them. "
            "Empty: all.",
            examples=[("services/billing", "libs")],
        ),
        Rule(rules.inner_folders),
    ] = ()
    submodules: Annotated[
        bool,
        Meta(
            description="Fill submodules from those of your checkout. No network is asked: what "
            "you do not have stays empty."
        ),
    ] = True


@record
class Check:
    """The proof that a change must pass, on its exact tree, before it lands."""

    command: Annotated[
        str,
        Meta(
            description="A shell command; exit code 0 is a PASS. Nothing can land without one.",
            examples=["make test"],
        ),
        Rule(rules.command),
    ] = ""
    timeout_s: Annotated[
        Seconds, Meta(description="How long one run of it may take; then it is a FAIL.")
    ] = _POLICY.deadlines.check_s
    reruns: Annotated[
        int,
        Meta(ge=0, le=10, description="How often a red check is run again before it counts."),
    ] = _POLICY.limits.check_reruns_max


@record
class RoleTable:
    """How a role is filled. What the top of `.tidegate/roles/NAME.md` says lies over this."""

    agent: Annotated[
        str,
        Meta(description="Which kind of agent; `shell` runs any command."),
        Rule(rules.agent),
    ] = "shell"
    command: Annotated[
        str | None,
        Meta(
            description="The command that is run in the workspace. It finds what to do in the "
            "file that `TIDEGATE_PROMPT` names.",
            examples=['my-agent < "$TIDEGATE_PROMPT"'],
        ),
        Rule(rules.command),
    ] = None
    timeout_s: Annotated[
        Seconds, Meta(description="How long one turn may take, in seconds of active time.")
    ] = _POLICY.deadlines.build_s


_OFF_OR_AGENT = Meta(
    description='`"off"`: the run goes on without the role. `shell` runs any command.'
)


@record
class AdjudicateTable:
    """Whether an issue is built at all, asked before anything is. `"off"`: each is."""

    agent: Annotated[str, _OFF_OR_AGENT, Rule(rules.agent)] = "off"
    command: Annotated[
        str | None,
        Meta(
            description="The command that is run in a checkout of the target. Its report says "
            "`VERDICT: BUILD` or `VERDICT: REFUSE`.",
            examples=['my-agent < "$TIDEGATE_PROMPT" > "$TIDEGATE_REPORT"'],
        ),
        Rule(rules.command),
    ] = None
    timeout_s: Annotated[
        Seconds, Meta(description="How long one turn may take, in seconds of active time.")
    ] = _POLICY.deadlines.adjudicate_s


@record
class VerifyTable:
    """Who attacks a change that has passed its check. `"off"`: the check alone decides."""

    agent: Annotated[str, _OFF_OR_AGENT, Rule(rules.agent)] = "off"
    command: Annotated[
        str | None,
        Meta(
            description="The command that is run in a fresh checkout of the change. Its report "
            "says `VERDICT: PASS` or `VERDICT: FAIL`.",
            examples=['my-agent < "$TIDEGATE_PROMPT" > "$TIDEGATE_REPORT"'],
        ),
        Rule(rules.command),
    ] = None
    timeout_s: Annotated[
        Seconds, Meta(description="How long one turn may take, in seconds of active time.")
    ] = _POLICY.deadlines.verify_s
    attacks: Annotated[
        tuple[str, ...],
        Meta(
            description="What verifiers are to try, four in each round, in turn. Empty: the list "
            "that comes with Tidegate.",
            examples=[("Give it an empty file.", "Run it twice.")],
        ),
        Rule(rules.sentences),
    ] = ()


ROLE_TABLES: Mapping[str, type] = {
    "adjudicate": AdjudicateTable,
    "build": RoleTable,
    "verify": VerifyTable,
}


@record
class RulingTable:
    """Who decides what a verdict leads to."""

    mode: Annotated[
        Literal["auto", "owner"],
        Meta(
            description="`auto`: a PASS lands, a refusal and the last FAIL end the lane. `owner`: "
            "you are asked each time; see `tidegate answer`."
        ),
    ] = "auto"


QUEUE_S = 60.0
"""Long enough for a script that asks a tracker; a model takes its own setting."""


@record
class QueueRole:
    """Who puts the open issues in an order. Without a command, priority and number do."""

    command: Annotated[
        str,
        Meta(
            description="A shell command, run at the top of your checkout when a run starts and "
            "when issues were added. It gets the open issues on its standard input, a JSON object "
            "a line, and prints ids in their order, one a line; what follows an id is its reason.",
            examples=["./order-issues"],
        ),
        Rule(rules.command),
    ] = ""
    timeout_s: Annotated[
        Seconds, Meta(description="How long it may take; then priority and number decide.")
    ] = QUEUE_S


@record
class Env:
    """What agents see of your environment: nothing but this."""

    allow: Annotated[
        tuple[str, ...],
        Meta(
            description="Names of variables; `LC_*` stands for all that begin so. Name the key "
            "that your agent signs in with, and nothing that it does not need."
        ),
        Rule(rules.variables),
    ] = (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ"),
        *("TERM", "COLORTERM", "TMPDIR"),
        *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    )


@record
class Disk:
    """When there is too little room to begin anything."""

    floor_bytes: Annotated[
        int,
        Meta(ge=0, le=2**50, description="Nothing new starts while less than this is free."),
    ] = _POLICY.limits.disk_floor_bytes


@record
class TrackerTable:
    """Where issues are."""

    kind: Annotated[
        Literal["markdown", "command"],
        Meta(
            description="`markdown`: one file for each issue. `command`: whatever `command` lists."
        ),
    ] = "markdown"
    path: Annotated[str, Meta(description="The folder of the issues."), Rule(rules.inner_path)] = (
        ".tidegate/issues"
    )
    command: Annotated[
        str,
        Meta(
            description="A shell command, run at the root of the repository: it lists the issues, "
            "and is told what becomes of them.",
            examples=["my-tracker --project ABC"],
        ),
        Rule(rules.command),
    ] = ""
    timeout_s: Annotated[
        Seconds, Meta(description="How long one run of it may take; then it is ended.")
    ] = 60.0
    allow: Annotated[
        tuple[str, ...],
        Meta(
            description="Variables that it sees besides those of `[env] allow`. Agents do not: "
            "name the key that it signs in with here.",
            examples=[("MY_TRACKER_TOKEN",)],
        ),
        Rule(rules.variables),
    ] = ()


@record
class Settings:
    """What `tidegate.toml` says, beside the policy and the roles."""

    run: Run = field(default_factory=Run)
    land: Land = field(default_factory=Land)
    workspace: Workspace = field(default_factory=Workspace)
    check: Check = field(default_factory=Check)
    ruling: RulingTable = field(default_factory=RulingTable)
    env: Env = field(default_factory=Env)
    disk: Disk = field(default_factory=Disk)
    tracker: TrackerTable = field(default_factory=TrackerTable)
