"""What all tests stand on."""

import signal
from typing import Any

# Who runs them behind nohup or in the background leaves these ignored, for all that they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what part of a proof was done where it is not all of it, also where it passed."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, said in report.user_properties:
            if name == "crash":
                terminalreporter.write_line(f"interrupted: {said}")
