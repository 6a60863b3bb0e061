"""A change to the tests and the check that judge it needs leave, and is shown when it has it."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.git.world import World, codes, commit, git
from tidegate.core.footprint import parse_all
from tidegate.git import hub
from tidegate.git.adapter import GitJobs
from tidegate.git.candidate import Candidate, Part, Step
from tidegate.git.scope import DELETIONS_MAX, STRAYS_MAX
from tidegate.ports.git import MergeConflict, Merged, MergeWork
from tidegate.rules.gate_files import named_by
from tidegate.rules.test_surface import TEST_SURFACE_CHANGED

TEST = "from src.calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n"
CALC = {
    "src/calc.py": "def add(a, b):\n    return a - b\n",
    "tests/test_calc.py": TEST,
    "tests/__snapshots__/calc.ambr": "4\n",
    "pyproject.toml": "[tool.coverage.report]\nfail_under = 90\n",
    ".github/workflows/ci.yml": "run: pytest\n",
    "Makefile": "check:\n\t@./scripts/verify.sh src\n",
    "scripts/verify.sh": "set -e\nsh scripts/deep.sh\npytest\n",
    "scripts/deep.sh": "true\n",
}


@pytest.fixture
def base(world: World) -> str:
    """The user's repository with a function that is wrong, and a test that says so."""
    return into_hub(world, commit(world.root, CALC))


def into_hub(world: World, made: str) -> str:
    """Bring a commit of the user's into the hub."""
    hub.fetch_base(world.hub, world.repository, made)
    return made


def judged(world: World, base: str, *patterns: str, gates: tuple[str, ...] = ()) -> Step:
    """Commit what is there, and merge it onto the base under its owner's footprint, or without."""
    return judged_with(world, base, patterns, leave=patterns, gates=gates)


def judged_with(
    world: World,
    base: str,
    footprint: tuple[str, ...],
    *,
    leave: tuple[str, ...],
    gates: tuple[str, ...] = (),
) -> Step:
    """The same, where what is expected may be more than the owner gave leave for."""
    expected, given = (
        parse_all(each, allow_all=True) if each else None for each in (footprint, leave)
    )
    tip = into_hub(world, commit(world.root, {}))
    part = Part(tip, "Land\n", footprint=expected, gate_files=gates, leave=given)
    built = world.build(part, target=base)
    assert isinstance(built, Candidate)
    (step,) = built.steps
    return step


Act = Callable[[Path], object]


