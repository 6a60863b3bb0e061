"""What a change does to the tests and the check that judge it, over all its files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.changes import CALC, CALC_TEXT, edited, of_calc, said
from tidegate.rules.finding import ChangedFile
from tidegate.rules.test_surface import (
    DETAILS_MAX,
    TEST_SURFACE_CHANGED,
    TEXT_CHARACTERS_MAX,
    changed_surface,
    reads_text,
)

GONE = [f"{CALC}: test_add is gone"]


def test_a_test_that_is_deleted_is_gone() -> None:
    """G6-07: with its file, or from it."""
    assert said({CALC: CALC_TEXT}, {CALC: None}) == GONE
    assert of_calc("from src.calc import add\n") == GONE
    (finding,) = changed_surface([ChangedFile(CALC, CALC_TEXT, None)])
    assert finding.code == TEST_SURFACE_CHANGED


@pytest.mark.parametrize(
    "place",
    [
        "tests/calc_check.py",
        "tests/.hidden/test_calc.py",
        "tests/build/test_calc.py",
        "attic/test_calc.py",
        "tests/test_calc.txt",
        "tests/testcalc.py",
    ],
)
def test_a_test_that_is_renamed_out_of_collection_is_gone(place: str) -> None:
    """G6-07: where no runner looks for it, where it skips folders, or outside of the tests."""
    assert said({CALC: CALC_TEXT}, {place: CALC_TEXT}) == GONE


@pytest.mark.parametrize("place", ["tests/test_sums.py", "tests/unit/test_calc.py"])
def test_a_test_that_moves_to_another_collected_file_is_there(place: str) -> None:
    """It is known by its name over the whole change."""
    assert said({CALC: CALC_TEXT}, {place: CALC_TEXT}) == []


def test_a_test_may_move_into_a_file_that_was_there() -> None:
    """With what it stands on; the file's own tests stay what they were."""
    other = "def test_other():\n    assert 1\n"
    moved = "from src.calc import add\n\n\n" + other + CALC_TEXT.partition("\n")[2]
    assert said({CALC: CALC_TEXT, "tests/test_o.py": other}, {"tests/test_o.py": moved}) == []


def test_what_a_test_stood_on_may_go_along_with_it() -> None:
    """Imports and helpers that nothing uses any more are no loss to the tests that stay."""
    stays = "def test_other():\n    assert 1\n"
    helper = "\n\ndef check(x):\n    assert x == 4\n\n\ndef test_add():\n    check(add(2, 2))\n"
    moves = "from src.calc import add\n" + helper
    assert said({CALC: moves + "\n\n" + stays}, {CALC: stays, "tests/test_b.py": moves}) == []


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("== 4", "is not None"),
        ("from src.calc import add", "from tests.fake import add"),
        ("from src.calc import add", "def add(a, b):\n    return 4\n"),
        ("from src.calc", "import pytest\npytestmark = pytest.mark.skip\nfrom src.calc"),
        ("from src.calc", "import pytest\npytest.skip(allow_module_level=True)\nfrom src.calc"),
    ],
)
def test_a_test_that_was_weakened_on_the_way_is_told(was: str, now: str) -> None:
    """A move hides nothing: neither another assertion nor another thing under test."""
    told = said({CALC: CALC_TEXT}, {"tests/test_sums.py": CALC_TEXT.replace(was, now)})
    assert len(told) == 1
    assert told[0].startswith(f"{CALC}: test_add ")


def test_two_tests_of_one_name_are_two() -> None:
    """One that stays elsewhere does not stand for one that is gone."""
    files = {"tests/test_a.py": CALC_TEXT, "tests/test_b.py": CALC_TEXT}
    told = said(files, {"tests/test_a.py": CALC_TEXT, "tests/test_b.py": None})
    assert told == ["tests/test_b.py: test_add is gone"]
    told = said(files, {"tests/test_c.py": CALC_TEXT})
    assert len(told) == 1


def test_new_tests_and_new_files_of_tests_are_no_finding() -> None:
    """That a change brings its own proof is what is wanted of it."""
    new = {
        "tests/test_more.py": "import pytest\n\npytestmark = pytest.mark.slow\n" + CALC_TEXT,
        "tests/data/more.json": "{}",
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef thing():\n    return 1\n",
        "tests/unit/__init__.py": "",
        "src/calc.test.ts": "it('adds', () => {\n  expect(1).toBe(1);\n});\n",
        "calc_test.go": "package calc\n\nfunc TestAdd(t *testing.T) {\n}\n",
    }
    assert said({}, new) == []


