"""Tests in Python: what weakens one, and what only adds to it."""

import pytest

from tests.rules.changes import CALC, CALC_TEXT, edited, of_calc, said

DEFINITION = "def test_add():"
ASSERTION = "    assert add(2, 2) == 4\n"


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        (DEFINITION, f"@pytest.mark.skip\n{DEFINITION}", "is skipped"),
        (DEFINITION, f"@pytest.mark.skipif(True, reason='x')\n{DEFINITION}", "is skipped"),
        (DEFINITION, f"@unittest.skip('x')\n{DEFINITION}", "is skipped"),
        (DEFINITION, f"@pytest.mark.xfail\n{DEFINITION}", "is expected to fail"),
        (DEFINITION, f"@unittest.expectedFailure\n{DEFINITION}", "is expected to fail"),
        (DEFINITION, f"@mock.patch('src.calc.add')\n{DEFINITION}", "has other decorators"),
        (DEFINITION, "def test_add(monkeypatch):", "takes other arguments"),
        (DEFINITION, "def test_add(add=lambda a, b: 4):", "takes other arguments"),
        (DEFINITION, "async def test_add():", "takes other arguments"),
        (DEFINITION, "def check_add():", "is gone"),
        (ASSERTION, f"    pytest.skip()\n{ASSERTION}", "is skipped"),
        (ASSERTION, f"    pytest.xfail()\n{ASSERTION}", "is expected to fail"),
        (ASSERTION, f"    pytest.importorskip('nothing')\n{ASSERTION}", "is skipped"),
        (ASSERTION, f"    return\n{ASSERTION}", "returns early"),
        (ASSERTION, f"    if True:\n        return\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    yield\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    assert (yield) is None\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    add = lambda a, b: 4\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    import fake as add\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    calc.add = lambda a, b: 4\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    setattr(calc, 'add', max)\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    assert (add := max)\n{ASSERTION}", "does something else"),
        (ASSERTION, f"    with suppress(AssertionError):\n    {ASSERTION}", "does something else"),
        (
            ASSERTION,
            f"    try:\n    {ASSERTION}    except AssertionError:\n        pass\n",
            "catch",
        ),
        (ASSERTION, f"    for _ in ():\n    {ASSERTION}", "does something else"),
        (ASSERTION, "    pass\n", "asserts nothing any more"),
        (ASSERTION, "    assert True\n", "asserts something else"),
        (ASSERTION, "    assert add(2, 2) == 4 or True\n", "asserts something else"),
        ("== 4", "is not None", "asserts something else"),
        ("== 4", "== 0", "asserts something else"),
    ],
)
def test_what_weakens_a_test_is_told(was: str, now: str, told: str) -> None:
    """G6-07: each of these is green whatever the code does, or runs nothing."""
    (said_of_it,) = edited(CALC, CALC_TEXT, was, now)
    assert said_of_it.startswith(f"{CALC}: test_add {told}")


@pytest.mark.parametrize(
    "added",
    [
        "\n\ndef test_add():\n    pass\n",
        "\n\ntest_add = None\n",
        "\n\ndel test_add\n",
        "\n\nif True:\n    def add(a, b):\n        return 4\n",
        "\n\ndef add(a, b):\n    return 4\n",
        "\n\nclass add:\n    pass\n",
        "\n\nimport src.calc\n\n\nclass TestX:\n    src.calc.add = max\n",
        "\n\nfrom tests.fake import add\n",
        "\n\nfrom tests.fake import *\n",
        "\n\npytestmark = pytest.mark.skip\n",
        "\n\n__test__ = False\n",
        "\n\npytest_plugins = ['fake']\n",
        "\n\nimport sys\nsys.exit(0)\n",
        "\n\npytest.skip(allow_module_level=True)\n",
        "\n\nraise unittest.SkipTest\n",
        "\n\ncalc.add = lambda a, b: 4\n",
        "\n\nsetattr(calc, 'add', max)\n",
        "\n\nx = setattr(calc, 'add', max)\n",
        "\n\ndef load_tests(loader, tests, pattern):\n    return loader.suiteClass()\n",
        "\n\ndef setup_module():\n    calc.add = max\n",
        "\n\n@pytest.fixture(autouse=True)\ndef fake(monkeypatch):\n    pass\n",
        "\n\ndef test_end():\n    os._exit(0)\n",
        "\n\nfor name in list(globals()):\n    del globals()[name]\n",
    ],
)
def test_what_is_added_beside_a_test_may_not_reach_it(added: str) -> None:
    """All lines that were there are there, and still the test is not what it was."""
    assert of_calc(CALC_TEXT + added) != []


