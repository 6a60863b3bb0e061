"""What would land, and everything that is wrong with it."""

import pytest

from tests.git.world import STAMP, World, codes, commit, git, run_job, write
from tidegate.core.footprint import parse_all
from tidegate.git import hub
from tidegate.git.candidate import Candidate, Part, Step, Style, Unmergeable


def tip_of(world: World, files: dict[str, str], name: str = "side") -> str:
    """Commit files on the base and bring the commit into the hub."""
    git(world.root, "checkout", "-q", "-B", name, world.base)
    made = commit(world.root, files, name)
    hub.fetch_base(world.hub, world.repository, made)
    return made


def part(tip: str, *patterns: str) -> Part:
    """Return a part with a footprint that its owner wrote, or without one."""
    footprint = parse_all(patterns, allow_all=True) if patterns else None
    return Part(tip=tip, message=f"Land {tip[:7]}\n", footprint=footprint, leave=footprint)


def only_step(built: Candidate | Unmergeable) -> Step:
    """Return the one step of a candidate."""
    assert isinstance(built, Candidate)
    (step,) = built.steps
    return step


def test_a_merge_has_both_parents_and_the_tested_tree(world: World) -> None:
    """The merge style keeps the attempt's commits behind a commit on the target."""
    tip = tip_of(world, {"a": "1"})
    built = world.build(part(tip))
    step = only_step(built)
    assert git(world.hub.path, "log", "-1", "--format=%P|%T|%s", step.commit) == (
        f"{world.base} {tip}|{step.tree}|Land {tip[:7]}"
    )
    assert world.hub.commit("refs/tidegate/run/candidate") == step.commit
    assert world.build(part(tip)) == built


def test_a_squash_has_one_parent(world: World) -> None:
    """The squash style is one commit with the whole change."""
    step = only_step(world.build(part(tip_of(world, {"a": "1"})), style=Style.SQUASH))
    assert git(world.hub.path, "log", "-1", "--format=%P", step.commit) == world.base


def test_changes_are_merged_one_after_another(world: World) -> None:
    """Each part is merged onto the one before, and its scope is judged by itself."""
    first, second = tip_of(world, {"a": "1"}, "first"), tip_of(world, {"b": "1"}, "second")
    built = world.build(part(first, "a"), part(second, "a"))
    assert isinstance(built, Candidate)
    assert [step.changes[0].path for step in built.steps] == ["a", "b"]
    assert [codes(step.findings) for step in built.steps] == [set(), {"out_of_scope"}]
    assert git(world.hub.path, "rev-list", "--first-parent", "--count", built.commit) == "3"


def test_the_change_that_does_not_merge_is_named(world: World) -> None:
    """The first conflict ends it, with the paths and what it was merged onto."""
    first, second = tip_of(world, {"a": "1"}, "first"), tip_of(world, {"a": "2"}, "second")
    built = world.build(part(first), part(second))
    assert isinstance(built, Unmergeable)
    assert (built.tip, built.paths) == (second, ("a",))


def test_what_the_target_has_already_is_empty(world: World) -> None:
    """A change whose every line is in the target adds no commit."""
    tip = tip_of(world, {"a": "1"})
    built = world.build(part(tip), part(tip))
    assert isinstance(built, Candidate)
    assert [step.is_empty for step in built.steps] == [False, True]
    assert built.commit == built.steps[0].commit


def test_a_rename_out_of_a_forbidden_place_is_seen(world: World) -> None:
    """G6-02: both sides of a rename count, so a file cannot be taken out by moving it in."""
    git(world.root, "checkout", "-q", "-b", "side")
    git(world.root, "mv", "infra/deploy.tf", "src/deploy.tf")
    tip = tip_of_here(world)
    step = only_step(world.build(part(tip, "src/**")))
    assert [(finding.code, finding.path) for finding in step.findings] == [
        ("out_of_scope", "infra/deploy.tf")
    ]


def tip_of_here(world: World) -> str:
    """Commit what is there and bring it into the hub."""
    made = commit(world.root, {})
    hub.fetch_base(world.hub, world.repository, made)
    return made


def test_scope_is_judged_on_the_merged_tree(world: World) -> None:
    """G3-19: what a merge puts elsewhere than its builder did is held to the footprint there."""
    git(world.root, "checkout", "-q", "-b", "moved", world.base)
    git(world.root, "mv", "src/a.py", "core.py")
    target = tip_of_here(world)
    text = "".join(f"line {number}\n" for number in range(40))
    tip = tip_of(world, {"src/a.py": text + "more\n"})
    step = only_step(world.build(part(tip, "src/**"), target=target))
    assert [(finding.code, finding.path) for finding in step.findings] == [
        ("out_of_scope", "core.py")
    ]


def test_a_mode_change_is_a_change(world: World) -> None:
    """G3-21: an executable bit is in scope or out of it like any line."""
    git(world.root, "checkout", "-q", "-b", "side")
    (world.root / "README.md").chmod(0o755)
    step = only_step(world.build(part(tip_of_here(world), "src/**")))
    assert codes(step.findings) == {"out_of_scope"}
    assert [change.kind for change in step.changes] == ["mode"]


