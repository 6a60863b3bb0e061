"""How tests look, line by line, in the languages that are not read as syntax trees.

A line that matches `test` begins a test; its first group that matched is the name. `mark` is a line
that stands before it and belongs to it. `skip` takes a test out of the run or turns what it says
around; `focus` takes all others out. `asserts` may be added to a test without taking anything from
it, and `load` is what reaches further than its own file.
"""

import re

from tidegate.core.records import record
from tidegate.rules.places import Language

NOTHING = re.compile(r"(?!)")


@record(kw_only=False)
class Patterns:
    """The patterns of one language. `marked` says which marks make the next function a test."""

    test: re.Pattern[str]
    mark: re.Pattern[str] = NOTHING
    marked: re.Pattern[str] | None = None
    skip: re.Pattern[str] = NOTHING
    focus: re.Pattern[str] = NOTHING
    asserts: re.Pattern[str] = NOTHING
    binds: re.Pattern[str] = NOTHING
    """What gives a value a name within a test."""
    branch: re.Pattern[str] = NOTHING
    """What begins a block that may hold nothing but what `fails` matches."""
    fails: re.Pattern[str] = NOTHING
    load: re.Pattern[str] = NOTHING
    replace: re.Pattern[str] = NOTHING
    """What replaces things for all tests of its file."""
    spy: re.Pattern[str] = NOTHING
    """What replaces them until `restore`."""
    restore: re.Pattern[str] = NOTHING
    ticks: bool = False
    """Whether a text between backticks may go over several lines."""
    heredocs: bool = False
    hook: re.Pattern[str] = NOTHING
    """What runs before or after each test of a group."""
    region: re.Pattern[str] = NOTHING
    """A mark before a module that holds tests among other code."""
    block: re.Pattern[str] = re.compile(r"\s*/\*")
    """How a comment of several lines begins; `block_end` ends it."""
    block_end: re.Pattern[str] = re.compile(r"\*/")


CLOSING = re.compile(r"[)}\]][\s)}\];,]*|end\b.*")
"""A line that only closes blocks, in any of the languages."""
_QUOTED = r"""(?:'([^']*)'|"([^"]*)"|`([^`]*)`)"""