@pytest.mark.parametrize(
    "added",
    [
        "    assert add(1, 1) == 2\n",
        "    found = add(1, 1)\n    assert found == 2\n",
        "    with pytest.raises(TypeError):\n        add('a', 1)\n",
        "    for n in range(3):\n        assert add(n, 0) == n\n",
        "    # a remark\n    'and a text'\n",
        "\n\nROWS = [1]\n\n\n@pytest.mark.parametrize('n', ROWS)\ndef test_n(n):\n    assert n\n",
        "\n\nclass TestMore(unittest.TestCase):\n    def setUp(self):\n        self.x = 1\n",
        "\n\n@pytest.fixture\ndef one():\n    return 1\n\n\ndef test_one(one):\n    assert one\n",
        "\n\n@pytest.mark.skip\ndef test_later():\n    assert 0\n",
        "\n\nif __name__ == '__main__':\n    pytest.main()\n",
    ],
)
def test_what_only_adds_is_no_finding(added: str) -> None:
    """Assertions in a test, and tests with what they need beside it."""
    text = CALC_TEXT.replace("import add", "import add, sub", 1)
    assert of_calc("import pytest\nimport unittest\n" + text + added) == []


def test_layout_and_remarks_mean_nothing() -> None:
    """A formatter may pass over the tests."""
    text = "from src.calc import (\n    add,\n)\n\n# why\ndef test_add() -> None:\n"
    assert of_calc(text + "    '''Adds.'''\n    assert (\n        add(2,2)==4)\n") == []


ROWS = (
    "import pytest\n\nCASES = [(1, 2), (2, 3)]\n\n\n@pytest.mark.parametrize(('a', 'b'), CASES)\n"
    "def test_next(a, b):\n    assert a + 1 == b\n\n\n"
    "@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    assert n\n"
)


@pytest.mark.parametrize(
    ("was", "now", "is_fine"),
    [
        ("(2, 3)]", "(2, 3), (3, 4)]", True),
        ("[1, 2]", "[1, 5, 2]", True),
        ("(1, 2), (2, 3)]", "(1, 2)]", False),
        ("(2, 3)]", "(2, 2)]", False),
        ("[1, 2]", "[1]", False),
        ("[1, 2]", "[]", False),
        ("[1, 2]", "[1, 2], ids=str", False),
    ],
)
def test_rows_may_come_and_not_go(was: str, now: str, *, is_fine: bool) -> None:
    """A parametrized test is as many tests as it has rows, wherever they stand."""
    assert (edited(CALC, ROWS, was, now) == []) is is_fine


def test_a_table_that_is_used_otherwise_may_not_grow() -> None:
    """A longer list of exceptions takes something from every test that reads it."""
    text = "LEFT_OUT = ['a']\n\n\ndef test_all():\n    assert check(LEFT_OUT)\n"
    assert edited(CALC, text, "['a']", "['a', 'b']") != []


def test_taking_a_skip_away_is_no_loss() -> None:
    """A test that runs again says more than before."""
    skipped = CALC_TEXT.replace("def", "@pytest.mark.skip\ndef")
    assert said({CALC: skipped}, {CALC: CALC_TEXT}) == []


