"""What may stand before the program of a command, and which of its options take the next word.

Of an option that is not named here it is taken that it stands alone: then its value is looked at as
if it were the program, and what comes behind it is missed.
"""

PREFIXES = frozenset({
    "!", "builtin", "bundle", "busybox", "caffeinate", "chronic", "command", "coverage",
    "cross-env", "do", "doas", "elif", "else", "env", "eval", "exec", "hatch", "if", "ionice",
    "nice", "nohup", "npm", "npx", "parallel", "pdm", "pipenv", "pnpm", "poetry", "run", "rye",
    "setsid", "stdbuf", "sudo", "then", "time", "timeout", "trap", "unbuffer", "until", "uv",
    "uvx", "while", "xargs", "xvfb-run", "yarn", "{",
})  # fmt: skip
MODULES = frozenset({"coverage", "hatch", "pdm", "pipenv", "poetry", "uv"})
"""Those that Python runs as modules too: `python -m coverage run …`."""
_OF_PACKAGES = frozenset({
    "-C", "-F", "-w", "--cwd", "--dir", "--filter", "--prefix", "--workspace",
})  # fmt: skip
_OF_UV = frozenset({
    "-p", "-w", "--directory", "--env-file", "--extra", "--group", "--index", "--only-group",
    "--package", "--project", "--python", "--with", "--with-editable", "--with-requirements",
})  # fmt: skip
VALUED = {
    "coverage": frozenset({
        "--concurrency", "--context", "--data-file", "--include", "--omit", "--rcfile", "--source",
    }),
    "doas": frozenset({"-C", "-u"}),
    "env": frozenset({"-C", "-S", "-u", "--chdir", "--split-string", "--unset"}),
    "exec": frozenset({"-a"}),
    "ionice": frozenset({"-c", "-n", "--class", "--classdata"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "npm": _OF_PACKAGES,
    "npx": frozenset({"-p", "-w", "--package", "--workspace"}),
    "pdm": frozenset({"-p", "--project"}),
    "pnpm": _OF_PACKAGES,
    "poetry": frozenset({"-C", "-P", "--directory", "--project"}),
    "stdbuf": frozenset({"-e", "-i", "-o", "--error", "--input", "--output"}),
    "sudo": frozenset({
        "-C", "-D", "-R", "-T", "-U", "-g", "-h", "-p", "-r", "-t", "-u", "--chdir", "--user",
    }),
    "time": frozenset({"-f", "-o", "--format", "--output"}),
    "timeout": frozenset({"-k", "-s", "--kill-after", "--signal"}),
    "uv": _OF_UV,
    "uvx": _OF_UV | {"--from"},
    "xargs": frozenset({"-E", "-I", "-L", "-P", "-a", "-d", "-n", "-s"}),
    "xvfb-run": frozenset({"-e", "-f", "-n", "-p", "-s"}),
    "yarn": _OF_PACKAGES,
}  # fmt: skip
"""By the prefix: its options whose value is the next word."""