PATTERNS: dict[Language, Patterns] = {
    Language.PYTHON: Patterns(
        test=re.compile(r"\s*(?:async\s+)?def\s+(test\w*)"),
        mark=re.compile(r"\s*(?:@(?!interface)[\w.:]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*)+"),
        skip=re.compile(r"\bskip|\bSkipTest|\bxfail|expectedFailure|__test__|importorskip"),
        asserts=re.compile(r"\s*(?:assert\b|self\.assert\w+\()"),
        load=re.compile(r"collect_ignore|pytest_|_exit\("),
        block=NOTHING,
    ),
    Language.SCRIPT: Patterns(
        test=re.compile(
            rf"\s*(?:it|test|specify|Deno\.test)(?:\.(?:each|concurrent|for)\b.*?)?\(\s*{_QUOTED}"
            rf"|\s*[\]}}`].*?\)\(\s*{_QUOTED}\s*,"  # after the rows of an `each`
        ),
        skip=re.compile(
            r"\b(?:xit|xtest|xdescribe|xcontext)\b"
            r"|\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.(?:skip\w*|todo|fails?|failing|fixme)\b"
            r"|\bthis\.skip\(|\bt\.(?:skip|todo)\(|\bskip\s*:\s*true|\bpending\("
        ),
        focus=re.compile(
            r"\b(?:it|test|describe|suite|context)(?:\.\w+)*\.only\b|\b(?:fit|fdescribe|ftest)\s*\("
        ),
        asserts=re.compile(
            r"\s*(?:await\s+)?(?:expect|assert|should|t\.(?:is|true|ok|equal|deepEqual))\b"
        ),
        binds=re.compile(r"\s*(?:const|let|var)\s"),
        load=re.compile(r"\bprocess\.exit\(|expect\.extend\(|\bglobalThis\b(?=.*\bexpect\b)"),
        replace=re.compile(
            r"\b(?:jest|vi)\.(?:mock|setMock|unstable_mockModule|stubGlobal|retryTimes)\("
            r"|\bmock\.module\(|\bObject\.(?:assign|defineProperty)\("
        ),
        spy=re.compile(
            r"\b(?:jest|vi)\.(?:doMock\(|spyOn\((?!\s*(?:console|Math|Date|window|document|process"
            r"|global\w*)\b))"
        ),
        restore=re.compile(r"\bmockRestore\(|\brestoreAllMocks\(|\brestoreMocks\b|\bdontMock\("),
        ticks=True,
        hook=re.compile(r"^\s*(?:before|after)(?:Each|All)?\s*\("),
    ),
    Language.GO: Patterns(
        test=re.compile(r"func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\("),
        skip=re.compile(r"\b[tbf]\.Skip(?:Now|f)?\(|^//go:build|^// \+build"),
        asserts=re.compile(r"\s*(?:assert|require)\.\w+\("),
        binds=re.compile(r"\s*(?:var\s|[\w, ]+:=)"),
        branch=re.compile(r"\s*if\b.*\{$"),
        fails=re.compile(r"\s*[tbf]\.(?:Error|Fatal|Log)f?\("),
        ticks=True,
        load=re.compile(r"\b(?:os|syscall)\.Exit\(|\bflag\.Set\(|func\s+(?:TestMain|init)\s*\("),
    ),
    Language.RUST: Patterns(
        test=re.compile(r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(\w+)"),
        mark=re.compile(r"\s*(?:#!?\[[^\]]*(?:\[[^\]]*\][^\]]*)*\]\s*)+"),
        marked=re.compile(r"#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|bench)\b"),
        skip=re.compile(r"#!?\[\s*(?:ignore|should_panic|cfg_attr|cfg(?!\(test\)))\b"),
        asserts=re.compile(r"\s*(?:debug_)?assert(?:_\w+)?!"),
        binds=re.compile(r"\s*let\s"),
        load=re.compile(r"\bprocess::(?:exit|abort)\("),
        region=re.compile(r"#\[cfg\((?:all\()?test\b"),
    ),
    Language.JVM: Patterns(
        test=re.compile(
            r"\s*(?:[\w<>\[\],@.]+\s+)*?(?:(?:void|fun|def)\s+(?:(\w+)|`([^`]+)`)|(?:[\w<>\[\].]+\s+)(\w+))\s*\("
        ),
        mark=re.compile(r"\s*(?:@(?!interface)[\w.:]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*)+"),
        marked=re.compile(
            r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b"
        ),
        skip=re.compile(
            r"@(?:\w+\.)*(?:Disabled\w*|Ignore|EnabledIf\w*|EnabledOn\w*)\b|\bassum(?:e|ing)\w*\(|expected\s*="
        ),
        asserts=re.compile(r"\s*(?:\w+\.)?(?:assert\w*|verify|expect\w*|should\w*)\s*\("),
        binds=re.compile(r"\s*(?:final\s+)?(?:va[lr]|[A-Za-z][\w.<>\[\], ]*)\s+\w+\s*(?::[^=]+)?="),
        hook=re.compile(r"@(?:\w+\.)*(?:Before|After)(?:Each|All|Class|Test)?\b"),
        load=re.compile(r"\bSystem\.exit\(|\bexitProcess\(|\bhalt\("),
    ),
    Language.RUBY: Patterns(
        test=re.compile(
            rf"\s*(?:def\s+(test_\w+)|(?:it|test|specify|scenario|example)\s*\(?\s*{_QUOTED})"
        ),
        skip=re.compile(
            r"^\s*(?:xit|xdescribe|xcontext|xspecify|xscenario|skip|pending)\b|\b(?:skip|pending)\s*[:=(]|:(?:skip|pending)\b"
        ),
        focus=re.compile(r"^\s*(?:fit|fdescribe|fcontext|fspecify)\b|\bfocus:\s*true|:focus\b"),
        asserts=re.compile(r"\s*(?:assert\w*|refute\w*|expect|must_\w+)\b"),
        binds=re.compile(r"\s*[a-z_]\w*(?:,\s*[a-z_]\w*)*\s*=(?![=~])"),
        load=re.compile(
            r"^\s*(?:exit!?|abort|undef)\b|\bKernel\.exit|\b(?:remove|undef)_method\b"
            r"|\bdef\s+(?:self\.)?(?:runnable_methods|run|run_one_method)\b|\bRSpec\.configure\b"
            r"|\bprivate\s*\(?:test_"
        ),
        replace=re.compile(r"\bdefine_singleton_method\b|\.(?:stub|any_instance)\b(?!.*\bdo\b)"),
        heredocs=True,
        hook=re.compile(
            r"^\s*(?:def\s+(?:setup|teardown)|(?:before|after|around|setup|let!)(?:\(.*)?.*(?:\bdo\b|\{))"
        ),
        block=re.compile(r"=begin\b"),
        block_end=re.compile(r"^=end\b"),
    ),
    Language.OTHER: Patterns(
        test=re.compile(r"@test\s+\"([^\"]*)\""),
        skip=re.compile(
            r"(?i)\bskip\w*\b|\bDISABLED_|\[Ignore|markTest(?:Skipped|Incomplete)|@Ignore|@tag\s+:skip"
        ),
        asserts=re.compile(r"\s*(?:[\w$>.:-]*(?:[Aa]ssert|EXPECT|ASSERT|expect)\w*)"),
        load=re.compile(r"\bexit\s*\("),
    ),
}
