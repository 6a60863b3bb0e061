"""A configuration as one flat list of keys: the way back from what `load` puts together."""

from collections.abc import Mapping
from typing import Any

from tidegate.config.keys import KEYS, ROLES
from tidegate.config.load import Configuration


def flat(configuration: Configuration) -> Mapping[str, Any]:
    """The value of every key, by its full name, in the order of the reference page."""
    return {
        path: getattr(_section(configuration, key.section), key.name) for path, key in KEYS.items()
    }


def prompts(configuration: Configuration) -> Mapping[str, str]:
    """The template of every role, as if it were a key of its own: `roles.NAME.prompt`."""
    return {f"roles.{role}.prompt": configuration.roles[role].prompt for role in ROLES}


def _section(configuration: Configuration, section: str) -> object:
    match section.partition("."):
        case ("limits" | "deadlines" as name, _, _):
            return getattr(configuration.policy, name)
        case ("roles", _, "queue"):
            return configuration.queue
        case ("roles", _, role):
            return configuration.roles[role]
        case (name, _, _):
            return getattr(configuration.settings, name)
