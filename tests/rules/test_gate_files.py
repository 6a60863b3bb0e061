"""Which files a check is made of: by what a shell, an interpreter or a build tool is to run."""

import pytest

from tidegate.rules.gate_files import called_by, named_by

MAKE = ("GNUmakefile", "makefile", "Makefile")
IN_BACKEND = tuple(f"backend/{name}" for name in MAKE)
JUST = ("justfile", "Justfile", ".justfile")


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("make check", MAKE),
        ("./verify.sh", ("verify.sh",)),
        ("sh -e scripts/verify.sh src", ("scripts/verify.sh",)),
        ("python3.12 -m scripts.check", ("scripts/check.py", "scripts/check/__main__.py")),
        ("CI=1 timeout 30 python -I tools/run.py tests", ("tools/run.py",)),
        ("pytest -q -c conf/py.ini tests/test_a.py", ("conf/py.ini",)),
        ("sh -c './a.sh && nox'", ("a.sh", "noxfile.py")),
        ("test -s part-00", ()),
        ("/usr/bin/true ../x.sh $HOME/y.sh", ()),
        ("./gradlew test", ("gradlew", "gradle/wrapper/gradle-wrapper.properties")),
        ("un'closed ./x", ()),
        ("", ()),
    ],
)
def test_a_command_names_what_it_runs(command: str, files: tuple[str, ...]) -> None:
    """G6-08: scripts and recipes, in the places where a shell looks for what to run."""
    assert named_by(command) == files


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cd backend && make test", IN_BACKEND),
        ("cd backend; ./x.sh; cd ..; ./y.sh", ("backend/x.sh", "y.sh")),
        ("cd backend && ./x.sh && cd - && ./y.sh", ("backend/x.sh", "y.sh")),
        ("pushd backend && ./x.sh; popd; ./y.sh", ("backend/x.sh", "y.sh")),
        ("(cd backend && make) && ./y.sh", (*IN_BACKEND, "y.sh")),
        ("if true; then cd backend; fi; ../y.sh", ("y.sh",)),
        ('cd "$(git rev-parse --show-toplevel)" && make', MAKE),
        ("cd web && npx jest; just test", (*(f"web/{name}" for name in JUST), *JUST)),
        ("make -C backend test", IN_BACKEND),
        ("make -Cbackend test", IN_BACKEND),
        ("make -kC backend test", IN_BACKEND),
        ("make --directory backend", IN_BACKEND),
        ("make --directory=backend -f ci.mk", (*IN_BACKEND, "backend/ci.mk")),
        ("env -C backend make", IN_BACKEND),
        ("uv run --directory backend nox", ("backend/noxfile.py",)),
        ("backend/mvnw test", (
            "backend/mvnw", "backend/.mvn/maven.config", "backend/.mvn/jvm.config",
        )),
        ("npm --prefix web test", ()),
        ("cargo test --manifest-path x/Cargo.toml", ()),
        ("task -d backend", (
            "backend/Taskfile.yml", "backend/Taskfile.yaml", "backend/taskfile.yml",
            "Taskfile.yml", "Taskfile.yaml", "taskfile.yml",
        )),
    ],
)  # fmt: skip
def test_what_is_run_is_seen_from_where_it_runs(command: str, files: tuple[str, ...]) -> None:
    """G6-08: a folder is entered by the shell, or by an option of what runs there."""
    assert named_by(command) == files


