"""Lock files: what a tool writes about dependencies, and nobody merges by hand."""

from collections.abc import Iterable

_TOOLS = {
    "Cargo.lock": "cargo",
    "Gemfile.lock": "bundle",
    "Manifest.toml": "Julia's Pkg",
    "Package.resolved": "swift package",
    "Pipfile.lock": "pipenv",
    "Podfile.lock": "pod",
    ".terraform.lock.hcl": "terraform",
    "buf.lock": "buf",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "composer.lock": "composer",
    "deno.lock": "deno",
    "flake.lock": "nix",
    "go.sum": "go mod tidy",
    "gradle.lockfile": "gradle",
    "mix.lock": "mix",
    "npm-shrinkwrap.json": "npm",
    "package-lock.json": "npm",
    "packages.lock.json": "dotnet",
    "pdm.lock": "pdm",
    "pixi.lock": "pixi",
    "pnpm-lock.yaml": "pnpm",
    "poetry.lock": "poetry",
    "pubspec.lock": "dart pub",
    "pylock.toml": "the tool that wrote it",
    "uv.lock": "uv",
    "yarn.lock": "yarn",
}
_ANY = (".lock", ".lockfile", ".lock.json", "-lock.json", "-lock.yaml")


def tool(path: str) -> str | None:
    """The tool that writes a lock file, in words; None for a file that is none."""
    name = path.rpartition("/")[2]
    if name in _TOOLS:
        return _TOOLS[name]
    return "the tool that wrote it" if name.endswith(_ANY) else None


def hints(paths: Iterable[str]) -> tuple[str, ...]:
    """For each lock file among paths that do not merge: what to do instead of merging it."""
    return tuple(
        f"{path} is a lock file: take the target's, merge what it is made from, and write it anew"
        f" with {writer}; never merge it by hand"
        for path in paths
        if (writer := tool(path)) is not None
    )