CLASS = (
    "import unittest\n\n\nclass TestCalc(unittest.TestCase):\n    def setUp(self):\n"
    "        self.x = 4\n\n    def test_x(self):\n        self.assertEqual(self.x, 4)\n"
)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("class TestCalc", "@unittest.skip('x')\nclass TestCalc"),
        ("(unittest.TestCase)", ""),
        ("class TestCalc", "class Calc"),
        ("    def setUp", "    __test__ = False\n\n    def setUp"),
        ("    def setUp", "    def __init__(self):\n        pass\n\n    def setUp"),
        ("    def setUp", "    def assertEqual(self, a, b):\n        pass\n\n    def setUp"),
        ("    def setUp", "    def _callTestMethod(self, m):\n        pass\n\n    def setUp"),
        ("    def setUp", "    def tearDown(self):\n        pass\n\n    def setUp"),
        ("self.x = 4", "self.x = 5"),
        ("class TestCalc", "if os.environ.get('NEVER'):\n  class TestCalc"),
        (
            "self.assertEqual(self.x, 4)\n",
            "self.assertEqual(self.x, 4)\n\n\nclass TestCalc:\n  x = 1\n",
        ),
        ("self.assertEqual(self.x, 4)", "self.skipTest('x')"),
    ],
)
def test_a_class_of_tests_is_held_to_what_it_was(was: str, now: str) -> None:
    """Its bases, its marks, its set-up, and all that a runner calls."""
    if now.startswith("if "):
        head, _, body = CLASS.partition("class")
        text = f"{head}if os.environ.get('NEVER'):\n" + "".join(
            f"    {line}\n" for line in f"class{body}".splitlines()
        )
        assert said({CALC: CLASS}, {CALC: text}) != []
        return
    assert edited(CALC, CLASS, was, now) != []


def test_a_class_of_tests_may_grow() -> None:
    """By tests, and by what they need under new names."""
    more = (
        "\n    def make(self):\n        return 1\n\n    def test_more(self):\n        self.make()\n"
    )
    assert said({CALC: CLASS}, {CALC: CLASS + more}) == []


HELPED = "LIMIT = 4\n\n\ndef check(x):\n    assert x == LIMIT\n\n\ndef test_x():\n    check(4)\n"


@pytest.mark.parametrize(
    ("was", "now"), [("LIMIT = 4", "LIMIT = x"), ("assert x == LIMIT", "pass"), ("== LIMIT", "")]
)
def test_what_tests_stand_on_is_held_to_what_it_was(was: str, now: str) -> None:
    """A helper's body and a constant say as much as an assertion."""
    assert edited(CALC, HELPED, was, now) != []


@pytest.mark.parametrize(
    ("was", "now"), [("LIMIT = 4", "LIMIT = x"), ("assert x == LIMIT", "pass")]
)
def test_a_move_takes_along_what_a_test_stands_on(was: str, now: str) -> None:
    """Helpers are followed from the test, one by one, into its new file."""
    assert said({CALC: HELPED}, {"tests/test_new.py": HELPED}) == []
    told = said({CALC: HELPED}, {"tests/test_new.py": HELPED.replace(was, now)})
    assert [line.partition(" stands")[0] for line in told] == [f"{CALC}: test_x"]


@pytest.mark.parametrize(
    "text",
    [
        'collect_ignore = ["tests/test_calc.py"]\n',
        'collect_ignore_glob = ["*"]\n',
        "def pytest_collection_modifyitems(items):\n    items.clear()\n",
        "def pytest_ignore_collect(path):\n    return True\n",
        "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef fake():\n    pytest.skip()\n",
        "import pytest\n\n\n@pytest.fixture\ndef tmp_path():\n    return None\n",
        "import src.calc\n\nsrc.calc.add = lambda a, b: 4\n",
        "import os\n\nos._exit(0)\n",
        "import sys\n\nsys.modules['src.calc'] = None\n",
        "import atexit, os\n\natexit.register(os._exit, 0)\n",
        "pytest_plugins = ['fake']\n",
    ],
)
def test_a_conftest_that_speaks_to_the_runner_is_told(text: str) -> None:
    """G6-07: one new file is enough to take a test out of the run, or to change what it sees."""
    assert said({}, {"conftest.py": text}) != []
    assert said({"tests/conftest.py": "import os\n"}, {"tests/conftest.py": text}) != []


