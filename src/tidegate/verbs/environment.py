"""What agents, checks and the queue role may see of the user's environment."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

_LEADS_ELSEWHERE = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
})  # fmt: skip
"""What git exports to its hooks. In a workspace each of them names another repository."""


def allowed(environment: Mapping[str, str], patterns: tuple[str, ...]) -> dict[str, str]:
    """The part of the user's environment that agents and checks may see."""
    return {
        name: value
        for name, value in environment.items()
        if name not in _LEADS_ELSEWHERE and any(fnmatchcase(name, each) for each in patterns)
    }
