"""The packages of the acceptance, their agents, and the independence of all of it."""

import ast
import re
from pathlib import Path

import pytest

import acceptance
from acceptance import __main__ as program
from acceptance.__main__ import Proof, worst
from acceptance.outset import AGENTS
from acceptance.package import NotDownloaded
from acceptance.packages import PACKAGES
from acceptance.wanted import FAILS_MAX, WIDTH, End, Package

FOLDER = Path(acceptance.__file__).parent


def _name(package: Package) -> str:
    return package.name


@pytest.fixture(params=PACKAGES, ids=_name)
def package(request: pytest.FixtureRequest) -> Package:
    """Each package in turn."""
    assert isinstance(request.param, Package)
    return request.param


def test_there_are_three_packages_of_ten_issues_each() -> None:
    """Pinned by version and digest, each under a name of its own."""
    assert len({package.name for package in PACKAGES}) == len(PACKAGES) >= 3
    assert all(len(package.wanted) >= 10 for package in PACKAGES)
    assert all(re.fullmatch(r"[0-9a-f]{64}", package.sha256) for package in PACKAGES)


def test_the_issues_are_numbered_as_add_numbers_them(package: Package) -> None:
    """`tidegate add` gives the next free number, from 001 on."""
    ids = [wanted.id for wanted in package.wanted]
    assert ids == [f"{number:03}" for number in range(1, len(ids) + 1)]


def test_the_agent_knows_every_issue_that_is_built(package: Package) -> None:
    """Each has an arm of its own in the package's script, and a refused one has none."""
    script = (AGENTS / f"{package.name}.sh").read_text(encoding="utf-8")
    for wanted in package.wanted:
        assert (f"\n{wanted.id})" in script) is (wanted.end is not End.REFUSED)


def test_an_issue_has_a_proof_if_it_lands(package: Package) -> None:
    """And one that is stopped has deserved all the FAILs that there are."""
    for wanted in package.wanted:
        assert bool(wanted.proof) is (wanted.end is End.LANDED)
        assert (wanted.fails == FAILS_MAX) is (wanted.end is End.STOPPED)


def test_rivals_start_together_and_reserve_nothing(package: Package) -> None:
    """They are among the first issues, as many as there are lanes: both start from the base."""
    first = {wanted.id: wanted for wanted in package.wanted[:WIDTH]}
    assert package.rivals <= first.keys()
    assert all(first[rival].footprint == () for rival in package.rivals)


def test_all_that_can_happen_to_a_run_happens_to_some() -> None:
    """Each of the troubles that the claims speak of is in one package at least."""
    for trouble in (
        "rivals",
        "has_adjudicator",
        "is_flaky",
        "has_parts",
        "builder_killed",
        "controller_killed",
    ):
        assert any(getattr(package, trouble) for package in PACKAGES), trouble
    for end in End:
        assert any(package.ending(end) for package in PACKAGES), end


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.name)
def test_the_acceptance_imports_nothing_of_tidegate(path: Path) -> None:
    """A witness that used the code it judges would share its mistakes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                assert all(not name.name.startswith("tidegate") for name in names)
            case ast.ImportFrom(module=str() as module):
                assert not module.startswith("tidegate")
            case _:
                pass


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ([Proof.HOLDS, Proof.HOLDS], 0),
        ([Proof.HOLDS, Proof.NOT_PROVED], 3),
        ([Proof.NOT_PROVED, Proof.WRONG, Proof.HOLDS], 1),
    ],
)
def test_what_is_wrong_outweighs_what_is_not_proved(found: list[Proof], code: int) -> None:
    """And what is not proved outweighs what holds."""
    assert worst(found) == code


def test_an_unknown_package_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    """It exits with 2 and says which there are; nothing is run."""
    assert program.main(["toolz", "no-such-package"]) == 2
    assert "no-such-package" in (said := capsys.readouterr().out)
    assert all(package.name in said for package in PACKAGES)


def test_a_package_that_cannot_be_had_is_not_proved(capsys: pytest.CaptureFixture[str]) -> None:
    """The others are tried all the same; the end names each, and the whole exits with 3."""
    asked = []

    def get(package: Package, _: Path) -> Path:
        asked.append(package)
        raise NotDownloaded("no way there")

    assert program.main([], get) == 3
    assert asked == list(PACKAGES)
    ends = capsys.readouterr().out.splitlines()[-len(PACKAGES) - 1 : -1]
    for package, line in zip(PACKAGES, ends, strict=True):
        assert line == (
            f"NOT PROVED: {package.name} {package.version} could not be downloaded: no way there"
        )