@pytest.mark.parametrize(
    "command",
    [
        "python -W error ci/check.py",
        "python -X dev ci/check.py",
        "python -Werror -Xdev -I ci/check.py",
        "bash -euo pipefail ci/check.py",
        "bash -o pipefail -- ci/check.py",
        "bash --rcfile=/dev/null ci/check.py",
        "bash <ci/check.py",
        "bash -s fast < ci/check.py 2>&1 >log",
        "cat ci/check.py | sh",
        "bash -ec ci/check.py",
        "bash -ceuo pipefail 'sh ci/check.py'",
        "env -u A B=1 sh ci/check.py",
        "env -i -S 'sh ci/check.py'",
        "nice -n 5 ci/check.py",
        "nice -5 sh ci/check.py",
        "time -p sh ci/check.py",
        "timeout -k 5 -s KILL 1.5m sh ci/check.py",
        "sudo -n -u ci sh ci/check.py",
        "command -p sh ci/check.py",
        "exec -a check sh ci/check.py",
        "eval 'sh ci/check.py'",
        "eval sh ci/check.py",
        "trap 'sh ci/check.py' EXIT",
        "xargs -n 1 sh ci/check.py",
        "uv run ci/check.py",
        "uv run --with pytest python ci/check.py",
        "coverage run --source src ci/check.py",
        "coverage run --rcfile=ci/check.py -m x.y",
        "node -r ./ci/check.py",
        "node --env-file .env ci/check.py",
        "deno run ci/check.py",
        "perl -I lib ci/check.py",
        "ruby -rjson ci/check.py",
        "pytest -cci/check.py",
        "pytest -qc ci/check.py",
        "uv run pytest -c ci/check.py",
        "tox -c ci/check.py",
        "make --file=ci/check.py",
        "mypy --config-file=ci/check.py src",
        "pytest --cov-config=ci/check.py",
        "python -m pytest -c ci/check.py",
        "python -m coverage run ci/check.py",
        "python -I -m coverage run --source src ci/check.py",
        "python -m pipenv run sh ci/check.py",
        "tsc -p ci/check.py",
        "$(PYTHON) -W error ci/check.py",
        "${BASH} -e ci/check.py",
        "{ sh ci/check.py; }",
        "while ! sh ci/check.py; do true; done",
        "sh ci/check.py  # don't skip it",
        "echo it  # isn't much\nsh ci/check.py",
        "cd ci # where it is\nsh check.py",
        "sh ci/check.py 'which goes on in the next line",
        'said="$(sh ci/check.py)"',
        'test "`sh ci/check.py`" = ok',
    ],
)
def test_an_option_and_its_value_hide_nothing(command: str) -> None:
    """G6-08: whatever stands before the file that is run, or leads to it."""
    assert "ci/check.py" in named_by(command)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("python -Im scripts.check", ("scripts/check.py", "scripts/check/__main__.py")),
        ("python -mscripts.check", ("scripts/check.py", "scripts/check/__main__.py")),
        ("uv run -m scripts.check", ("scripts/check.py", "scripts/check/__main__.py")),
        ("python tools", ("tools", "tools/__main__.py")),
        ("python -c 'import x' ./y", ()),
        ("sh -s", ()),
        ("uv run check.py", ("check.py",)),
        ("make >Makefile.log", MAKE),
        ("sh x.sh <data.txt", ("x.sh",)),
        ("cat x.sh; sh y.sh", ("y.sh",)),
        ("sh -c", ()),
        ("cd", ()),
        ("nice -n", ()),
        ("cd ../.. && make", MAKE),
        ("true # ./x.sh", ()),
        ("./c '# d' \"# e\" a#b \\# ; ./f", ("c", "f")),
        ("python -m run ./x.sh", ("run.py", "run/__main__.py")),
    ],
)
def test_only_what_is_run_is_named(command: str, files: tuple[str, ...]) -> None:
    """G6-08: input of a script and what is written are no part of the check."""
    assert named_by(command) == files


def test_a_module_is_run_as_its_tool_is() -> None:
    """`python -m nox` reads what `nox` does."""
    assert named_by("python -m nox -f ci/n.py") == (
        "ci/n.py",
        "nox.py",
        "nox/__main__.py",
        "noxfile.py",
    )


def test_a_recipe_names_what_it_runs() -> None:
    """G6-08: a target's script is as much of the check as the file of the target."""
    makefile = "check: lint\n\t@./scripts/lint.sh src\n\t-python tools/all.py --fast\n"
    assert called_by(makefile) == ("scripts/lint.sh", "tools/all.py")
    assert called_by('{"scripts": {\n  "test": "bash ci/test.sh",\n}}') == ("ci/test.sh",)


def test_a_recipe_is_read_where_it_stands() -> None:
    """G6-08: `make -C` and `$(MAKE) -C` run there, and each line of a recipe begins there."""
    assert called_by("all:\n\tcd sub && ./a.sh\n\t./b.sh\n", "backend") == (
        "backend/sub/a.sh",
        "backend/b.sh",
    )
    assert called_by("all:\n\t$(MAKE) -C backend\n") == IN_BACKEND


@pytest.mark.parametrize(
    "again",
    [
        "eval ", "python -m ", "env eval ", "sh -c sh ", "( ", "cd a; ", '"$(', "'`\"$(", "\\$(",
        "python -m coverage run ",
    ],
)  # fmt: skip
def test_no_line_is_too_deep_to_be_read(again: str) -> None:
    """Who writes a script does not end the job that reads it."""
    assert named_by(again * 5_000 + "make") is not None


def test_a_script_goes_on_where_it_went() -> None:
    """G6-08: a `cd` holds for the lines behind it; a line that is broken is one."""
    said = called_by("set -e\ncd backend\npython -W error \\\n  check.py\n")
    assert "backend/check.py" in said