def test_code_is_no_surface() -> None:
    """What is under test may change as it likes."""
    assert said({"src/calc.py": "a = 1\n"}, {"src/calc.py": "a = 2\n"}) == []
    assert said({"README.md": "a", "src/app.css": "b"}, {}) == []
    assert said({"src/latest.c": "a", "src/protest/x.py": "b"}, {}) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/calc.py", "import pytest\npytest.skip('no', allow_module_level=True)\n"),
        ("src/calc.py", "import unittest\nraise unittest.SkipTest\n"),
    ],
)
def test_code_that_skips_its_tests_is_told(path: str, text: str) -> None:
    """A module that skips when it is imported takes each file of tests that imports it along."""
    assert len(said({path: "x = 1\n"}, {path: text})) == 1


@pytest.mark.parametrize(
    "path",
    [
        "tests/__snapshots__/test_calc.ambr",
        "src/__snapshots__/calc.test.js.snap",
        "tests/approved/calc.approved.txt",
        "pkg/testdata/out.golden",
        "tests/data/expected.json",
        "tests/cassettes/call.yaml",
    ],
)
def test_a_changed_snapshot_is_told(path: str) -> None:
    """G6-07: what tests expect may lie beside them; a new expectation is no finding."""
    assert len(said({path: "4"}, {path: "5"})) == 1
    assert len(said({path: "4"}, {})) == 1
    assert said({}, {path: "4"}) == []


def test_a_file_that_tests_stand_on_is_told() -> None:
    """Neither a helper's body nor the helper itself may go; it may have further functions."""
    path, text = "tests/world.py", "def check(x):\n    assert x == 4\n"
    assert said({path: text}, {path: text + "\n\ndef more():\n    return 1\n"}) == []
    assert said({path: text}, {path: None}) == [f"{path}: a file that tests stand on is gone"]
    assert edited(path, text, "== 4", "")[0] == f"{path}: check has changed"


def test_the_check_itself_is_told() -> None:
    """G6-08: whatever happens to a file that the check is made of, and whatever its kind."""
    gates = ("verify.sh", "src/check.py")
    assert said({"verify.sh": "run"}, {"verify.sh": "exit 0"}, *gates) == [
        "verify.sh: a file that the check runs has changed"
    ]
    assert len(said({"src/check.py": "a"}, {}, *gates)) == 1
    assert len(said({}, {"src/check.py": "a"}, *gates)) == 1
    assert said({"Makefile": "a"}, {"Makefile": "b"}, *gates) == []


def test_what_is_too_large_to_be_looked_at_counts_as_changed() -> None:
    """Only where it could weaken something."""

    def told(path: str, old: str | None) -> int:
        return len(changed_surface([ChangedFile(path, old, "x", is_unread=True)]))

    assert (told(CALC, "x"), told("tox.ini", None)) == (1, 1)
    assert (told(CALC, None), told("src/calc.py", "x")) == (0, 0)


def test_a_huge_file_of_tests_is_compared_by_lines() -> None:
    """The work grows with the lines and no more; what is lost is still seen."""
    long = "# " + 10_000 * "x"
    tests = (f"\n\ndef test_{n}():\n    assert add({n}, 1) == {n + 1}\n" for n in range(101))
    many = f"\n{long}".join(tests)
    assert len(many) > TEXT_CHARACTERS_MAX
    assert said({CALC: many}, {CALC: many + "\n\ndef test_new():\n    assert 1\n"}) == []
    assert edited(CALC, many, "add(77, 1) == 78", "add(77, 1)") == [
        f"{CALC}: test_77 asserts something else"
    ]


def test_what_is_no_python_is_compared_by_lines() -> None:
    """A file that this version cannot read is not taken for one without tests."""
    broken = CALC_TEXT + "\n\nprint 'old'\n"
    assert said({CALC: broken}, {CALC: "print 'old'\n"})[-1] == GONE[0]
    assert said({CALC: broken}, {CALC: broken + "\n\ndef test_b():\n    assert 1\n"}) == []


def test_of_one_file_a_bounded_number_of_things_is_told() -> None:
    """The rest is counted."""
    many = "".join(f"def test_{n}():\n    assert {n}\n\n\n" for n in range(50))
    told = said({CALC: many}, {CALC: None})
    assert len(told) == DETAILS_MAX + 1
    assert told[-1] == f"{CALC}: and {50 - DETAILS_MAX} more"


