"""The language of footprints: what matches, what is refused, and what may collide."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.core import footprint
from tidegate.core.footprint import (
    STARS_MAX,
    STARS_OF_NAME_MAX,
    InvalidPattern,
    advice,
    exactly,
    overlap,
    parse,
    parse_all,
    texts_overlap,
)
from tidegate.core.path_pattern import compiled, meet

FIXED = settings(derandomize=True, database=None, deadline=None, max_examples=400)

MATCHES = [
    ("src/*", "src/a.py", True),
    ("src/*", "src/a/b.py", False),
    ("src/**", "src/a/b.py", True),
    ("src/**", "src/a.py", True),
    ("src/**", "src", False),
    ("src/**", "srcx/a.py", False),
    ("**/x.py", "x.py", True),
    ("**/x.py", "a/b/x.py", True),
    ("**/x.py", "a/xx.py", False),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/c/d/b", True),
    ("src/", "src/a/b.py", True),
    ("src/", "src", False),
    ("src", "src/a.py", False),
    ("src", "src", True),
    ("./src/a.py", "src/a.py", True),
    ("src//a.py", "src/a.py", True),
    ("SRC/a.py", "src/a.py", False),
    ("src/A.py", "src/a.py", False),
    ("src/[ab].py", "src/a.py", True),
    ("src/[ab].py", "src/c.py", False),
    ("src/[!ab].py", "src/c.py", True),
    ("src/[a-c].py", "src/b.py", True),
    ("src/[ab].py", "src/[ab].py", False),
    (r"src/\[ab\].py", "src/[ab].py", True),
    ("src/*.py", "src/.hidden.py", True),
    ("*", "a.py", True),
    ("*", "a/b.py", False),
    ("?.py", "a.py", True),
    ("?.py", "ab.py", False),
    ("tests/**", "tests/../src/a.py", False),
    (r"src/{a\,b}.py", "src/a.py", False),
    ("src/{a}.py", "src/{a}.py", True),
    ("**", "docs/x.md", True),
    ("**", ".github/workflows/ci.yml", False),
    ("**/ci.yml", ".github/workflows/ci.yml", False),
    (".github/**", ".github/workflows/ci.yml", True),
    ("*", "tidegate.toml", False),
    ("tidegate.toml", "tidegate.toml", True),
    ("src/**", "src/.github/x", True),
    ("a.py", "a.py\n", False),
    ("src/[masked:api-key]", "src/a", False),
    ("[masked:api-key]/**", "a/b", False),
    ("[masked:api-key]/**", ".github/x", False),
]

REFUSED = [
    ("../other/x", None),
    ("src/../x", None),
    ("/abs/x", None),
    ("~/x", None),
    (r"C:\repo\x", None),
    (r"src\a.py", "src/a.py"),
    (r"src\app\*.py", "src/app/*.py"),
    (r"src\*.py", "src/*.py"),
    (r".\src", "src/"),
    ("!src/a.py", None),
    ("", None),
    ("  ", None),
    (" src ", "src"),
    ("src/a.py ", "src/a.py"),
    ("src/a.py,src/b.py", None),
    (".git/**", None),
    ("x/.GIT/config", None),
    ("src/a\tb", None),
    ("./", None),
    ("src/[ab.py", None),
    ("src/[]", None),
    ("a[^/]b", None),
    ("src/[z-a].py", None),
    ("src/**.py", "src/*.py"),
    ("x" * 2000, None),
    ("*a" * (STARS_OF_NAME_MAX + 1), None),
    ("*/" * (STARS_MAX + 1), None),
    ("**/a/" * (STARS_MAX + 1) + "b", None),
]


@pytest.mark.parametrize(("pattern", "path", "expected"), MATCHES)
def test_a_pattern_matches_as_documented(pattern: str, path: str, *, expected: bool) -> None:
    """G6-04: one matcher, case-sensitive, in which only ** crosses a slash."""
    assert parse(pattern).matches(path) is expected


MILD = ("*a" * 8 + "b", "a" * 38)
MILD_FOLDERS = ("**/a/" * 7 + "b", "a/" * 36 + "a")
"""Hostile enough to take seconds, and not for ever, where all ways are tried."""
HOSTILE = [
    MILD,
    MILD_FOLDERS,
    ("*a" * 8 + "b", "a" * 255),
    ("*?" * 8 + "b", "a" * 255),
    ("*a" * 8 + "/" + "*a" * 8 + "b", f"{'a' * 255}/{'a' * 255}"),
    ("**/a/" * 31 + "b", "a/" * 500 + "a"),
    ("**/*a*a/" * 10 + "b", "aaaa/" * 400 + "a"),
]


@pytest.mark.parametrize(("pattern", "path"), HOSTILE)
def test_no_pattern_takes_long_to_match(pattern: str, path: str) -> None:
    """An adjudicator's patterns are held against paths that a builder made; both may be hostile."""
    made = compiled(parse(pattern).parts, kept_out=())
    start = time.process_time()
    assert made.fullmatch(path) is None
    assert time.process_time() - start < 0.5


NAMES = st.text(st.sampled_from("ab"), min_size=1, max_size=5)
STARRED = st.text(st.sampled_from("ab*?"), min_size=1, max_size=6).filter(lambda n: "**" not in n)


