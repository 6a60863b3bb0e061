"""Keys at the top of a Markdown file: YAML's syntax, no YAML's surprises, and each with a line."""

import pytest

from tests.config.repository import refused
from tidegate.config.frontmatter import SIZE_MAX_CHARACTERS, Page, Scalar, read_page


def page(text: str) -> Page:
    """A page by the name that the expectations use."""
    return read_page(text, file="x.md")


def plain(text: str) -> dict[str, str | list[str]]:
    """The keys of a page as plain texts."""
    return {
        name: entry.value.text
        if isinstance(entry.value, Scalar)
        else [each.text for each in entry.value]
        for name, entry in (page(text).entries or {}).items()
    }


_DATES: dict[str, object] = {"title": "007", "needs": ["007", "1e3", "2024-01-01"]}
MEANT: tuple[tuple[str, dict[str, object]], ...] = (
    ("title: yes", {"title": "yes"}),
    ("title: 007\nneeds: [007, 1e3, 2024-01-01]", _DATES),
    ("title: 'a: b # c'", {"title": "a: b # c"}),
    ("title: >-\n  folded\n  text", {"title": "folded text"}),
    ("title: a#b", {"title": "a#b"}),
    ("# a comment\ntitle: a\n\n", {"title": "a"}),
    (
        "footprint:\n  - src/[ab].py\n  - src/{a,b}.py  # why",
        {"footprint": ["src/[ab].py", "src/{a,b}.py"]},
    ),
    ("footprint:", {"footprint": ""}),
    ("footprint: []", {"footprint": []}),
    ("one: &x [a]\ntwo: *x", {"one": ["a"], "two": ["a"]}),
    ("", {}),
    ("# only comments", {}),
)


@pytest.mark.parametrize(("block", "meant"), MEANT)
def test_values_are_the_text_that_was_written(block: str, meant: dict[str, object]) -> None:
    """No value turns into a date, a number, a truth value or nothing."""
    found = plain(f"---\n{block}\n---\nbody")
    assert found == meant


BROKEN = (
    ("title: a", 1, "the block of keys has no end"),
    ("title: Fix: b\n---\n", 2, "mapping values are not allowed"),
    ("footprint:\n  - **/x.py\n---\n", 3, 'put the whole value between "quotes"'),
    ("footprint:\n  - !src/a.py\n---\n", 3, "takes `!src/a.py` for a tag"),
    ("\ttitle: a\n---\n", 2, "cannot start any token"),
    ("title: a\nneeds: []\ntitle: b\n---\n", 4, "`title` is there twice, first in line 2"),
    ("- a\n---\n", 2, "there must be keys here"),
    ("[a]: b\n---\n", 2, "a key must be a word"),
    ("a: {b: c}\n---\n", 2, "`a` holds keys of its own"),
    ("a: [[b]]\n---\n", 2, "`a` holds keys of its own"),
    ("a: *x\n---\n", 2, "not YAML"),
    (f"a: {'[' * 50_000}\n---\n", 2, "nest"),
    ("a: 1\ntitle: a\x1b[31m\n---\n", 3, "there is the character \\x1b: take it out"),
    ("title: a\u202eb\n---\n", 2, "there is the character \\u202e"),
    ("title: a\n...\nb: c\n---\n", 4, "not YAML"),
)


@pytest.mark.parametrize(("text", "line", "says"), BROKEN)
def test_what_is_not_plain_keys_is_refused(text: str, line: int, says: str) -> None:
    """Syntax errors, doubled keys, tags and nested keys stop with their line."""
    (problem,) = refused(lambda: page(f"---\n{text}"))
    assert problem.startswith(f"x.md:{line}: ")
    assert says in problem


def test_no_object_is_ever_built() -> None:
    """A tag that names a Python function is a text like any other, at most."""
    assert plain("---\na: !!python/object/apply:os.getpid []\n---\n") == {"a": []}


def test_the_rest_is_never_looked_into() -> None:
    """Further fences, blocks and markers below the first block are text."""
    body = "\n---\ntitle: other\n---\nVERDICT: PASS\n\x1b[31m\0"
    found = page(f"---\ntitle: a\n---  \n{body}")
    assert (found.body, found.body_line) == (body, 4)
    assert plain(f"---\ntitle: a\n---\n{body}") == {"title": "a"}


def test_a_page_without_a_block_is_all_body() -> None:
    """A fence counts in the first line only."""
    found = page("text\n---\na: b\n---\n")
    assert (found.entries, found.body_line) == (None, 1)
    assert page("---\n---").body == ""


def test_a_dropped_comment_is_told() -> None:
    """YAML makes `Fix` of `Fix #3`: the reader of the key can see that something is gone."""
    entries = page('---\na: Fix #3\nb: "Fix #3"\nc: ü #3\nd: Fix#3\n---\n').entries
    assert entries is not None
    dropped = {name: getattr(entry.value, "commented", None) for name, entry in entries.items()}
    assert dropped == {"a": True, "b": False, "c": True, "d": False}


def test_the_block_is_bounded_and_the_body_is_not() -> None:
    """A block without end is given up after its limit; a line of a megabyte below is fine."""
    assert len(page(f"---\na: b\n---\n{'x' * 1_000_000}").body) == 1_000_000
    (problem,) = refused(lambda: page("---\n" + "a: b\n" * SIZE_MAX_CHARACTERS + "---\n"))
    assert "has no end" in problem
