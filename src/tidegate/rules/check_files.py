"""The files that say how a change is checked: of test runners, of coverage, of CI, of the check.

Of a file that is about other things too, only the parts count that a test or coverage tool reads. A
file that cannot be read as what it should be counts as a whole.
"""

import re
from collections.abc import Iterator

from tidegate.rules import build_lines
from tidegate.rules.sections import changed_in

_CI = re.compile(
    r"""
    \.(?:github/(?:workflows|actions)|circleci|buildkite|ci|semaphore|woodpecker|teamcity)/.+
    | \.(?:tekton|builds|buddy|azure-?pipelines|azuredevops|ado|harness|appveyor|gitlab-ci)/.+
    | \.?(?:zuul\.d|azure-pipelines|bamboo-specs|concourse)/.+
    | \.(?:forgejo|gitea)/(?:workflows|actions)/.+ | \.?gitlab/ci/.+
    | \.(?:gitlab-ci|travis|drone|cirrus|woodpecker|appveyor|pre-commit-config|zuul|build|prow
        |mergify|evergreen|packit|onedev-buildspec|vsts-ci)(?:[.-]\w+)*\.(?:ya?ml|star|jsonnet)
    | (?:appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec|bitrise|codemagic
        |circle|zuul|buddy|codefresh|wercker|shippable|screwdriver)(?:-\w+)*\.(?:ya?ml|json)
    | codeship-(?:steps|services)\.yml | bors\.toml | \.space\.kts | \.?lefthook\.(?:ya?ml|toml)
    | \.gitlab/.*ci.*\.ya?ml | \.husky/.+
    | (?:.*/)?(?:[\w-]+\.)?Jenkinsfile(?:\.\w+)?
    """,
    re.VERBOSE,
)
_RUNNER = re.compile(
    r"""(?:
    \.?pytest\.(?:ini|toml) | tox\.(?:ini|toml) | \.?nose2?\.cfg | \.noserc | unittest\.cfg
    | behave\.ini | \.coveragerc(?:\.toml)? | \.?codecov\.ya?ml | \.coveralls\.yml | \.simplecov
    | \.?(?:jest|vitest|karma|cypress|playwright|wdio|ava|mocha|nightwatch|jasmine)
      (?:[.-](?:config|conf|setup|workspace|unit|e2e|int|ci))+\.[cm]?[jt]s(?:on|x)?
    | \.mocharc(?:\.\w+)? | \.nycrc(?:\.\w+)? | \.c8rc(?:\.\w+)? | \.taprc | setupTests\.[jt]sx?
    | (?:cypress|testem)\.json | jest\.preset\.[cm]?js | \.testcaferc\.\w+
    | (?:protractor|codecept|testem|stryker|wtr|web-test-runner|playwright-ct|nyc|jest-\w+)
      \.(?:conf|config)\.[cm]?[jt]s(?:on)? | \.?cucumber\.(?:[cm]?js|json|ya?ml)
    | (?:jest|vitest|karma|mocha|cypress)
      [.-](?:config|global-setup|globalSetup|setup|environment)(?:[.-]\w+)*\.[cm]?[jt]s(?:on|x)?
    | (?:test-?[sS]etup|setup-?(?:[tT]ests?|[jJ]est|[vV]itest))\.[cm]?[jt]sx?
    | bunfig\.toml | \.runsettings | .+\.runsettings | (?:.*\.)?xunit\.runner\.json | \.stestr\.conf
    | kotest\.properties | \.?lcovrc | \.?gcovr(?:\.cfg|\.toml)? | Pest\.php | \.gitattributes
    | \.npmrc | phpunit(?:\.dist)?\.xml(?:\.dist)? | \.rspec(?:-local)? | nextest\.toml
    | junit-platform\.properties | testng\.xml | CTestCustom\.cmake | \.?tarpaulin\.toml
    )""",
    re.VERBOSE,
)
_CARGO = re.compile(r"(?:.*/)?\.cargo/config(?:\.toml)?")
_IMPOSTOR = re.compile(
    r"(?:(?:src|lib|python|tests?)/)?"
    r"(?:sitecustomize|usercustomize|_?pytest|pluggy|unittest|coverage|pytest_(?:cov|asyncio|mock"
    r"|xdist|django|timeout)|nose|nose2|hypothesis|xdist|iniconfig|mypy|ruff|tox|nox)"
    r"(?:\.(?:py|pyc|so|pyd)|/(?:.*\.(?:py|pyc|so|pyd)))"
    r"|(?:.*/)?(?:[^/]+\.pth|__pycache__/[^/]+\.pyc)"
)
_SHARED = re.compile(r"(?:.*/)?conftest\.py")


def is_conftest(path: str) -> bool:
    """Whether pytest reads a file for all tests below its folder."""
    return _SHARED.fullmatch(path) is not None


def concerns(path: str) -> bool:
    """Whether a file, or a part of it, may say how a change is checked."""
    name = path.rpartition("/")[2]
    by_lines = build_lines.concerns(name)
    return _as_a_whole(path, name) or by_lines or changed_in(path) is not None


def reads_text(path: str) -> bool:
    """Whether the text of such a file matters, and not only that it changed."""
    return concerns(path) and not _as_a_whole(path, path.rpartition("/")[2])


def changes(path: str, old: str | None, new: str | None) -> Iterator[str]:
    """Say what became of the configuration of the check."""
    name = path.rpartition("/")[2]
    if _as_a_whole(path, name):
        yield _whole(path, old, new)
        return
    if (sections := changed_in(path)) is not None:
        changed = sorted(sections(old or "", new or ""))
        if changed:
            yield f"{', '.join(changed)}: what tests are run by has changed"
    yield from build_lines.changes(name, old or "", new or "")


def _as_a_whole(path: str, name: str) -> bool:
    patterns = (_CI, _CARGO, _IMPOSTOR)
    return _RUNNER.fullmatch(name) is not None or any(each.fullmatch(path) for each in patterns)


def _whole(path: str, old: str | None, new: str | None) -> str:
    happened = "is new" if old is None else "is gone" if new is None else "has changed"
    if _CI.fullmatch(path):
        return f"a file of CI {happened}"
    if _IMPOSTOR.fullmatch(path) and old is None:
        return "a new file that Python loads before or instead of what runs the tests"
    return f"the configuration of a test or coverage tool {happened}"
