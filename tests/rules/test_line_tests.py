"""Tests in other languages, told by their lines: what weakens one, and what only adds to it."""

import pytest

from tests.rules.changes import edited, said

JS = (
    "import { add } from '../calc';\n\ndescribe('calc', () => {\n  beforeEach(() => reset());\n\n"
    "  it('adds', () => {\n    expect(add(2, 2)).toBe(4);\n  });\n});\n"
)
GO = (
    'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n'
    '\tif Add(2, 2) != 4 {\n\t\tt.Fatal("no")\n\t}\n}\n'
)
RUST = (
    "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n"
    "    use super::*;\n\n    #[test]\n    fn adds() {\n"
    "        assert_eq!(add(2, 2), 4);\n    }\n}\n"
)
JAVA = (
    "import org.junit.jupiter.api.Test;\n\nclass CalcTest {\n    @Test\n    void adds() {\n"
    "        assertEquals(4, Calc.add(2, 2));\n    }\n}\n"
)
KOTLIN = (
    "class CalcTest {\n    @Test\n    fun `adds two numbers`() {\n"
    "        assertEquals(4, add(2, 2))\n    }\n}\n"
)
RUBY = (
    "require 'test_helper'\n\nclass CalcTest < Minitest::Test\n  def test_adds\n"
    "    assert_equal 4, Calc.add(2, 2)\n  end\nend\n"
)
SPEC = "describe Calc do\n  it 'adds' do\n    expect(Calc.add(2, 2)).to eq(4)\n  end\nend\n"

FILES = {
    "js": ("src/calc.test.ts", JS),
    "go": ("calc_test.go", GO),
    "rust": ("src/lib.rs", RUST),
    "java": ("src/test/java/CalcTest.java", JAVA),
    "kotlin": ("src/test/kotlin/CalcTest.kt", KOTLIN),
    "ruby": ("test/calc_test.rb", RUBY),
    "spec": ("spec/calc_spec.rb", SPEC),
}


