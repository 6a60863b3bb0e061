"""What may be added to tests in other languages, within them and beside them."""

import pytest

from tests.rules.changes import edited, said
from tests.rules.test_line_tests import FILES, GO, JS, RUBY

TABLE = (
    "package calc\n\nfunc TestAdd(t *testing.T) {\n\tfor _, c := range []struct{ a, b int }{\n"
    "\t\t{1, 2},\n\t} {\n\t\tif Next(c.a) != c.b {\n\t\t\tt.Fatal()\n\t\t}\n\t}\n}\n"
)
MORE_JS = (
    "  it('logs', () => {\n    const spy = jest.spyOn({0}, 'log');\n    {1}\n  });\n\n  it('adds'"
)


@pytest.mark.parametrize(
    ("language", "was", "now"),
    [
        ("js", "describe('calc'", "function expect(x) {\n  return fake;\n}\n\ndescribe('calc'"),
        ("js", "describe('calc'", "const { it, expect } = fake;\ndescribe('calc'"),
        ("js", "import {", "import { expect } from './fake';\nimport {"),
        ("js", "describe('calc'", "vi.stubGlobal('expect', fake);\ndescribe('calc'"),
        ("js", "describe('calc'", "Object.assign(globalThis, { expect: x });\ndescribe('calc'"),
        ("js", "describe('calc'", "jest.unstable_mockModule('../calc', f);\ndescribe('calc'"),
        ("js", "  it('adds'", MORE_JS.replace("{0}", "calc").replace("{1}", "add(1, 1);")),
        ("js", "    expect", "    expect(1).toBe(1); return;\n    expect"),
        ("js", "    expect", "    expect(1).toBe(1) && process.exit(0);\n    expect"),
        ("js", "    expect", "    expect(add = () => 4);\n    expect"),
        ("js", "    expect", "    const add = () => 4;\n    expect"),
        ("js", "    expect", "    const x = jest.spyOn(calc, 'add');\n    expect"),
        ("js", "    expect", "    expect(() => {\n    expect"),
        ("go", "\tif Add", "\tassert.True(t, true); return\n\tif Add"),
        ("go", "\tif Add", "\tif false {\n\tif Add"),
        ("go", "\tif Add", "\tif true {\n\t\treturn\n\t}\n\tif Add"),
        ("go", "\tif Add", "\tAdd := func(a, b int) int { return 4 }\n\tif Add"),
        ("go", "func TestAdd", "var Add = func(a, b int) int { return 4 }\n\nfunc TestAdd"),
        ("rust", "        assert", "        assert!(true); return;\n        assert"),
        ("rust", "        assert", "        let add = |_, _| 4;\n        assert"),
        (
            "rust",
            "    #[test]",
            "    fn add(a: i32, b: i32) -> i32 {\n        4\n    }\n\n    #[test]",
        ),
        ("rust", "    #[test]", "    macro_rules! assert_eq {\n    }\n\n    #[test]"),
        ("java", "    @Test", "    void assertEquals(int a, int b) {\n    }\n\n    @Test"),
        ("java", "class", "import fake.Calc;\n\nclass"),
        ("java", "        assert", "        assertTrue(true); if (true) return;\n        assert"),
        ("kotlin", "    @Test", "    fun add(a: Int, b: Int) = 4\n\n    @Test"),
        ("ruby", "  def test_adds", "  def assert_equal(*)\n  end\n\n  def test_adds"),
        ("ruby", "  def test_adds", "  private\n\n  def test_adds"),
        ("ruby", "  end\nend", "  end\n  remove_method :test_adds\nend"),
        ("ruby", "  def test_adds", "  def run\n  end\n\n  def test_adds"),
        ("ruby", "class CalcTest", "class Calc\n  X = 1\nend\n\nclass CalcTest"),
        ("ruby", "class CalcTest", "def Calc.add(a, b) = 4\n\nclass CalcTest"),
        ("ruby", "    assert", "    assert true; return\n    assert"),
        ("spec", "  it 'adds'", "  before { allow(Calc).to receive(:add) }\n\n  it 'adds'"),
        ("spec", "    expect", "    expect(true).to be(true); next\n    expect"),
    ],
)
def test_what_undoes_a_test_is_told(language: str, was: str, now: str) -> None:
    """G6-07: beside it under a name that it uses, or behind an assertion on the same line."""
    assert edited(*FILES[language], was, now) != []


