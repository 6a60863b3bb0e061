"""A configuration can be told key by key, and nothing is left out."""

from pathlib import Path

from tests.config.repository import loaded
from tidegate.config.flat import flat, prompts
from tidegate.config.keys import KEYS, ROLES


def test_every_key_has_its_default_where_no_file_sets_it(tmp_path: Path) -> None:
    """The same list that the reference page is made from."""
    found = flat(loaded(tmp_path, main="[run]\nwidth = 7\n").configuration)
    others = {path: key.default for path, key in KEYS.items() if path != "run.width"}
    assert found == {**others, "run.width": 7}
    assert list(found) == list(KEYS)


def test_prompts_are_told_beside_the_keys(tmp_path: Path) -> None:
    """A role's template is what its file says."""
    told = prompts(loaded(tmp_path, main="[run]\nwidth = 7\n", role="Do it.\n").configuration)
    assert list(told) == [f"roles.{role}.prompt" for role in ROLES]
    assert told["roles.build.prompt"] == "Do it.\n"