def test_a_fixture_that_many_use_is_held_to_what_it_was() -> None:
    """Of a conftest.py the fixtures that were there stay what they were."""
    text = "import pytest\n\n\n@pytest.fixture\ndef calc():\n    return Calc()\n"
    path = "tests/conftest.py"
    assert edited(path, text, "Calc()", "Mock()") != []
    assert said({path: text}, {}) == [f"{path}: a file that tests stand on is gone"]
    assert said({path: text}, {path: text + "\n\n@pytest.fixture\ndef b():\n    return 1\n"}) == []


@pytest.mark.parametrize(
    "text",
    [
        "import src.calc\n\nsrc.calc.add = max\n",
        "import sys\n\nsys.modules['src.calc'] = None\n",
        "import pytest\n\npytest.exit('fine', 0)\n",
        "import os\n\n\ndef test_a():\n    os._exit(0)\n",
        "import os\n\n\ndef leave():\n    os._exit(0)\n",
        "import pytest\n\n\ndef test_a():\n    pytest.exit('fine', 0)\n",
        "from pytest import exit as end\n\n\ndef test_a():\n    end('fine', 0)\n",
        "def test_a(request):\n    request.session.shouldstop = True\n",
        "import pytest as p\n\n\ndef test_a():\n    p.exit('fine', 0)\n",
        "def test_a(request):\n    request.session.items[:] = []\n",
        "def test_a(request):\n    del request.node.session.items[1:]\n",
        "def test_a(request):\n    request.session.items.clear()\n",
        "import test_b\n\n\ndef test_a():\n    setattr(test_b.test_b, '__code__', code)\n",
        "import test_b\n\n\ndef test_a():\n    test_b.test_b.__code__ = test_a.__code__\n",
        "from unittest.mock import patch\n\npatch('src.calc.add').start()\n",
    ],
)
def test_a_new_file_of_tests_may_not_reach_the_others(text: str) -> None:
    """Files of tests are loaded into one process: what one does there meets all of them."""
    assert said({}, {"tests/test_a.py": text}) != []


@pytest.mark.parametrize(
    "text",
    [
        "def test_a(client):\n    assert dict(client.session.items()) == {}\n",
        "def test_a():\n    assert len(add.__code__.co_varnames) == 2\n",
        "import sysx as p\n\n\ndef test_a():\n    p.exit()\n",
    ],
)
def test_what_only_looks_alike_is_no_reach(text: str) -> None:
    """A session of another kind, a look at a function's body, the exit of something else."""
    assert said({}, {"tests/test_a.py": text}) == []


def test_line_ends_do_not_hide_a_change() -> None:
    """Lines are counted as the parser counts them, or one test could be taken for another."""
    text = "x = '''\r\r\r\r'''\n\n\n" + CALC_TEXT
    assert edited(CALC, text, "== 4", "is not None") != []
    assert said({CALC: CALC_TEXT}, {CALC: CALC_TEXT.replace("\n", "\r\n")}) == []


def test_a_class_that_tests_stand_on_may_have_more() -> None:
    """Under new names, where nothing is inherited that they could replace."""
    path, text = "tests/fakes.py", "class Fake:\n    def one(self):\n        return 1\n"
    more = "\n    def two(self):\n        return 2\n"
    assert said({path: text}, {path: text + more}) == []
    assert said({path: text}, {path: text + more.replace("two", "__eq__")}) != []
    assert said({path: text}, {path: text + more.replace("two", "one")}) != []
    heir = text.replace("Fake", "Fake(Real)")
    assert said({path: heir}, {path: heir + more}) == [f"{path}: Fake has changed"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CALC_TEXT, CALC_TEXT.replace("def", "if NEVER:\n  def").replace("    a", "      a")),
        (f"{CALC_TEXT}\n\nx = add(1)\nx = add(2)\n", f"{CALC_TEXT}\n\nx = add(2)\nx = add(1)\n"),
        (f"@pytest.fixture(autouse=True)\ndef strict():\n    fail()\n\n\n{CALC_TEXT}", CALC_TEXT),
        (
            CALC_TEXT,
            f"{CALC_TEXT}\n\n@eval('f')\nclass TestZ:\n    def test_z(self):\n        f()\n",
        ),
        (CLASS, f"{CLASS}\n\nclass TestCalc(unittest.TestCase):\n    y = 1\n"),
        ("", "pytest_plugins = ['fake']\n"),
    ],
)
def test_what_stands_around_tests_counts(old: str, new: str) -> None:
    """A condition, an order, a fixture for all, a class of the same name, a plugin."""
    assert said({CALC: old or None}, {CALC: new}) != []