@pytest.mark.parametrize(
    ("path", "was", "now"),
    [
        ("src/calc.test.ts", JS, JS.replace("describe(", "const x = `\ndescribe(") + "`;\n"),
        ("calc_test.go", GO, GO.replace("func TestAdd", "var x = `\nfunc TestAdd") + "`\n"),
        ("test/calc_test.rb", RUBY, f"__END__\n{RUBY}"),
        ("test/calc_test.rb", RUBY, RUBY.replace("class", "X = <<~'OLD'\nclass") + "OLD\n"),
    ],
)
def test_a_test_that_became_a_text_is_gone(path: str, was: str, now: str) -> None:
    """G6-07: every line of it is there, and none is code."""
    assert any("is gone" in line for line in said({path: was}, {path: now}))


@pytest.mark.parametrize(
    ("language", "was", "now"),
    [
        ("js", "toBe(4);\n", "toBe(4);\n    expect(\n      add(1, 1),\n    ).toBe(2);\n"),
        ("js", "toBe(4);\n", "toBe(4);\n    const sum = add(1, 1);\n    expect(sum).toBe(2);\n"),
        ("js", "toBe(4);\n", "toBe(4);\n    expect(() => {\n      add();\n    }).toThrow();\n"),
        ("js", "import {", "import { expect } from 'vitest';\nimport {"),
        ("js", "  it('adds'", "  const cases = [1, 2];\n\n  it('adds'"),
        ("js", "describe('calc'", "const page = `\n  it('is a text')\n`;\n\ndescribe('calc'"),
        ("js", "  it('adds'", MORE_JS.replace("{0}", "console").replace("{1}", "add(1, 1);")),
        ("js", "  it('adds'", MORE_JS.replace("{0}", "api").replace("{1}", "spy.mockRestore();")),
        ("go", "\tif Add", '\tif Add(1, 1) != 2 {\n\t\tt.Errorf("no")\n\t}\n\tif Add'),
        ("go", "\t}\n}", "\t}\n\tif got := Add(1, 1); got != 2 {\n\t\tt.Fatal(got)\n\t}\n}"),
        ("go", "\tif Add", "\tsum := Add(1, 1)\n\tassert.Equal(t, 2, sum)\n\tif Add"),
        ("rust", "4);\n", "4);\n        let sum = add(1, 1);\n        assert_eq!(sum, 2);\n"),
        (
            "java",
            "2));\n",
            "2));\n        int sum = Calc.add(1, 1);\n        assertEquals(2, sum);\n",
        ),
        ("kotlin", "2))\n", "2))\n        val sum = add(1, 1)\n        assertEquals(2, sum)\n"),
        ("ruby", "2)\n", "2)\n    sum = Calc.add(1, 1)\n    assert_equal 2, sum\n"),
        ("ruby", "  end\nend", "  end\n\n  private\n\n  def make\n    1\n  end\nend"),
    ],
)
def test_what_a_test_needs_for_more_may_come_along(language: str, was: str, now: str) -> None:
    """Assertions over several lines, locals of their own, and helpers below the tests."""
    assert edited(*FILES[language], was, now) == []


def test_rows_of_a_table_may_come_and_not_go() -> None:
    """As in Python a row is a test."""
    assert edited("calc_test.go", TABLE, "\t\t{1, 2},\n", "\t\t{1, 2},\n\t\t{2, 3},\n") == []
    assert edited("calc_test.go", TABLE, "\t\t{1, 2},\n", "") != []
    each = "it.each([\n  [1, 2],\n])('n', (a, b) => {\n  expect(a + 1).toBe(b);\n});\n"
    assert edited("src/n.test.js", each, "  [1, 2],\n", "  [1, 2],\n  [2, 3],\n") == []
    assert edited("src/n.test.js", each, "  expect", "  [1, add = f],\n  expect") != []


def test_a_new_file_may_replace_what_it_imports() -> None:
    """A runner of JavaScript gives each file modules of its own; the process is everyone's."""
    new = "jest.mock('./x');\n\nit('a', () => {\n  expect(x('process.exit(1)')).toBe(1);\n});\n"
    assert said({}, {"src/a.test.ts": new}) == []
    assert said({}, {"src/a.test.ts": f"process.exit(0);\n{new}"}) != []


def test_a_test_behind_a_table_is_one() -> None:
    """G6-07: `each` may have its rows on lines of their own, and its name after them."""
    text = "it.each([\n  [1, 2],\n])('n', (a, b) => {\n  expect(a + 1).toBe(b);\n});\n"
    assert edited("src/n.test.js", text, "  expect", "  return;\n  expect") != []
    assert edited("src/n.test.js", text, "  expect", "  expect(a).toBe(a);\n  expect") == []
    assert any("n is gone" in line for line in said({"src/n.test.js": text}, {}))