def test_texts_are_asked_for_where_they_matter() -> None:
    """Data and whole files of configuration are told by their paths."""
    wanted = ("src/a.py", CALC, "conftest.py", "pyproject.toml", "src/lib.rs", "a_test.go")
    assert all(map(reads_text, wanted))
    unwanted = ("tox.ini", ".github/workflows/ci.yml", "tests/a.snap", "README.md", "src/a.go")
    assert not any(map(reads_text, unwanted))


FIXED = settings(derandomize=True, database=None, deadline=None, max_examples=60)
NAMES = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
NEW_TEST = st.builds(
    lambda name, value, head: (
        f"\n\n{head}def test_new_{name}(tmp_path):\n"
        f"    found = add({value}, 1)\n    if found:\n        return\n    assert found == {value}\n"
    ),
    NAMES,
    st.integers(),
    st.sampled_from(["", "@pytest.mark.slow\n", "# a remark\n", "async "]),
)


@FIXED
@given(st.lists(NEW_TEST, max_size=4), st.booleans())
def test_adding_tests_is_never_a_finding(tests: list[str], is_before: bool) -> None:  # noqa: FBT001 - drawn
    """Wherever they are put, and whatever they do in themselves."""
    head, old = "import pytest\n", CALC_TEXT.partition("\n")
    added = "".join(tests)
    body = added + old[2] if is_before else old[2] + added
    assert of_calc(f"{head}{old[0]}\n{body}") == []


@FIXED
@given(st.sets(st.integers(0, 9), min_size=1), st.integers(0, 4))
def test_a_test_that_is_taken_away_is_always_a_finding(gone: set[int], files: int) -> None:
    """However the others are spread over files: the number of tests does not fall in silence."""
    every = {n: f"def test_{n}():\n    assert f({n})\n\n\n" for n in range(10)}
    texts: dict[str, str] = {}
    for n in range(10):
        if n not in gone:
            path = f"tests/test_{n % (files + 1)}.py"
            texts[path] = texts.get(path, "") + every[n]
    told = said({CALC: "".join(every.values())}, texts)
    assert told == [f"{CALC}: test_{n} is gone" for n in sorted(gone)]


PIECES = st.lists(
    st.sampled_from([
        "def test_a():", "    assert x", "class TestA:", "  it('a', () => {", "});", "@skip", "/*",
        "fn a() {", "#[test]", "*/", "func TestA(t) {", "}", "end", "return", "\0", "'''", "\\",
        "\t",
    ]),
    max_size=12,
).map("\n".join)  # fmt: skip
PATHS = st.sampled_from([
    CALC, "a.test.js", "a_test.go", "src/lib.rs", "src/test/ATest.java", "spec/a_spec.rb",
    "conftest.py", "pyproject.toml", "setup.cfg", "package.json", "tests/a.bats", "pom.xml",
])  # fmt: skip


@FIXED
@given(PATHS, st.none() | PIECES, st.none() | PIECES)
def test_no_text_is_beyond_it(path: str, old: str | None, new: str | None) -> None:
    """Whatever files hold there is an answer, and what did not change is no finding."""
    said({path: old}, {path: new})
    assert changed_surface([ChangedFile(path, old, old)]) == ()


def test_what_is_nested_deeply_is_compared_all_the_same() -> None:
    """Neither a sum of a thousand terms nor a move of one ends the comparison."""
    deep = f"def test_deep():\n    assert f({' + '.join(['1'] * 3000)})\n"
    assert said({CALC: deep}, {CALC: deep + "\n\ndef test_b():\n    assert 1\n"}) == []
    assert edited(CALC, deep, "assert f", "f") != []
    assert said({CALC: deep}, {"tests/test_b.py": deep.replace("assert f", "f")}) != []


@pytest.mark.parametrize("path", ["docs/spec/api.md", "spec/spec.md", "docs/tests/notes.rst"])
def test_prose_in_a_folder_called_spec_is_no_data(path: str) -> None:
    """A specification is not what tests expect; a fixture beside the specs is."""
    assert said({path: "a"}, {path: "b"}) == []
    assert said({"spec/fixtures/a.json": "a"}, {"spec/fixtures/a.json": "b"}) != []
    assert said({"tests/cases/a.md": "a"}, {"tests/cases/a.md": "b"}) != []


@pytest.mark.parametrize("line", ["HINT = 'use pytest.skip'", "class SkipTestament: pass"])
def test_code_that_speaks_of_skips_skips_nothing(line: str) -> None:
    """A tool for tests may name in a text what it looks for."""
    assert said({"src/plugin.py": "x = 1\n"}, {"src/plugin.py": f"x = 1\n{line}\n"}) == []
