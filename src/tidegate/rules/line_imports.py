"""What a file imports, told by its lines: each name with where it comes from."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

_IMPORT = re.compile(
    r"(?:import|use|from|require\w*|export \* from)\b.*|(?:const|let|var)\b.*\brequire\(.*"
    r"""|(?:[\w.]+\s+)?"[\w./-]+\""""
)
"""The last one is a line of Go's, within the parentheses of an import."""
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`""")
_NAME = re.compile(r"[A-Za-z_$][\w$]*|\*")
_WORDS = frozenset(
    {"as", "const", "export", "from", "import", "let", "require", "type", "use", "var"}
)


def parted(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Part the imports from the other lines; one that goes over several lines becomes one."""
    imports: list[str] = []
    others: list[str] = []
    is_open = False
    for line in lines:
        if is_open:
            imports[-1] += f" {line}"
        elif _IMPORT.fullmatch(line):
            imports.append(line)
        else:
            others.append(line)
            continue
        is_open = imports[-1].count("{") > imports[-1].count("}")
    return imports, others


def origins(imports: Iterable[str]) -> dict[str, str]:
    """Map each name that is imported to where it comes from."""
    return {name: origin for line in imports for origin, name in _of_line(line)}


def _of_line(line: str) -> Iterator[tuple[str, str]]:
    if quoted := _QUOTED.findall(line):
        origin, rest = quoted[-1], _QUOTED.sub(" ", line)
    elif line.startswith("from "):
        origin, _, rest = line.partition(" import ")
    elif "{" in line:
        origin, _, rest = line.partition("{")
    else:
        origin = line.rstrip("; ")
        rest = (_NAME.findall(origin) or [""])[-1]
    names = [name for name in _NAME.findall(rest) if name not in _WORDS]
    for name in names or [origin.strip("'\"`").rpartition("/")[2]]:
        yield origin, name


def changed(old: Mapping[str, str], new: Mapping[str, str], rest: Iterable[str]) -> Iterator[str]:
    """The names that come from elsewhere now, or from nowhere while something still uses them."""
    lost = [name for name, origin in old.items() if new.get(name) != origin]
    used = {name for line in rest for name in _NAME.findall(line)} if lost else set()
    yield from (name for name in lost if name in new or name in used)


_NEAR = re.compile(r".*['\"`]\.{0,2}/.*|use\s+(?:crate|super|self)\b.*")
_OF_JVM = re.compile(r"import\s+(?:static\s+)?[\w.]+;?")


def taken(old: Mapping[str, str], new: Mapping[str, str], used: Collection[str]) -> Iterator[str]:
    """The names that old tests had without an import, and that come out of a near file now."""
    for name, origin in new.items():
        is_own = _NEAR.fullmatch(origin) or _OF_JVM.fullmatch(origin)
        if name not in old and name in used and is_own:
            yield name
