"""The configuration of tests, of coverage and of CI: which part of which file counts."""

import pytest

from tests.rules.changes import edited, said
from tidegate.rules.lock_files import hints

PYPROJECT = (
    '[project]\nname = "calc"\nversion = "1"\n\n[tool.pytest.ini_options]\naddopts = "-x"\n\n'
    "[tool.coverage.report]\nfail_under = 90\n\n[tool.black]\nline-length = 100\n"
)
SETUP = (
    "[metadata]\nname = calc\n\n[tool:pytest]\naddopts = -x\n\n[coverage:report]\nfail_under = 90\n"
)
PACKAGE = (
    '{"name": "calc", "scripts": {"test": "jest"}, "jest": {"coverageThreshold": 90},'
    ' "dependencies": {"a": "1"}}'
)
CARGO = '[package]\nname = "calc"\n\n[dependencies]\na = "1"\n\n[lib]\nname = "calc"\n'
GRADLE = "plugins {\n}\n\ndependencies {\n}\n\ntest {\n    useJUnitPlatform()\n}\n"

SUREFIRE = (
    "<modules>\n<module>a</module>\n<module>b</module>\n</modules>\n<plugin>\n"
    "<artifactId>maven-surefire-plugin</artifactId>\n<x/>\n</plugin>\n<y/>\n"
)
VITE = "export default {\n  test: {\n    thresholds: {\n      lines: 90,\n    },\n  },\n}\n"
CMAKE = "enable_testing()\nadd_test(NAME x COMMAND x)\n"
MEMBERS = '[workspace]\nmembers = ["a", "b"]\n'


@pytest.mark.parametrize(
    ("path", "text", "was", "now"),
    [
        ("pyproject.toml", PYPROJECT, "fail_under = 90", "fail_under = 10"),
        ("pyproject.toml", PYPROJECT, '"-x"', '"-x -k nothing"'),
        (
            "pyproject.toml",
            PYPROJECT,
            "[tool.black]",
            "[tool.coverage.run]\nomit = ['*']\n[tool.b]",
        ),
        (
            "pyproject.toml",
            PYPROJECT,
            "[tool.black]",
            "[project.entry-points.pytest11]\nx='y'\n[t]",
        ),
        ("pyproject.toml", PYPROJECT, "[project]", "tool.tox.x = 1\n[project]"),
        ("pyproject.toml", PYPROJECT, "[project]", "["),
        ("pyproject.toml", PYPROJECT, "[project]", "project.scripts.pytest = 'a:b'\n[project]"),
        ("Pipfile", "[scripts]\ntest = 'pytest'\n", "pytest", "true"),
        ("setup.cfg", SETUP, "fail_under = 90", "fail_under = 10"),
        ("setup.cfg", SETUP, "-x", "-x --ignore=tests/test_calc.py"),
        (
            "setup.cfg",
            SETUP,
            "[metadata]",
            "[options.entry_points]\npytest11 =\n  x = y\n[metadata]",
        ),
        ("setup.py", "setup()\n", "setup()", "setup(entry_points={'pytest11': ['a = b']})"),
        ("package.json", PACKAGE, '"jest"}', '"true"}'),
        ("package.json", PACKAGE, '"jest"}', '"jest", "pretest": "rm -r tests"}'),
        ("package.json", PACKAGE, "90", "10"),
        ("web/package.json", PACKAGE, "90", "10"),
        ("package.json", PACKAGE, '{"name"', '"name"'),
        ("Cargo.toml", CARGO, "[lib]", "[lib]\ntest = false"),
        ("Cargo.toml", CARGO, "[package]", "[package]\nautotests = false"),
        ("build.gradle", GRADLE, "useJUnitPlatform()", "enabled = false"),
        ("build.gradle", GRADLE, "test {", "test {\n    ignoreFailures = true"),
        (
            "pom.xml",
            "<project>\n</project>\n",
            "<project>",
            "<project>\n<skipTests>true</skipTests>",
        ),
        ("pom.xml", SUREFIRE, "<x/>", "<excludes><exclude>**/Calc*</exclude></excludes>"),
        ("pom.xml", SUREFIRE, "<module>b</module>\n", ""),
        ("build.gradle", GRADLE, "Platform()", "Platform()\n    exclude '**/Calc*'"),
        ("build.gradle", GRADLE, "Platform()", "Platform()\n    onlyIf { false }"),
        ("gradle/unit.gradle", GRADLE, "useJUnitPlatform()", "enabled = false"),
        ("settings.gradle", "include ':a', ':b'\n", ", ':b'", ""),
        ("go.work", "go 1.22\n\nuse (\n\t./a\n\t./b\n)\n", "\t./b\n", ""),
        ("vite.config.ts", VITE, "lines: 90", "lines: 10"),
        ("vite.config.ts", VITE, "  test: {", "  test: {\n    exclude: ['**/calc*'],"),
        ("CMakeLists.txt", CMAKE, "enable_testing()\n", ""),
        ("CMakeLists.txt", CMAKE, "COMMAND x)", "COMMAND true)"),
        ("CMakeLists.txt", CMAKE, "COMMAND x)", "COMMAND x)\nset_property(TEST x WILL_FAIL)"),
        ("Cargo.toml", MEMBERS, ', "b"', ""),
        ("Cargo.toml", MEMBERS, "members", 'exclude = ["b"]\nmembers'),
        ("Cargo.toml", MEMBERS, "members", 'default-members = ["a"]\nmembers'),
        ("package.json", '{"workspaces": ["a", "b"]}', ', "b"', ""),
    ],
)
def test_what_tests_are_run_by_is_told(path: str, text: str, was: str, now: str) -> None:
    """G6-07: a threshold, a selection, a hook around the tests; a file that cannot be read too."""
    assert len(edited(path, text, was, now)) == 1