@FIXED
@given(st.lists(st.just("**") | STARRED, min_size=1, max_size=6), st.lists(NAMES, max_size=7))
def test_a_path_matches_where_some_way_of_reading_the_pattern_does(
    pattern: list[str], path: list[str]
) -> None:
    """What is not given back would not have helped: the walk, which tries all ways, agrees."""
    one, names = parse("/".join(pattern)), "/".join((*path, "a"))
    assert one.matches(names) == meet(one.parts, exactly(names).parts)


@pytest.mark.parametrize(("pattern", "suggestion"), REFUSED)
def test_a_wrong_entry_is_refused_when_it_is_read(pattern: str, suggestion: str | None) -> None:
    """G6-04, G8-08: what could never match is an error, with a suggestion if there is one."""
    with pytest.raises(InvalidPattern) as caught:
        parse(pattern)
    assert caught.value.did_you_mean == suggestion


def test_normal_form_drops_what_means_nothing() -> None:
    """`./` and doubled slashes are gone from a pattern's text; a trailing slash stays."""
    assert [parse(text).text for text in ("./src//a.py", "src/", "src/**/")] == [
        "src/a.py",
        "src/",
        "src/**",
    ]


def test_an_empty_footprint_is_an_error() -> None:
    """G8-08: an empty list is not a footprint that allows nothing, but a mistake."""
    with pytest.raises(InvalidPattern):
        parse_all([], allow_all=False)


@pytest.mark.parametrize("everything", ["**", "**/*", "**/**"])
def test_the_whole_repository_needs_to_be_meant(everything: str) -> None:
    """G8-08: a pattern that covers everything is an error unless it is allowed on purpose."""
    with pytest.raises(InvalidPattern):
        parse_all(["src/", everything], allow_all=False)
    assert parse_all([everything], allow_all=True)[0].covers_all


def test_advice_names_a_folder_that_was_meant_as_such() -> None:
    """G8-08: `src` where there is a folder src gets a hint, and so does what matches nothing."""
    files = ["src/a.py", "README.md"]
    assert "src/" in (advice(parse("src"), files) or "")
    assert "broad" in (advice(parse("*"), files) or "")
    assert "no file yet" in (advice(parse("src/nope/**"), files) or "")
    assert advice(parse("src/"), files) is None


OVERLAPS = [
    (["src/**"], ["src/a.py"], True),
    (["src/*.py"], ["src/a.py"], True),
    (["src/*.py"], ["src/b/a.py"], False),
    (["src/*.py"], ["src/*.md"], False),
    (["**/x.py"], ["a/**"], True),
    (["a/**/z"], ["a/b/**/y"], False),
    (["a/**/z"], ["**/b/z"], True),
    (["src/"], ["docs/"], False),
    (["src/", "docs/"], ["docs/x.md"], True),
    (["a*c"], ["ab*"], True),
    (["a*c"], ["b*"], False),
    (["src/[ab].py"], ["src/[cd].py"], True),
    (["Docs/x"], ["docs/x"], True),
    (["caf\u00e9.md"], ["cafe\u0301.md"], True),
    (["src"], ["src/a.py"], True),
    (["src/a.py"], ["src/a.py/b"], True),
    (["src/*"], ["src/a/b.py"], False),
    (["*"], ["a/b"], False),
    (["**"], ["anything/at/all"], True),
]


@pytest.mark.parametrize(("first", "second", "expected"), OVERLAPS)
def test_overlap_follows_real_paths(first: list[str], second: list[str], *, expected: bool) -> None:
    """Two footprints overlap when one path could be changed under both, whichever comes first."""
    one, two = parse_all(first, allow_all=True), parse_all(second, allow_all=True)
    assert overlap(one, two) is expected
    assert overlap(two, one) is expected


def test_comparing_texts_says_the_same() -> None:
    """What stands before the first wildcard tells apart only what the patterns tell apart too.

    Every pattern that is known here is held against every other one.
    """
    written = [text for first, second, _ in OVERLAPS for text in (*first, *second)]
    written += [
        "src/\\[a\\].py",
        "src/[a]",
        "s?c/",
        "Src/**",
        "caf*",
        "cafe\u0301/",
        "src/a.py/b/c",
    ]
    texts = sorted({parse(text).text for text in (*written, *(text for text, _, _ in MATCHES))})
    for one in texts:
        for other in texts:
            expected = overlap([parse(one)], [parse(other)])
            assert texts_overlap([one], [other]) is expected, (one, other)


def test_a_pattern_overlaps_with_every_path_that_it_matches() -> None:
    """What matching and overlap say never disagrees in the direction that would lose work."""
    paths = sorted({path for _, path, _ in MATCHES if ".." not in path and "\n" not in path})
    patterns = [parse(pattern) for pattern, _, _ in MATCHES]
    for path in paths:
        for pattern in patterns:
            if pattern.matches(path):
                assert overlap([pattern], [footprint.exactly(path)]), (pattern.text, path)


def test_long_patterns_are_compared_in_bounded_time() -> None:
    """Stars do not make the comparison explode: each pair of places is visited once."""
    one = parse("/".join(["*a*b*c*"] * 8))
    two = parse("/".join(["*c*b*a*"] * 7 + ["x"]))
    assert not overlap([one], [two])
    assert overlap([one], [parse("**/*a*b*c*")])
