"""Which place `[land] publish` names, and what a push and a tracker see of the environment."""

import pytest

from tidegate.config.sections import Env
from tidegate.engine.setup import Remote
from tidegate.verbs.environment import PUSH, allowed
from tidegate.verbs.publication import remote_of

REF = "refs/heads/tidegate/run"


@pytest.mark.parametrize(
    ("publish", "place"),
    [
        ("", None),
        ("origin", Remote(name="origin", ref=REF)),
        ("origin main", Remote(name="origin", ref="refs/heads/main")),
    ],
)
def test_a_remote_has_the_branch_of_the_same_name_or_another(
    publish: str, place: Remote | None
) -> None:
    """Nothing named is nowhere."""
    assert remote_of(publish, REF) == place


def test_a_push_sees_the_way_to_the_users_keys_and_no_key() -> None:
    """The ssh agent's socket and no token; nothing that leads git to another repository."""
    environment = {"SSH_AUTH_SOCK": "/s", "GH_TOKEN": "t", "GIT_DIR": "/x", "LC_ALL": "C"}
    seen = allowed(environment, (*Env().allow, *PUSH))
    assert seen == {"SSH_AUTH_SOCK": "/s", "LC_ALL": "C"}
    assert "SSH_AUTH_SOCK" not in allowed(environment, Env().allow)