def writing(path: str, text: str) -> Act:
    """An agent that writes one file."""

    def act(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    return act


def linked(path: Path) -> Path:
    """Make a link to a file beside it; return the link."""
    link = path.with_suffix(".link")
    link.symlink_to(path.name)
    return link


VARIANTS: dict[str, tuple[str, Act, str]] = {
    "delete": (
        "tests/test_calc.py",
        lambda root: (root / "tests/test_calc.py").unlink(),
        "test_add is gone",
    ),
    "rename": (
        "tests/test_calc.py",
        lambda root: (root / "tests/test_calc.py").rename(root / "tests/calc_check.py"),
        "test_add is gone",
    ),
    "skip": (
        "tests/test_calc.py",
        writing("tests/test_calc.py", TEST.replace("def", "@pytest.mark.skip\ndef")),
        "test_add is skipped",
    ),
    "xfail": (
        "tests/test_calc.py",
        writing("tests/test_calc.py", TEST.replace("def", "@pytest.mark.xfail\ndef")),
        "test_add is expected to fail",
    ),
    "loosen": (
        "tests/test_calc.py",
        writing("tests/test_calc.py", TEST.replace("== 4", "is not None")),
        "test_add asserts something else",
    ),
    "empty assert": (
        "tests/test_calc.py",
        writing("tests/test_calc.py", TEST.replace("add(2, 2) == 4", "True")),
        "test_add asserts something else",
    ),
    "deselect": (
        "conftest.py",
        writing("conftest.py", 'collect_ignore = ["tests/test_calc.py"]\n'),
        "collect_ignore is added",
    ),
    "coverage": (
        "pyproject.toml",
        writing("pyproject.toml", "[tool.coverage.report]\nfail_under = 1\n"),
        "tool.coverage.report.fail_under",
    ),
    "ci": (
        ".github/workflows/ci.yml",
        writing(".github/workflows/ci.yml", "run: true\n"),
        "a file of CI has changed",
    ),
    "snapshot": (
        "tests/__snapshots__/calc.ambr",
        writing("tests/__snapshots__/calc.ambr", "0\n"),
        "a snapshot has changed",
    ),
    "runner": ("pytest.ini", writing("pytest.ini", "[pytest]\n"), "is new"),
    "impostor": ("pytest.py", writing("pytest.py", ""), "before or instead of"),
    "link": (
        "tests/test_calc.py",
        lambda root: linked(root / "src/calc.py").replace(root / "tests/test_calc.py"),
        "cannot be looked at",
    ),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_tests_that_are_weakened_keep_a_change_from_landing(
    world: World, base: str, variant: str
) -> None:
    """G6-07: each way is found by itself, with the remedy; its footprint can give leave for it."""
    path, act, told = VARIANTS[variant]
    act(world.root)
    for patterns in ((), ("src/**",)):
        step = judged(world, base, *patterns)
        found = [each for each in step.findings if each.code == TEST_SURFACE_CHANGED]
        assert [each.path for each in found] == [path]
        assert told in found[0].detail
        assert f"name {path} in the issue's footprint" in found[0].detail
        assert step.surface == ()
    step = judged(world, base, path, "tests/")
    assert step.findings == ()
    assert [(each.code, each.path) for each in step.surface] == [(TEST_SURFACE_CHANGED, path)]


JUDGING = ("tests/test_calc.py", ".github/workflows/ci.yml", "Makefile", "tidegate.toml")


@pytest.mark.parametrize("path", JUDGING)
def test_only_the_owner_gives_leave_to_change_what_judges_a_change(
    world: World, base: str, path: str
) -> None:
    """G6-04, G6-07, G6-08: an agent that expects the path to change has given no leave for it."""
    writing(path, "")(world.root)
    for expected in ((path,), ("**", path)):
        step = judged_with(world, base, expected, leave=(), gates=("Makefile",))
        assert path in {each.path for each in step.findings}
        assert step.surface == ()
    assert judged_with(world, base, (path,), leave=(path,), gates=("Makefile",)).findings == ()


def test_an_honest_change_with_its_own_tests_lands(world: World, base: str) -> None:
    """A mended function, further assertions and a new test need no leave but for the paths."""
    writing("src/calc.py", "def add(a, b):\n    return a + b\n")(world.root)
    writing("tests/test_calc.py", TEST + "    assert add(1, 1) == 2\n")(world.root)
    writing("tests/unit/test_more.py", "def test_more():\n    assert 1\n")(world.root)
    for patterns in ((), ("src/", "tests/")):
        step = judged(world, base, *patterns)
        assert (step.findings, step.surface) == ((), ())


def test_tests_are_compared_on_the_merged_tree(world: World, base: str) -> None:
    """G3-19: what others did to the tests meanwhile is not this change's doing."""
    (world.root / "src/calc.py").write_text("def add(a, b):\n    return a + b\n")
    tip = into_hub(world, commit(world.root, {}))
    git(world.root, "checkout", "-q", "-b", "others", base)
    git(world.root, "rm", "-q", "tests/test_calc.py")
    target = into_hub(world, commit(world.root, {}))
    built = world.build(Part(tip, "Land\n"), target=target)
    assert isinstance(built, Candidate)
    assert built.steps[0].findings == ()


@pytest.mark.parametrize(
    ("path", "is_gate"),
    [
        ("Makefile", True),
        ("GNUmakefile", True),
        ("scripts/verify.sh", True),
        ("scripts/deep.sh", True),
        ("src/calc.py", False),
    ],
)
def test_the_check_is_not_the_changes_to_edit(
    world: World, base: str, path: str, *, is_gate: bool
) -> None:
    """G6-08: the named files of the check, and what they run, as the target has them."""
    writing(path, "exit 0\n")(world.root)
    step = judged(world, base, gates=("Makefile", "GNUmakefile"))
    assert codes(step.findings) == ({TEST_SURFACE_CHANGED} if is_gate else set())
    step = judged(world, base, path, gates=("Makefile", "GNUmakefile"))
    assert (codes(step.findings), len(step.surface)) == (set(), int(is_gate))


def test_what_a_recipe_in_a_folder_runs_is_not_the_changes_to_edit(world: World, base: str) -> None:
    """G6-08: `make -C backend` runs the scripts that lie there."""
    del base
    made = {"backend/Makefile": "check:\n\t@./verify.sh\n", "backend/verify.sh": "pytest\n"}
    base = into_hub(world, commit(world.root, made))
    writing("backend/verify.sh", "exit 0\n")(world.root)
    step = judged(world, base, gates=named_by("make -C backend check"))
    assert [each.path for each in step.findings] == ["backend/verify.sh"]


@pytest.mark.parametrize(
    ("link", "target", "gate"),
    [
        ("verify.sh", "tools/verify.sh", "verify.sh"),
        ("ci", "tools", "ci/verify.sh"),
        ("deep/ci", "../tools", "deep/ci/verify.sh"),
    ],
)
def test_a_script_that_is_run_through_a_link_is_the_checks(
    world: World, base: str, link: str, target: str, gate: str
) -> None:
    """G6-05, G6-08: the link is a part of the check, and so is what it leads to."""
    del base
    commit(world.root, {"tools/verify.sh": ". tools/lib.sh\n", "tools/lib.sh": "pytest\n"})
    (world.root / link).parent.mkdir(exist_ok=True)
    (world.root / link).symlink_to(target)
    base = into_hub(world, commit(world.root, {}))
    for path in ("tools/verify.sh", "tools/lib.sh"):
        writing(path, "exit 0\n")(world.root)
    step = judged(world, base, gates=(gate,))
    assert {each.path for each in step.findings} == {"tools/verify.sh", "tools/lib.sh"}


def test_a_script_that_a_manifest_names_is_the_checks(world: World, base: str) -> None:
    """G6-08: `npm test` runs what package.json says; its other parts are not the check's."""
    del base
    made = {"package.json": '{"scripts": {"test": "node ci/t.js"}}\n', "ci/t.js": "run();\n"}
    base = into_hub(world, commit(world.root, made))
    writing("ci/t.js", "//\n")(world.root)
    writing("package.json", '{"scripts": {"test": "node ci/t.js"}, "name": "x"}\n')(world.root)
    step = judged(world, base, gates=named_by("npm test"))
    assert [each.path for each in step.findings] == ["ci/t.js"]


def test_an_executable_bit_of_the_check_counts(world: World, base: str) -> None:
    """G3-21, G6-08: a script that cannot be run any more is another check."""
    (world.root / "scripts/verify.sh").chmod(0o755)
    step = judged(world, base, gates=("scripts/verify.sh",))
    assert codes(step.findings) == {TEST_SURFACE_CHANGED}


@pytest.mark.parametrize("path", ["tidegate.toml", ".tidegate/roles/build.md", ".GitHub/x.yml"])
def test_what_is_protected_needs_to_be_named(world: World, base: str, path: str) -> None:
    """G6-04: without a footprint, and under one that names everything else."""
    writing(path, "x")(world.root)
    step = judged(world, base)
    assert ("out_of_scope", path) in [(each.code, each.path) for each in step.findings]
    if not path.startswith(".G"):
        step = judged(world, base, "**")
        assert [(each.code, each.path) for each in step.findings] == [("out_of_scope", path)]
        assert judged(world, base, path).findings == ()


def test_a_stray_path_is_told_with_what_happened_and_what_to_do(world: World, base: str) -> None:
    """The finding goes back to a builder, who has nothing else to go by."""
    (world.root / "README.md").unlink()
    (finding,) = judged(world, base, "src/").findings
    assert finding.path == "README.md"
    assert finding.detail == (
        "is deleted; name README.md in the issue's footprint if that is wanted,"
        " or take it out of the change"
    )


def test_many_stray_paths_are_counted(world: World, base: str) -> None:
    """Thousands of findings are of no more use than a hundred."""
    for number in range(STRAYS_MAX + 5):
        writing(f"out/{number:03}", "x")(world.root)
    findings = judged(world, base, "src/").findings
    assert len(findings) == STRAYS_MAX + 1
    assert findings[-1].detail.startswith("and 5 more paths")


def test_a_change_that_empties_the_tree_is_told(world: World) -> None:
    """G3-32: most files gone, and no footprint names them: a checkout did not come up."""
    many = {f"many/{number}": f"{number}\n" for number in range(3 * DELETIONS_MAX)}
    base = into_hub(world, commit(world.root, many))
    git(world.root, "rm", "-q", "-r", "many")
    found = judged(world, base).findings
    assert [each.code for each in found] == ["mass_deletion"]
    assert "60 deleted files, of 65" in found[0].detail
    assert "mass_deletion" in codes(judged(world, base, "src/").findings)
    expected = judged_with(world, base, ("many/",), leave=()).findings
    assert [each.code for each in expected] == ["mass_deletion"]
    assert judged(world, base, "many/").findings == ()


def test_a_folder_that_moves_is_no_deletion(world: World) -> None:
    """G3-32: what was there is there still, under another name."""
    many = {f"many/{number}": f"{number}\n" for number in range(3 * DELETIONS_MAX)}
    base = into_hub(world, commit(world.root, many))
    git(world.root, "mv", "many", "moved")
    assert judged(world, base).findings == ()


def test_a_few_files_of_many_may_go(world: World) -> None:
    """G3-32: neither a large cut of a small tree nor a small one of a large tree is an accident."""
    many = {f"many/{number}": f"{number}\n" for number in range(3 * DELETIONS_MAX)}
    base = into_hub(world, commit(world.root, many))
    git(world.root, "rm", "-q", *list(many)[: DELETIONS_MAX + 1])
    assert judged(world, base).findings == ()


def test_two_greens_make_a_red(world: World) -> None:
    """G6-18: no line conflicts, so nothing is said; what is checked is the merged tree."""
    uses = "import lib\nassert lib.f() == 1\n"
    base = into_hub(
        world, commit(world.root, {"lib.py": "def f():\n    return 1\n", "use.py": uses})
    )
    renamed = {"lib.py": "def g():\n    return 1\n", "use.py": uses.replace(".f", ".g")}
    target = into_hub(world, commit(world.root, renamed))
    git(world.root, "checkout", "-q", "-b", "later", base)
    tip = into_hub(world, commit(world.root, {"more.py": uses}))
    built = world.build(Part(tip, "Land\n"), target=target)
    assert isinstance(built, Candidate)
    assert built.steps[0].findings == ()
    git(world.root, "--git-dir", world.hub.path, "--work-tree", ".", "checkout", built.commit, ".")
    for name, code in (("use.py", 0), ("more.py", 1)):
        done = subprocess.run(("python3", name), cwd=world.root, capture_output=True, check=False)
        assert done.returncode == code


def jobs(world: World) -> GitJobs:
    """The jobs of a run in this world."""
    return GitJobs(
        hub=world.hub.path,
        repository=str(world.root),
        common_dir=str(world.root / ".git"),
        run="20260101-0000",
        style="merge",
        identity=("A", "a@example.invalid"),
        variables={},
    )


def merged(world: World, tip: str, target: str, **more: Any) -> Merged | MergeConflict:
    """What the engine hears of a merge that it asked for, done as a job of its own."""
    work = MergeWork(
        target=target, tip=tip, subject="Land", trailers=(), utc="2026-01-01T00:00:00Z", **more
    )
    folder = str(world.path / "job")
    subprocess.run(jobs(world).command(work, folder), check=True)
    heard = jobs(world).result(work, folder)
    assert isinstance(heard, Merged | MergeConflict)
    return heard


def test_the_engine_hears_of_it(world: World, base: str) -> None:
    """G6-07, G6-08: footprint, leave and gate files go with the work; both lists come back."""
    writing("tests/test_calc.py", "")(world.root)
    writing("scripts/verify.sh", "true\n")(world.root)
    tip = into_hub(world, commit(world.root, {}))
    paths, gates = ("tests/",), ("scripts/verify.sh",)
    heard = merged(world, tip, base, footprint=paths, leave=paths, gate_files=gates)
    assert isinstance(heard, Merged)
    assert heard.surface == (f"tests/test_calc.py: test_add is gone ({TEST_SURFACE_CHANGED})",)
    assert [line.partition(":")[0] for line in heard.findings] == ["scripts/verify.sh"] * 2
    heard = merged(world, tip, base)
    assert isinstance(heard, Merged)
    assert len(heard.findings) == 1


def test_a_lock_file_is_not_to_be_merged_by_hand(world: World) -> None:
    """G6-17: the manifest merges, its lock does not, and the conflict says how it is settled."""
    manifest, lock = "[deps]\na = 1\n", "a 1 h1\ngraph-hash 111\n"
    base = into_hub(world, commit(world.root, {"deps.toml": manifest, "deps.lock": lock}))
    both = {"deps.toml": f"{manifest}b = 1\n", "deps.lock": "a 1 h1\nb 1 h2\ngraph-hash 222\n"}
    target = into_hub(world, commit(world.root, both))
    git(world.root, "checkout", "-q", "-b", "later", base)
    both = {"deps.toml": "[deps]\nc = 1\na = 1\n", "deps.lock": "a 1 h1\nc 1 h3\ngraph-hash 333\n"}
    tip = into_hub(world, commit(world.root, both))
    heard = merged(world, tip, target)
    assert isinstance(heard, MergeConflict)
    assert heard.paths == ("deps.lock",)
    assert len(heard.hints) == 1
    assert "never merge it by hand" in heard.hints[0]


def test_a_binary_conflict_has_no_hint(world: World) -> None:
    """G3-20: its unmerged entry decides; there is no tool to say."""
    base = world.base
    target = into_hub(world, commit(world.root, {"b.bin": "\0ours"}))
    git(world.root, "checkout", "-q", "-b", "later", base)
    tip = into_hub(world, commit(world.root, {"b.bin": "\0theirs"}))
    assert merged(world, tip, target) == MergeConflict(paths=("b.bin",))


def test_a_report_that_says_something_else_keeps_the_change_from_landing(
    world: World, base: str
) -> None:
    """G6-16: what its builder lists is held against the merged change, as a job of its own."""
    writing("src/calc.py", "def add(a, b):\n    return a + b\n")(world.root)
    tip = into_hub(world, commit(world.root, {}))
    report = (
        "CHANGED:\n- src/calc.py\n- src/other.py\n- Makefile: a target\n- and/or: prose\n"
        "- src: all of it\nUNTOUCHED:\n- src/calc.py\n"
    )
    heard = merged(world, tip, base, report=report)
    assert isinstance(heard, Merged)
    assert heard.codes == ("report_mismatch",)
    told = ["src/other.py", "Makefile", "src/calc.py"]
    assert [each.partition(":")[0] for each in heard.findings] == told
    titled = (
        "CHANGES\n- src/calc.py: mended\n- scripts/deep.sh: quicker\n- v1.2\n"
        "UNTOUCHED\n- Makefile\n"
    )
    heard = merged(world, tip, base, report=titled)
    assert isinstance(heard, Merged)
    assert [each.partition(":")[0] for each in heard.findings] == ["scripts/deep.sh"]
    honest = merged(world, tip, base, report="CHANGED:\n- src/calc.py\n")
    assert isinstance(honest, Merged)
    assert honest.findings == ()
