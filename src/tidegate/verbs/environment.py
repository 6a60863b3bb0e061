"""What the processes of a run may see of the user's environment. Pure."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

PUSH = (
    "PATH", "HOME", "USER", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "SSH_AGENT_PID",
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR", "KRB5CCNAME",
    "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy",
)  # fmt: skip
"""What a push sees besides: by these git finds the user's keys and the way to their remote."""

_LEADS_ELSEWHERE = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
})  # fmt: skip
"""What git exports to its hooks. In a workspace each of them names another repository."""


_NO_UPKEEP = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "gc.auto",
    "GIT_CONFIG_VALUE_0": "0",
    "GIT_CONFIG_KEY_1": "maintenance.auto",
    "GIT_CONFIG_VALUE_1": "false",
}
"""No git that an agent starts begins upkeep of its own: it would go on in the background, and be
ended with the turn. What it would tidy up goes with the workspace."""


def seen_by_agents(environment: Mapping[str, str], patterns: tuple[str, ...]) -> dict[str, str]:
    """What agents, checks and set-up commands get of the user's environment, and what is set."""
    return {**allowed(environment, patterns), **_NO_UPKEEP}


def allowed(environment: Mapping[str, str], patterns: tuple[str, ...]) -> dict[str, str]:
    """The part of the user's environment that agents and checks may see."""
    return {
        name: value
        for name, value in environment.items()
        if name not in _LEADS_ELSEWHERE and any(fnmatchcase(name, each) for each in patterns)
    }
