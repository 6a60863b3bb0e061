"""What may be added to a test that is told by its lines, and what a file may define beside it.

Assertions may be added, locals under new names, and rows beside rows. What goes on over several
lines ends where its brackets do. Nothing of what was there may come to lie within.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidegate.rules.line_patterns import CLOSING, Patterns
from tidegate.rules.line_texts import unquoted

_ROW = re.compile(r"(?:(?:\"[^\"]*\"|'[^']*'|\w+):\s*)?[\[{(].*[\]})],")
_LEAVING = re.compile(
    r"(?:;|&&|\|\||\band\b|\bor\b|\))\s*(?:if\b.*|unless\b.*)?"
    r"\b(?:return|next|break|continue|throw|raise|goto)\b"
    r"|\b(?:exit!?|abort|halt|[Ee]xitProcess|Exit|Goexit|eval|recover|catch_unwind)\s*[(!]"
    r"|\.mock\w*\(|\bspyOn\b|\bstub\w*\b|\bunstub\b|\bmock\("
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_FREE = re.compile(r"(?<![\w$.:@])([A-Za-z_$][\w$]*[!?]?)(?!\s*:(?!:))")
_ASSIGNED = re.compile(r"([A-Za-z_$][\w$]*)\s*=(?![=>~])")
_TYPES = re.compile(r"<[^<>]*>|:(?!=)[^=]*(?==)")
_KEYWORDS = frozenset({"const", "let", "var", "val", "mut", "final", "auto"})
_DEFINES = re.compile(
    r"(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|async|final"
    r"|override|open|inline|abstract|suspend)\s+)*"
    r"(?:(?:function\b\*?|const|let|var|val|def|fn|fun|func|class|module|object|macro_rules!|void"
    r"|boolean|int|long|double|String)\s+|let!?\(:|subject\(:)\s*"
    r"(?:self\.)?(\{[^}]*\}|\[[^\]]*\]|[A-Za-z_$][\w$]*[!?]?)"
)


def only_adds(old: Sequence[str], new: Sequence[str], patterns: Patterns) -> bool:
    """Whether all lines of `old` stand in `new`, and what stands between takes nothing away."""
    waiting, known = deque(old), frozenset(_IDENTIFIER.findall(" ".join(map(unquoted, old))))
    depth, is_branch, before = 0, False, ""
    for line in new:
        if not depth and waiting and waiting[0] == line:
            before = waiting.popleft()
        elif depth:
            if _LEAVING.search(bare := unquoted(line)) or (
                is_branch and not (patterns.fails.match(line) or CLOSING.fullmatch(line))
            ):
                return False
            depth = max(0, depth + _balance(bare))
        elif _is_row(line, before, waiting[0] if waiting else "", known) or _is_harmless(
            line, known, patterns
        ):
            is_branch = patterns.branch.match(line) is not None
            depth = max(0, _balance(unquoted(line)))
        else:
            return False
    return not waiting and not depth


def _balance(line: str) -> int:
    return sum(line.count(each) for each in "([{") - sum(line.count(each) for each in ")]}")


def _is_row(line: str, before: str, after: str, known: frozenset[str]) -> bool:
    """Whether a line is a row of a table that has others; it may assign nothing."""
    if not _ROW.fullmatch(line) or not (_ROW.fullmatch(before) or _ROW.fullmatch(after)):
        return False
    bare = unquoted(line)
    return not _LEAVING.search(bare) and known.isdisjoint(_ASSIGNED.findall(bare))


def _is_harmless(line: str, known: frozenset[str], patterns: Patterns) -> bool:
    if CLOSING.fullmatch(line):
        return True
    bare = unquoted(line)
    if _LEAVING.search(bare):
        return False
    if patterns.binds.match(line):
        return _is_fresh(bare, known)
    if not patterns.asserts.match(line) and not patterns.branch.match(line):
        return False
    return not any(name in known for name in _ASSIGNED.findall(bare))


def _is_fresh(bare: str, known: frozenset[str]) -> bool:
    """Whether what a line binds are names that the test did not know."""
    left = re.split(r":?=(?![=>])", _TYPES.sub("", bare), maxsplit=1)[0]
    names = [name for name in _IDENTIFIER.findall(left) if name not in _KEYWORDS]
    is_one = not set(left) & set("{[(,")
    return bool(names) and not set(names[-1:] if is_one else names) & known


def defined_anew(
    old_rest: Iterable[str], added: Iterable[str], tests: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Names that a file defines now and that its old tests used as something from elsewhere."""
    fresh = {name for line in added for name in _defined(line)}
    if not fresh:
        return
    lines = [line for lines in tests.values() for line in lines]
    own = {name for line in (*old_rest, *lines) for name in _defined(line)}
    yield from sorted(fresh & free(tests) - own)


def free(tests: Mapping[str, Sequence[str]]) -> set[str]:
    """The names that tests use which are no attributes of others."""
    lines = (unquoted(line) for lines in tests.values() for line in lines)
    used = {name for line in lines for name in _FREE.findall(line)}
    return used | {name.rstrip("!?") for name in used}


def _defined(line: str) -> list[str]:
    match = _DEFINES.match(line)
    return _IDENTIFIER.findall(match[1]) if match else []
