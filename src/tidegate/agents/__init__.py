"""The registry of agents. A further one is a file here and a line below, or an entry point.

An installed package can add its own under the entry point group ``tidegate.agents``: the name is
what ``[roles.NAME] agent`` says, the object a class without arguments that keeps
`tidegate.ports.agents.Agent`. A name of ours cannot be taken over.
"""

from collections.abc import Mapping
from importlib import import_module

from tidegate.core.errors import Misused
from tidegate.ports.agents import Agent

AGENTS: Mapping[str, str] = {
    "shell": "tidegate.agents.shell:ShellAgent",
}

GROUP = "tidegate.agents"


def load(name: str) -> Agent:
    """The agent of that name. Raises Misused, naming those there are."""
    target = AGENTS.get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        agent: Agent = getattr(import_module(module), attribute)()
        return agent
    return _from_entry_point(name)


def _from_entry_point(name: str) -> Agent:
    from importlib.metadata import entry_points  # noqa: PLC0415 - 20 ms that only plug-ins need

    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        known = ", ".join(sorted({*AGENTS, *points}))
        raise Misused(f"there is no agent named {name!r}", hint=f"known agents: {known}")
    agent: Agent = points[name].load()()
    return agent