def test_a_class_that_moves_takes_its_set_up_along() -> None:
    """A test says what its set-up lets it say."""
    place = "tests/test_b.py"
    assert said({CALC: CLASS}, {place: CLASS}) == []
    weaker = CLASS.replace("self.x = 4", "self.assertEqual = print")
    assert said({CALC: CLASS}, {place: weaker}) == [
        f"{CALC}: TestCalc.test_x stands on another TestCalc, now in {place}"
    ]


HOOK = "def pytest_collection_modifyitems(items):\n    items.clear()\n"
FOR_ALL = (
    "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef fake(monkeypatch):\n"
    "    monkeypatch.setattr('src.calc.add', max)\n"
)


@pytest.mark.parametrize(
    ("text", "helper"),
    [
        ("from tests.fx import pytest_collection_modifyitems\n", HOOK),
        ("from tests.fx import x as pytest_collection_modifyitems\n", "x = max\n"),
        ("from tests.fx import *\n", HOOK),
        ("from tests.fx import x as pytest_plugins\n", "x = ['fake']\n"),
        ("from tests.fx import collect_ignore\n", "collect_ignore = ['tests']\n"),
        ("from tests.fx import fake\n", FOR_ALL),
    ],
)
def test_what_a_conftest_imports_may_speak_to_the_runner_too(text: str, helper: str) -> None:
    """G6-07: a hook or a fixture for all is what it is, wherever it was written."""
    assert said({}, {"conftest.py": text, "tests/fx.py": helper}) != []


def test_a_conftest_may_import_fixtures_and_plugins_by_name() -> None:
    """A fixture that is asked for by its name takes nothing from those who do not ask."""
    fixture = FOR_ALL.replace("(autouse=True)", "")
    text = "import pytest_mock\nfrom tests.fx import fake\n"
    assert said({}, {"conftest.py": text, "tests/fx.py": fixture}) == []
    assert said({}, {"tests/test_a.py": f"{FOR_ALL}\n\ndef test_a():\n    assert 1\n"}) == []


@pytest.mark.parametrize(
    "line",
    [
        "from tests.fx import setup_module\n",
        "from tests.fx import pytestmark\n",
        "from tests.fx import load_tests\n",
        "from tests.fx import fake\n",
    ],
)
def test_an_import_may_not_bring_set_up_into_old_tests(line: str) -> None:
    """G6-07: what nothing in the file uses can only be meant for the runner."""
    assert of_calc(line + CALC_TEXT) != []


@pytest.mark.parametrize("use", ["def test_b(one):\n    assert one\n", "x: 'one'\n"])
def test_an_import_that_new_tests_use_is_no_finding(use: str) -> None:
    """By its name as an argument, or in an annotation."""
    text = "import os\nfrom tests.fx import one\n" + CALC_TEXT
    assert of_calc(f"{text}\n\n{use}") == []


def test_a_new_test_may_not_bind_what_old_ones_use() -> None:
    """G6-07: `global` reaches what stands beside it; a name of its own it may bind."""
    body = "def test_0():\n    global {0}\n    {0} = max\n    assert {0}\n"
    assert of_calc(f"{CALC_TEXT}\n\n{body.format('add')}") != []
    assert of_calc(f"{CALC_TEXT}\n\n{body.format('other')}") == []