@pytest.mark.parametrize(
    ("path", "text", "was", "now"),
    [
        ("pyproject.toml", PYPROJECT, 'version = "1"', 'version = "2"\ndependencies = ["a"]'),
        ("pyproject.toml", PYPROJECT, "line-length = 100", "line-length = 80"),
        ("pyproject.toml", PYPROJECT, "[tool.b", "[project.scripts]\ncalc = 'a:b'\n[tool.b"),
        ("Pipfile", "[packages]\na = '*'\n", "a =", "b = '*'\na ="),
        ("setup.cfg", SETUP, "name = calc", "name = sums"),
        ("setup.py", "setup()\n", "setup()", "setup(name='x')"),
        ("package.json", PACKAGE, '"a": "1"', '"a": "2"'),
        ("package.json", PACKAGE, '"jest"}', '"jest", "docs": "typedoc"}'),
        ("Cargo.toml", CARGO, 'a = "1"', 'a = "2"'),
        ("build.gradle", GRADLE, "dependencies {", "dependencies {\n  testImplementation 'a:b:1'"),
        ("vite.config.ts", "export default {}\n", "{}", "{ base: '/' }"),
        ("vite.config.ts", VITE, "export", "// the latest\nimport recover from 'x'\nexport"),
        ("build.gradle", GRADLE, "dependencies {", "dependencies {\n  api 'a:discovery:latest'"),
        ("build.gradle", GRADLE, "dependencies {", "dependencies {\n  kaptTest('a:b:1')"),
        ("settings.gradle", "include ':a'\n", "':a'", "':a', ':b'"),
        ("pom.xml", SUREFIRE, "<y/>", "<artifactId>spring-boot-starter-test</artifactId>"),
        ("pom.xml", SUREFIRE, "<y/>", "<groupId>org.testcontainers</groupId>"),
        ("pom.xml", SUREFIRE, "<module>b", "<module>c</module>\n<module>b"),
        ("CMakeLists.txt", CMAKE, "add", "add_executable(y_test y.c)\nadd_test(y_test)\nadd"),
        ("Cargo.toml", MEMBERS, '"b"', '"b", "c"'),
        ("package.json", '{"workspaces": ["a", "b"]}', '"b"', '"b", "c"'),
    ],
)
def test_what_is_about_other_things_is_no_finding(path: str, text: str, was: str, now: str) -> None:
    """Most changes of such a file are about dependencies, names and versions."""
    assert edited(path, text, was, now) == []


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        ".github/actions/test/action.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        ".ci/run",
        "azure-pipelines.yml",
        "Jenkinsfile",
        ".pre-commit-config.yaml",
        "pytest.ini",
        ".pytest.ini",
        "sub/pytest.ini",
        "tox.ini",
        ".coveragerc",
        "codecov.yml",
        "jest.config.js",
        "web/jest.config.ts",
        "vitest.config.mts",
        "vitest.workspace.ts",
        "playwright.config.ts",
        ".mocharc.json",
        ".nycrc",
        ".npmrc",
        ".rspec",
        ".cargo/config.toml",
        ".config/nextest.toml",
        "phpunit.xml",
        "sitecustomize.py",
        "pytest.py",
        "pytest/__init__.py",
        "src/unittest/__init__.py",
        "evil.pth",
        "tests/sitecustomize.py",
        "pytest_asyncio.py",
        "pytest.so",
        "src/__pycache__/calc.cpython-312.pyc",
        "circle.yml",
        ".zuul.yaml",
        ".tekton/test.yaml",
        ".azure-pipelines/test.yml",
        "azure-pipelines-pr.yml",
        ".gitlab-ci-extra.yml",
        ".gitlab/ci.yml",
        ".drone.jsonnet",
        "jenkins/Jenkinsfile.test",
        "codeship-steps.yml",
        "screwdriver.yaml",
        "buildspec-test.yml",
        "lefthook.yml",
        ".husky/pre-push",
        "cypress.json",
        "jest.preset.js",
        "jest.config.base.js",
        "vitest.global-setup.ts",
        "test-setup.js",
        "playwright-ct.config.ts",
        "cucumber.js",
        "bunfig.toml",
        ".stestr.conf",
        "src/.gitattributes",
    ],
)
def test_files_of_the_runner_count_as_a_whole(path: str) -> None:
    """G6-07, G6-08: also new ones: one that was not there may win over the one that was."""
    assert len(said({}, {path: "x"})) == 1
    assert len(said({path: "x"}, {path: "y"})) == 1
    assert len(said({path: "x"}, {})) == 1


@pytest.mark.parametrize(
    "path",
    [
        "src/ci/run.py",
        "docs/Jenkinsfile.md/x",
        "src/circle.py",
        "circle.svg",
        "data/wercker.txt",
        "src/setup.ts",
        "src/test.ts",
        "src/pytest_notes.md",
        "mypy/README.md",
        "src/cypress.ts",
        "src/jest.ts",
        ".vscode/settings.json",
    ],
)
def test_what_is_only_called_alike_is_no_finding(path: str) -> None:
    """A name that a tool's name is a part of says nothing to the tool."""
    assert said({path: "a = 1\n"}, {path: "a = 2\n"}) == []


def test_lock_files_are_known() -> None:
    """G6-17: with the tool that writes them, or as what their names say."""
    said_of = hints(["web/package-lock.json", "deps.lock", "src/clock.py", "locks.md"])
    assert len(said_of) == 2
    assert "npm" in said_of[0]
    assert "never merge it by hand" in said_of[1]


def test_a_hostile_build_file_costs_its_reading_and_no_more() -> None:
    """Blocks that nothing closes are not looked for again and again."""
    assert said({"pom.xml": "a"}, {"pom.xml": "<plugin>" * 100_000}) == []
