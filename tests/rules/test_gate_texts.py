"""What the files of a check run and take in, by their texts."""

import pytest

from tidegate.rules.gate_texts import called


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("scripts/check.sh", '. "$(dirname "$0")/lib.sh"\n', "scripts/lib.sh"),
        ("scripts/check.sh", 'source "${BASH_SOURCE%/*}/lib.sh"\n', "scripts/lib.sh"),
        (
            "scripts/check.sh",
            'source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/lib.sh"\n',
            "scripts/lib.sh",
        ),
        ("scripts/check.sh", 'HERE=$(dirname "$0")\n. "$HERE/lib.sh"\n', "scripts/lib.sh"),
        ("scripts/check.sh", '"$ROOT"/scripts/unit.sh -x\n', "scripts/unit.sh"),
        ("scripts/check.sh", 'cd "$(dirname "$0")/.."\nbash unit.sh\n', "unit.sh"),
        ("Makefile", "include mk/test.mk mk/more.mk\n", "mk/more.mk"),
        ("Makefile", "check:\n\t$(CURDIR)/ci/unit.sh\n", "ci/unit.sh"),
        ("justfile", "import 'ci/unit.just'\n", "ci/unit.just"),
        ("Taskfile.yml", "includes:\n  ci:\n    taskfile: ci/Tasks.yml\n", "ci/Tasks.yml"),
        ("Rakefile", "load 'tasks/test.rake'\n", "tasks/test.rake"),
        ("Dockerfile", "RUN ./ci/unit.sh\n", "ci/unit.sh"),
        ("tox.ini", "[testenv]\ncommands = bash ci/unit.sh\n", "ci/unit.sh"),
        ("scripts/check.py", "import lib\n", "scripts/lib.py"),
        ("scripts/check.py", "from scripts.lib import x\n", "scripts/lib.py"),
        ("scripts/check.py", "from scripts import lib\n", "scripts/lib.py"),
        ("scripts/check.py", "from . import lib\n", "scripts/lib.py"),
        ("scripts/check.py", 'run(["bash", "scripts/unit.sh"])\n', "scripts/unit.sh"),
        ("scripts/check.py", 'RUN = [sys.executable, "scripts/unit.py"]\n', "scripts/unit.py"),
        ("scripts/check.py", 'subprocess.run(["./scripts/unit.sh"])\n', "scripts/unit.sh"),
        ("scripts/check.py", 'os.system("bash scripts/unit.sh")\n', "scripts/unit.sh"),
        ("noxfile.py", 'session.run("bash", "scripts/unit.sh")\n', "scripts/unit.sh"),
        ("scripts/check.js", "execSync('bash scripts/unit.sh');\n", "scripts/unit.sh"),
        ("scripts/check.js", "spawn('node', ['scripts/u.js']);\n", "scripts/u.js"),
        ("scripts/check.js", "const lib = require('./lib');\n", "scripts/lib.js"),
        ("scripts/check.mjs", "import { x } from './lib.mjs';\n", "scripts/lib.mjs"),
        ("scripts/check.rb", "require_relative 'lib'\n", "scripts/lib.rb"),
        ("package.json", '{"scripts": {"test": "node ci/unit.js"}}', "ci/unit.js"),
        ("package.json", '{"scripts": {"pretest": "bash ci/unit.sh"}}', "ci/unit.sh"),
    ],
)
def test_what_a_file_of_the_check_takes_in_is_a_part_of_it(
    path: str, text: str, found: str
) -> None:
    """G6-08: whatever leads to it: a folder that a shell tells, an include, an import, a list."""
    assert found in called(path, text)


@pytest.mark.parametrize(
    ("path", "text", "other"),
    [
        ("scripts/check.py", "from calc import add\n", "calc.py"),
        ("scripts/check.py", "import src.calc\n", "src/calc.py"),
        ("check.py", "import calc\n", "calc.py"),
        ("scripts/check.py", 'PATHS = ["src/calc.py", "src/b.py"]\n', "src/calc.py"),
        ("scripts/check.py", 'PATHS = ["calc.py", "b.py"]\n', "calc.py"),
        ("scripts/check.py", 'Path("src/calc.py")\n', "src/calc.py"),
        ("scripts/check.py", 'run(["mypy", "src/calc.py"])\n', "src/calc.py"),
        ("scripts/check.js", "join('src/calc.js')\n", "src/calc.js"),
        ("scripts/check.js", "require('../src/calc')\n", "src/calc.js"),
        ("src/check.js", "require('./calc')\n", "src/calc.js"),
        ("package.json", '{"scripts": {"start": "node src/app.js"}}', "src/app.js"),
        ("package.json", '{"main": "src/app.js", "bin": "./src/app.js"}', "src/app.js"),
        ("package.json", '{"scripts": []', "src/app.js"),
    ],
)
def test_what_is_checked_is_no_part_of_the_check(path: str, text: str, other: str) -> None:
    """Code that a script imports or looks at may change without leave."""
    assert other not in called(path, text)


@pytest.mark.parametrize("text", ["exec('a', [" * 5_000, '"$(' * 50_000, "require('" * 20_000])
def test_a_hostile_script_costs_its_reading_and_no_more(text: str) -> None:
    """Nothing is looked at again and again: this is done in a moment, or never."""
    assert list(called("ci/check.js", text)) == []
