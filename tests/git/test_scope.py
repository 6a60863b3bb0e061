"""Holding changes against footprints, and following the links of a tree."""

import pytest

from tests.git.world import World, commit, git
from tidegate.core.footprint import overlap, parse_all
from tidegate.git import hub, links, scope, tree_diff
from tidegate.git.links import resolve
from tidegate.git.tree_diff import Kind


def test_each_change_has_its_kind(world: World) -> None:
    """Added, modified, deleted, mode and type are told apart, both sides of a rename included."""
    (world.root / "link").symlink_to("README.md")
    base = commit(world.root, {"script": "x\n"})
    git(world.root, "mv", "src/b.py", "src/c.py")
    (world.root / "script").chmod(0o755)
    (world.root / "link").unlink()
    new = commit(world.root, {"link": "a file now", "README.md": "more\n", "added": "1"})
    kinds = {
        change.path: change.kind for change in tree_diff.between(world.repository.git, base, new)
    }
    assert kinds == {
        "README.md": Kind.MODIFIED,
        "added": Kind.ADDED,
        "link": Kind.TYPE,
        "script": Kind.MODE,
        "src/b.py": Kind.DELETED,
        "src/c.py": Kind.ADDED,
    }


def test_paths_that_are_no_text_can_still_be_told(world: World) -> None:
    """Bytes that are no UTF-8 are shown, and do not end the harvest."""
    name = b"bad\xff name"
    blob = git(world.root, "hash-object", "-w", "--stdin", stdin="x")
    entry = b"100644 " + blob.encode() + b"\t" + name + b"\0"
    world.repository.git.run("update-index", "-z", "--index-info", stdin=entry)
    tree = git(world.root, "write-tree")
    (change,) = tree_diff.between(world.repository.git, world.base, tree)
    assert change.path == "bad\\xff name"


def test_an_entry_that_lacks_its_slash_is_told(world: World) -> None:
    """`src` covers a file of that name and nothing below: the finding says what would have."""
    new = commit(world.root, {"src/deep/a.py": "1\n"})
    changed = tree_diff.between(world.repository.git, world.base, new)
    (found,) = scope.out_of_scope(
        changed, parse_all(["docs/", "src"], allow_all=False), leave=(), led_by={}
    )
    assert "the entry src is that name alone, src/ is all below it" in found.detail
    (other,) = scope.out_of_scope(
        changed, parse_all(["docs/"], allow_all=False), leave=(), led_by={}
    )
    assert "alone" not in other.detail


TEXTS = {
    "here": "there",
    "deep/up": "..",
    "deep/er/out": "../up/../x",
    "loop": "pool",
    "pool": "loop",
    "self": "self/x",
    "abs": "/etc",
    "folder": "real/folder",
    "through": "folder/../sibling",
    "dot": "./././a//b/",
    "root": "deep/up",
    "into": ".git/hooks",
}


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("here", "there"),
        ("deep/up", ""),
        ("deep/er/out", None),
        ("loop", None),
        ("self", None),
        ("abs", None),
        ("through", "real/sibling"),
        ("dot", "a/b"),
        ("root", ""),
        ("into", None),
    ],
)
def test_a_link_is_followed_as_the_kernel_would(link: str, target: str | None) -> None:
    """Through other links, and out of the tree only as None; circles end."""
    assert resolve(link, TEXTS) == target


def test_links_are_looked_for_where_a_footprint_is() -> None:
    """The folders before the first wildcard; the whole tree where one has none."""
    patterns = parse_all(["src/a/**", "docs/", "x.md", "a/b*/c"], allow_all=False)
    assert scope.places(patterns) == ("a", "docs", "src/a", "x.md")
    assert scope.places(parse_all(["src/", "**/x.py"], allow_all=False)) == ()


def test_two_who_meet_behind_a_link_overlap(world: World) -> None:
    """G6-05: declared paths that resolve to the same target belong to one lane at a time."""
    (world.root / "CLAUDE.md").symlink_to("AGENTS.md")
    (world.root / "current").symlink_to("src")
    head = commit(world.root, {"AGENTS.md": "x"})
    hub.fetch_base(world.hub, world.repository, head)
    entries = tree_diff.tree_entries(world.hub.git, head)
    leading = links.resolved(links.texts(world.hub.git, entries))
    for mine, theirs in ((["CLAUDE.md"], ["AGENTS.md"]), (["current"], ["src/a.py"])):
        first, second = parse_all(mine, allow_all=False), parse_all(theirs, allow_all=False)
        assert not overlap(first, second)
        assert overlap(scope.widened(first, leading), scope.widened(second, leading))
