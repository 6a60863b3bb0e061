"""Build files that are about many things, told by their lines: what they say about tests.

A block that is about tests counts as a whole, with all that it holds. Dependencies count nowhere,
and a list of the parts of a project may grow.
"""

import re
from collections.abc import Callable, Iterator

_TESTS = r"(?:(?<![A-Za-z])[tT]est(?:s|ing)?(?![a-z])|[a-z]Tests?(?![a-z])|TEST)"
_COVERAGE = r"(?:(?<![A-Za-z])[cC]over(?:age)?(?![a-z])|[a-z]Coverage|jacoco|kover|pitest)"
_GRADLE = re.compile(
    rf".*(?:{_TESTS}|{_COVERAGE}|[iI]gnoreFailures|[fF]ailOnViolation|\benabled\s*=)"
)
_DEPENDENCY = re.compile(
    r"\s*(?:\w*(?:[iI]mplementation|[cC]ompile\w*|[rR]untime\w*|[aA]nnotationProcessor|[kK]apt\w*"
    r"|[kK]sp\w*)|api|classpath|platform|libraryDependencies)\b"
)
_VITE = re.compile(rf".*(?:{_TESTS}|{_COVERAGE})\w*['\"]?\s*[:=(]")
_CMAKE = re.compile(r"(?i).*(?:_tests?\b|ctest|test_|enable_testing|\bTEST\b|WILL_FAIL|DISABLED)")
_CMAKE_MORE = re.compile(
    r"(?i)\s*(?:add_test|add_executable|target_\w+|gtest_discover_tests|catch_discover_tests"
    r"|gtest_add_tests|enable_testing|include)\s*\("
)
_MAVEN_PLUGIN = re.compile(r"surefire|failsafe|jacoco|pitest|testng|cobertura")
_MAVEN = re.compile(
    r"<(?:skip\w*|maven\.test[\w.]*|argLine|groups|excludedGroups|test\w*(?:Directory|Ignore)"
    r"|(?:surefire|failsafe|jacoco)[\w.]*)>"
)
_PARTS = (
    (re.compile(r"settings\.gradle(?:\.kts)?"), re.compile(r"""['"](:[\w:.-]+)['"]""")),
    (re.compile(r"pom\.xml"), re.compile(r"<module>\s*([^<\s]+)")),
    (re.compile(r"go\.work"), re.compile(r"(?m)^\s*(?:use\s+)?(\.{1,2}(?:/\S*)?)\s*$")),
)
"""What names the parts of a project whose tests are run."""
LINE_CHARACTERS_MAX = 400


def changes(name: str, old: str, new: str) -> Iterator[str]:
    """Say what became of what a build file says about tests."""
    for pattern, part in _PARTS:
        if pattern.fullmatch(name) and set(part.findall(old)) - set(part.findall(new)):
            yield "a part of the project is listed no more, and its tests are not run"
    for pattern, said in _SAID:
        if not pattern.fullmatch(name) or (before := said(old)) == (after := said(new)):
            continue
        if name != "CMakeLists.txt" or not _has_more(before, after):
            yield "lines about tests or coverage have changed"


def concerns(name: str) -> bool:
    """Whether a file of this name is a build file."""
    return any(pattern.fullmatch(name) for pattern, _ in (*_PARTS, *_SAID))


def _has_more(old: list[str], new: list[str]) -> bool:
    """Whether only lines came that make or name a further test."""
    rest = iter(new)
    if not all(line in rest for line in old):
        return False
    return all(_CMAKE_MORE.match(line) for line in new if line not in old)


def _blocks(pattern: re.Pattern[str]) -> Callable[[str], list[str]]:
    """The lines that match, each with all of the block that it opens; no dependencies."""

    def said(text: str) -> list[str]:
        found: list[str] = []
        depth = 0
        for line in text.splitlines():
            bare = line.strip()[:LINE_CHARACTERS_MAX]
            if not depth and (_DEPENDENCY.match(bare) or not pattern.match(bare)):
                continue
            depth = max(0, depth + bare.count("{") - bare.count("}"))
            found.append(bare)
        return found

    return said


def _of_maven(text: str) -> list[str]:
    parts = (each.partition("</plugin>")[0] for each in text.split("<plugin>")[1:])
    plugins = (each for each in parts if _MAVEN_PLUGIN.search(each))
    lines = (line.strip() for line in text.splitlines() if _MAVEN.search(line))
    return [*(" ".join(each.split()) for each in plugins), *lines]


def _matching(pattern: re.Pattern[str]) -> Callable[[str], list[str]]:
    def said(text: str) -> list[str]:
        lines = (line.strip()[:LINE_CHARACTERS_MAX] for line in text.splitlines())
        return [line for line in lines if pattern.match(line)]

    return said


_SAID: tuple[tuple[re.Pattern[str], Callable[[str], list[str]]], ...] = (
    (
        re.compile(r"setup\.py"),
        _matching(re.compile(r".*(?:pytest11|test_suite|test_loader|cmdclass)")),
    ),
    (re.compile(r".*\.gradle(?:\.kts)?|build\.(?:sbt|xml)|gradle\.properties"), _blocks(_GRADLE)),
    (re.compile(r"pom\.xml"), _of_maven),
    (re.compile(r"vite\.config\.[cm]?[jt]s"), _blocks(_VITE)),
    (re.compile(r"CMakeLists\.txt"), _matching(_CMAKE)),
)