@pytest.mark.parametrize(
    ("language", "was", "now"),
    [
        ("js", "it('adds'", "it.skip('adds'"),
        ("js", "it('adds'", "xit('adds'"),
        ("js", "it('adds'", "it.todo('adds'"),
        ("js", "it('adds'", "it.fails('adds'"),
        ("js", "it('adds'", "it.only('other', () => {});\n  it('adds'"),
        ("js", "it('adds'", "function adds("),
        ("js", "describe('calc'", "describe.skip('calc'"),
        ("js", "describe('calc'", "xdescribe('calc'"),
        ("js", "describe('calc'", "if (process.env.NEVER)\ndescribe('calc'"),
        ("js", "  it('adds'", "  return;\n  it('adds'"),
        ("js", "  it('adds'", "  /*\n  it('adds'"),
        ("js", "toBe(4)", "toBeDefined()"),
        ("js", "    expect", "    return;\n    expect"),
        ("js", "    expect(add(2, 2)).toBe(4);\n", ""),
        ("js", "    expect(add(2, 2)).toBe(4);", "    // expect(add(2, 2)).toBe(4);"),
        ("js", "reset()", "fake()"),
        ("js", "'../calc'", "'./fake'"),
        (
            "js",
            "import { add } from '../calc';",
            "import { add } from './fake';\nimport '../calc';",
        ),
        ("js", "import { add } from '../calc';", "const add = () => 4;"),
        ("js", "describe('calc'", "calc.add = () => 4;\ndescribe('calc'"),
        ("js", "  it('adds'", "  beforeEach(() => {\n    fake();\n  });\n\n  it('adds'"),
        ("js", "describe('calc'", "beforeAll(() => fake());\n\ndescribe('calc'"),
        ("js", "describe('calc'", "jest.mock('../calc');\n\ndescribe('calc'"),
        ("js", "describe('calc'", "process.exit(0);\n\ndescribe('calc'"),
        ("go", "\tif Add", "\tt.Skip()\n\tif Add"),
        ("go", "\tif Add", "\treturn\n\tif Add"),
        ("go", "TestAdd", "testAdd"),
        ("go", "!= 4", "== 0"),
        ("go", "package", "//go:build never\n\npackage"),
        ("go", "func TestAdd", "func TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n\nfunc TestAdd"),
        ("rust", "#[test]", "#[test]\n    #[ignore]"),
        ("rust", "    #[test]\n", ""),
        ("rust", "#[test]", "#[test]\n    #[should_panic]"),
        ("rust", "cfg(test)", "cfg(all(test, never))"),
        ("rust", "assert_eq!(add(2, 2), 4)", "assert!(true)"),
        ("rust", "        assert_eq", "        return;\n        assert_eq"),
        ("java", "    @Test", "    @Disabled\n    @Test"),
        ("java", "    @Test", '    @Ignore("x") @Test'),
        ("java", "    @Test\n", ""),
        ("java", "    @Test\n", "    @BeforeEach\n    void setUp() {\n    }\n\n    @Test\n"),
        ("java", "import org.junit.jupiter.api.Test", "import fake.Test"),
        ("spec", "  it 'adds'", "  before do\n    skip_it\n  end\n\n  it 'adds'"),
        ("go", 'import "testing"', 'import "fake/testing"'),
        ("rust", "use super::*", "use crate::fake::*"),
        ("java", "class", "@Disabled\nclass"),
        ("java", "        assert", "        assumeTrue(false);\n        assert"),
        ("java", "assertEquals(4, Calc.add(2, 2))", "assertNotNull(Calc.add(2, 2))"),
        ("kotlin", "    @Test", "    @Disabled @Test"),
        ("kotlin", "assertEquals(4, add(2, 2))", "add(2, 2)"),
        ("ruby", "    assert", "    skip\n    assert"),
        ("ruby", "test_adds", "check_adds"),
        ("ruby", "  end\nend", "  end\n\n  def test_adds\n  end\nend"),
        ("ruby", "4, Calc.add(2, 2)", "4, 4"),
        ("spec", "it 'adds' do", "xit 'adds' do"),
        ("spec", "it 'adds' do", "it 'adds', skip: true do"),
        ("spec", "    expect", "    pending\n    expect"),
        ("spec", "  it 'adds'", "  fit 'other' do\n  end\n\n  it 'adds'"),
        ("spec", "eq(4)", "be_truthy"),
    ],
)
def test_what_weakens_a_test_is_told(language: str, was: str, now: str) -> None:
    """G6-07: the same moves are known in other languages."""
    assert edited(*FILES[language], was, now) != []


@pytest.mark.parametrize(
    ("language", "was", "now"),
    [
        ("js", "toBe(4);\n", "toBe(4);\n    expect(add(1, 1)).toBe(2);\n"),
        ("js", "  it('adds'", "  it('more', () => {\n    if (x) return;\n  });\n\n  it('adds'"),
        ("js", "import {", "import { vi } from 'vitest';\nimport { sub,"),
        ("js", "import { add } from", "import {\n  add,\n  sub,\n} from"),
        ("js", "describe('calc'", "describe('b', () => {\n  beforeEach(go);\n});\ndescribe('calc'"),
        ("js", "  it('adds'", "  // a remark\n  it('adds'"),
        ("go", "func TestAdd", "func TestB(t *testing.T) {\n\treturn\n}\n\nfunc TestAdd"),
        ("rust", "a - b", "if a > 0 {\n        return b;\n    }\n    a + b"),
        (
            "rust",
            "    #[test]",
            "    #[test]\n    fn b() {\n        let x = 1;\n    }\n\n    #[test]",
        ),
        ("java", "    @Test", "    @Test void b() {\n        int x = 1;\n    }\n\n    @Test"),
        ("java", "import", "import java.util.List;\nimport"),
        ("ruby", "  def test_adds", "  def test_b\n    return\n  end\n\n  def test_adds"),
        ("ruby", "  def test_adds", "  def help\n    1\n  end\n\n  def test_adds"),
        ("spec", "  it 'adds'", "  it 'more' do\n    x = 1\n  end\n\n  it 'adds'"),
    ],
)
def test_what_only_adds_is_no_finding(language: str, was: str, now: str) -> None:
    """New tests beside the old ones, further assertions, and code that is no test."""
    assert edited(*FILES[language], was, now) == []


