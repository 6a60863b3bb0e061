"""The text of the units with which systemd keeps the run of a repository going. Pure."""

from collections.abc import Mapping, Sequence

from tidegate.core.errors import Refused

UNIT = """\
# Written by `tidegate service`; `tidegate service --uninstall` takes it away.
[Unit]
Description=Tidegate in {description}
# A controller that dies at once, time and again, is left alone after a while.
StartLimitIntervalSec=1h
StartLimitBurst=10

[Service]
Type=exec
WorkingDirectory={root}
Environment={path}
{passed}EnvironmentFile=-{variables}
ExecStart={command}
# Agents live in runners of their own, which outlive the controller and are found again: only the
# controller is signalled. A hang-up has it leave at once; to let all come to its end first, say
# `tidegate drain --wait`.
KillMode=process
KillSignal=SIGHUP
TimeoutStopSec=30
# An agent that the kernel ends for want of memory is a matter of its lane, and of nothing else.
OOMPolicy=continue
# Over, or it needs you (1), or it was told to leave (130): all of that is no failure.
SuccessExitStatus=1 130
Restart=on-failure
RestartSec=30
# Wrong use, not ready, refused, damaged: the same start again would come to the same.
RestartPreventExitStatus=2 3 4 5
"""

TIMER = """\
# Written by `tidegate service`; `tidegate service --uninstall` takes it away.
[Unit]
Description=Look for issues in {description}

[Timer]
# Soon after a start, and a while after each end: where nothing is to be done a run ends at once.
OnActiveSec=5
OnUnitInactiveSec=15min
Unit={service}

[Install]
WantedBy=timers.target
"""


def service_unit(
    *, root: str, command: Sequence[str], search_path: str, passed: Sequence[str], variables: str
) -> str:
    """The service: one `tidegate run`. Raises Refused for what no unit can hold.

    `passed` are names of variables that it gets from the user's own systemd; no value of theirs is
    written down. `variables` is a file that may hold some.
    """
    names = f"PassEnvironment={' '.join(passed)}\n" if passed else ""
    return UNIT.format(
        description=_plain(root),
        root=_plain(root),
        path=quoted(f"PATH={search_path}"),
        passed=names,
        variables=_plain(variables),
        command=" ".join(quoted(word).replace("$", "$$") for word in command),
    )


def timer_unit(*, root: str, service: str) -> str:
    """What starts the service, again and again."""
    return TIMER.format(description=_plain(root), service=service)


def _plain(text: str) -> str:
    """A text that stands alone behind its `=`: blanks are kept, and % begins a specifier."""
    if any(character in text for character in "\n\r\0") or text != text.strip():
        raise Refused(f"no unit can hold {text!r}", hint="rename the folder")
    if text.endswith("\\"):
        raise Refused(f"no unit can hold {text!r}", hint="rename the folder")
    return text.replace("%", "%%")


_ESCAPES: Mapping[str, str] = {"\\": "\\\\", '"': '\\"', "%": "%%"}


def quoted(text: str) -> str:
    """One word of a command line, or one assignment."""
    if any(character in text for character in "\n\r\0"):
        raise Refused(f"no unit can hold {text!r}", hint="rename the folder")
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'