def test_a_flood_of_mode_changes_is_told(world: World) -> None:
    """G3-21: a hundred flipped bits are a file system's doing; the finding says where to look."""
    names = {f"many/{number}": "x" for number in range(120)}
    base = tip_of(world, names)
    for name in names:
        (world.root / name).chmod(0o755)
    step = only_step(world.build(part(tip_of_here(world)), target=base))
    assert codes(step.findings) == {"mass_mode_change"}
    assert "core.fileMode" in step.findings[0].detail


@pytest.mark.parametrize("new", ["Docs/x", "docs/X", "caf\u00e9"])
def test_names_that_collide_on_some_disks_are_refused(world: World, new: str) -> None:
    """G3-22: by case, in file or folder, or by Unicode form; two old ones are left alone."""
    base = tip_of(world, {"docs/x": "1", "cafe\u0301": "1", "Old": "1", "old": "1"})
    git(world.root, "checkout", "-q", "-b", "new")
    step = only_step(world.build(part(tip_after(world, {new: "2"})), target=base))
    assert codes(step.findings) == {"name_collision"}


def tip_after(world: World, files: dict[str, str]) -> str:
    """Commit files on what is checked out and bring it into the hub."""
    write(world.root, files)
    return tip_of_here(world)


def test_two_names_that_collided_before_are_no_finding(world: World) -> None:
    """G3-22: a repository that already has such names can still be worked on."""
    base = tip_of(world, {"Old": "1", "old": "1"})
    step = only_step(world.build(part(tip_after(world, {"Old": "2", "fresh": "1"})), target=base))
    assert step.findings == ()


@pytest.mark.parametrize("target", ["/etc/passwd", "../../x", "src/up/../../..", ".git/config"])
def test_a_link_that_leaves_the_repository_is_refused(world: World, target: str) -> None:
    """G6-05: absolute, above the root, through another link, or into git's own folder."""
    git(world.root, "checkout", "-q", "-b", "side")
    (world.root / "src/up").symlink_to("..")
    (world.root / "link").symlink_to(target)
    step = only_step(world.build(part(tip_of_here(world))))
    assert [(finding.code, finding.path) for finding in step.findings] == [
        ("symlink_escape", "link")
    ]


def test_a_link_within_the_repository_is_fine(world: World) -> None:
    """A link may lead anywhere inside, also through other links."""
    git(world.root, "checkout", "-q", "-b", "side")
    (world.root / "src/up").symlink_to("..")
    (world.root / "link").symlink_to("src/up/infra/../README.md")
    assert only_step(world.build(part(tip_of_here(world)))).findings == ()


def test_who_edits_through_a_link_is_told_what_to_declare(world: World) -> None:
    """G6-05: the path that changed is not the link's; the finding names it."""
    (world.root / "link.md").symlink_to("infra/deploy.tf")
    base = tip_of_here(world)
    tip = tip_after(world, {"infra/deploy.tf": "edited\n"})
    step = only_step(world.build(part(tip, "link.md"), target=base))
    assert "declare infra/deploy.tf" in step.findings[0].detail


def test_line_endings_rewritten_are_told(world: World) -> None:
    """G3-23: five hundred changed lines that are one changed line get a finding of their own."""
    lines = "".join(f"line {number}\n" for number in range(500))
    base = tip_of(world, {"doc.txt": lines, "other.txt": lines})
    (world.root / "doc.txt").write_bytes(lines.replace("\n", "\r\n").encode() + b"one more\r\n")
    tip = tip_after(world, {"other.txt": lines.replace("line", "row")})
    step = only_step(world.build(part(tip), target=base))
    assert [(finding.code, finding.path) for finding in step.findings] == [
        ("line_endings_rewritten", "doc.txt")
    ]


def test_as_a_job_it_tells_the_same(world: World) -> None:
    """A job builds the same candidate, and reads footprints as a person wrote them."""
    tip = tip_of(world, {"a": "1"})
    job: dict[str, object] = {
        "job": "candidate",
        "hub": world.hub.path,
        "target": world.base,
        "parts": [
            {
                "tip": tip,
                "message": "m",
                "trailers": {"Run": "1"},
                "footprint": ["src/"],
                "leave": ["src/"],
            }
        ],
        "style": "squash",
        "author": STAMP._asdict(),
        "committer": STAMP._asdict(),
        "pin": "refs/tidegate/run/candidate",
    }
    result = run_job(world.path / "job", job)
    assert result["kind"] == "candidate"
    assert result["steps"][0]["findings"][0]["code"] == "out_of_scope"
    assert git(world.hub.path, "log", "-1", "--format=%B", result["commit"]) == "m\n\nRun: 1"
    wrong = run_job(world.path / "job", job | {"parts": [{"tip": tip, "message": "m", "x": 1}]})
    assert wrong["error"]["kind"] == "refused"
