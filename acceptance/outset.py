"""What a person has before the first run: a repository, `init`, some settings, the issues."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from acceptance.package import commit_all, make_repository
from acceptance.place import Place, Told, Trouble
from acceptance.settings import Value, with_key
from acceptance.wanted import WIDTH, Package

AGENTS = Path(__file__).with_name("agents")
DISK_FLOOR_BYTES = 100_000_000

_READS_BOTH = """\
from pathlib import Path

import inflection

HERE = Path(__file__).parent


def pairs(path):
    return [line.split() for line in path.read_text().splitlines()]


def test_the_submodule_is_filled():
    assert ["person", "people"] in pairs(HERE / "words" / "irregular.txt")


def test_the_large_file_is_whole():
    assert ["box", "boxes"] in pairs(HERE / "corpus.txt")


def test_both_say_what_the_code_says():
    both = pairs(HERE / "words" / "irregular.txt") + pairs(HERE / "corpus.txt")
    assert [inflection.pluralize(one) for one, _ in both] == [many for _, many in both]
"""


def settings(package: Package, place: Place) -> Iterator[tuple[str, str, Value]]:
    """What is set in tidegate.toml: section, key, value."""
    yield "run", "width", WIDTH
    yield "check", "command", check_command(package, place)
    yield "check", "timeout_s", 120
    yield "roles.build", "command", f"exec {_script(f'{package.name}.sh', place.meetings)}"
    yield "roles.build", "timeout_s", 120
    yield "disk", "floor_bytes", DISK_FLOOR_BYTES
    if package.has_adjudicator:
        yield "roles.adjudicate", "agent", "shell"
        yield "roles.adjudicate", "command", _script("adjudicator.sh")


def check_command(package: Package, place: Place) -> str:
    """The package's own tests, behind something flaky where the package says so."""
    if not package.is_flaky:
        return package.tests
    return f"{_script('flaky.sh', place.folder / 'counter')} {shlex.quote(package.tests)}"


def _script(name: str, *arguments: Path) -> str:
    return shlex.join(("sh", str(AGENTS / name), *map(str, arguments)))


def set_up(place: Place, package: Package, archive: Path) -> None:
    """Everything up to the first run, and a word of `doctor` that it can be begun."""
    make_repository(place, package, archive)
    if package.is_flaky:
        (place.folder / "counter").write_text("0\n", encoding="utf-8")
    if package.has_parts:
        _add_parts(place)
    must(place.tidegate("init"))
    path = place.repository / "tidegate.toml"
    text = path.read_text(encoding="utf-8")
    for section, key, value in settings(package, place):
        text = with_key(text, section, key, value)
    path.write_text(text, encoding="utf-8")
    for wanted in package.wanted:
        footprint = (word for each in wanted.footprint for word in ("--footprint", each))
        must(place.tidegate("add", wanted.title, "--text", wanted.text, *footprint))
    commit_all(place, "Set up Tidegate, and say what is wanted")
    must(place.tidegate("doctor"))


def _add_parts(place: Place) -> None:
    """A submodule and a large file, as a person adds them: the filter is set for their account."""
    filtered = _script("large.sh")
    for key, value in (
        ("user.name", "A person"),
        ("user.email", "person@example.invalid"),
        ("protocol.file.allow", "always"),
        ("filter.lfs.clean", f"{filtered} clean"),
        ("filter.lfs.smudge", f"{filtered} smudge"),
        ("filter.lfs.required", "true"),
    ):
        place.git("config", "--global", key, value)
    words = place.folder / "words"
    place.git("init", "--quiet", "--initial-branch", "main", str(words))
    (words / "irregular.txt").write_text("person people\nman men\n", encoding="utf-8")
    place.git("add", "--all", cwd=words)
    place.git("commit", "--quiet", "--message", "The first words", cwd=words)
    place.git("clone", "--quiet", "--bare", str(words), str(place.folder / "words.git"))
    place.git("submodule", "--quiet", "add", str(place.folder / "words.git"), "words")
    for name, text in (
        (".gitattributes", "corpus.txt filter=lfs\n"),
        ("corpus.txt", "box boxes\ncat cats\n"),
        ("test_parts.py", _READS_BOTH),
    ):
        (place.repository / name).write_text(text, encoding="utf-8")
    commit_all(place, "Add the words, the corpus, and a test of both")


def must(told: Told) -> None:
    """The command ended well. Raises Trouble."""
    if told.code:
        raise Trouble(f"{told.command} ended with code {told.code}:\n{told.said}")
