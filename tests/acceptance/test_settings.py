"""Editing tidegate.toml as a person does."""

import tomllib
from pathlib import Path

import pytest

from acceptance.outset import settings
from acceptance.packages import PACKAGES
from acceptance.place import Place
from acceptance.settings import with_key
from acceptance.wanted import Package
from tidegate.config.detection import Detected
from tidegate.config.starter import starter_toml

TEXT = """\
# about a
[a]
# the key
# key = 1

[b]
key = 2
# key = 3
"""


def test_a_shown_default_becomes_a_setting() -> None:
    """The # goes, the value is written; every other line stays."""
    assert with_key(TEXT, "a", "key", 'say "it"') == TEXT.replace(
        "# key = 1", r'key = "say \"it\""'
    )


def test_a_key_is_set_in_its_section_only() -> None:
    """A key of the same name in an earlier section is another key."""
    assert with_key(TEXT, "b", "key", 9) == TEXT.replace("key = 2", "key = 9")


@pytest.mark.parametrize(("section", "key"), [("a", "other"), ("c", "key"), ("a", "ke")])
def test_a_key_that_is_not_offered_is_an_error(section: str, key: str) -> None:
    """A setting that would not be read must not be written."""
    with pytest.raises(KeyError):
        with_key(TEXT, section, key, 1)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_the_starter_file_offers_every_setting(package: Package) -> None:
    """What `tidegate init` writes has a line for all that the acceptance sets."""
    wanted = list(settings(package, Place(Path("/made up"))))
    text = starter_toml(Detected(check="", setup="", why="", gitignore=""))
    for section, key, value in wanted:
        text = with_key(text, section, key, value)
    read = tomllib.loads(text)
    for section, key, value in wanted:
        table = read
        for name in section.split("."):
            table = table[name]
        assert table[key] == value