@pytest.mark.parametrize("language", FILES)
def test_a_test_that_is_deleted_is_gone(language: str) -> None:
    """With its file it goes by its name."""
    path, text = FILES[language]
    assert any("is gone" in line for line in said({path: text}, {}))
    assert said({}, {path: text}) == []


def test_a_file_that_is_collected_no_more_takes_its_tests_along() -> None:
    """Runners of JavaScript go by the middle of a name."""
    path, text = FILES["js"]
    assert said({path: text}, {"src/calc.check.ts": text}) == [f"{path}: adds is gone"]
    assert said({path: text}, {"src/sums.test.ts": text}) == []


def test_two_texts_may_be_alike_and_are_two_tests() -> None:
    """Names of tests that are texts need not differ; one of the two may not go."""
    path, text = FILES["js"]
    test = text[text.index("  it(") : text.index("});\n});") + 4]
    twice = text.replace(test, test + test)
    assert said({path: twice}, {path: text}) != []
    assert said({path: text}, {path: twice}) == []


def test_a_language_that_is_not_known_is_compared_all_the_same() -> None:
    """In a folder of tests, lines may come and not go."""
    path, text = "tests/calc.bats", '@test "adds" {\n  [ "$(calc 2 2)" = 4 ]\n}\n'
    assert edited(path, text, "= 4", "!= 7") != []
    assert said({path: text}, {path: text + '\n@test "more" {\n  true\n}\n'}) == []
    assert said({"tests/run.sh": "check a\n"}, {"tests/run.sh": "true\n"}) != []


@pytest.mark.parametrize(
    "place",
    [
        "calc_windows_test.go",
        "calc_js_wasm_test.go",
        "_calc_test.go",
        ".calc_test.go",
        "_old/calc_test.go",
        "testdata/calc_test.go",
        "vendor/calc/calc_test.go",
    ],
)
def test_a_test_of_go_that_is_renamed_out_of_the_build_is_gone(place: str) -> None:
    """G6-07: names say for which system a file is built, and which is not built at all."""
    assert said({"calc_test.go": GO}, {place: GO}) == ["calc_test.go: TestAdd is gone"]
    assert said({"calc_test.go": GO}, {"sums_test.go": GO}) == []


def test_tests_of_one_system_may_move_among_its_files() -> None:
    """What was built there only is built there still."""
    assert said({"a_windows_test.go": GO}, {"b_windows_test.go": GO}) == []


def test_tests_of_a_script_may_not_move_to_what_was_installed() -> None:
    """G6-07: no runner looks there."""
    path, text = FILES["js"]
    assert said({path: text}, {"src/node_modules/calc.test.ts": text}) != []


def test_a_file_of_rust_that_cargo_builds_no_more_takes_its_tests_along() -> None:
    """G6-07: what lies deeper in `tests` is built only where another file says so."""
    text = "#[test]\nfn adds() {\n    assert!(add());\n}\n"
    assert said({"tests/a.rs": text}, {"tests/old/a.rs": text}) == ["tests/a.rs: adds is gone"]
    assert said({"tests/a.rs": text}, {"tests/b.rs": text}) == []
    assert said({"tests/a.rs": text}, {"tests/a/main.rs": text}) == []


def test_a_mock_that_every_test_gets_is_held_to_what_it_was() -> None:
    """Jest takes `__mocks__` in place of what is called so; a new one may come with new tests."""
    path, text = "src/__mocks__/api.js", "export const get = () => fetchReal();\n"
    assert edited(path, text, "fetchReal()", "4") != []
    assert said({}, {path: text}) == []
