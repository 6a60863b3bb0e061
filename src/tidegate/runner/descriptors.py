"""What a new process should not have inherited."""

import contextlib
import os

STANDARD = 3
"""How many descriptors are the standard channels."""


def close_others() -> None:
    """Close what came along besides the standard channels: another's lock, say."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) >= STANDARD:
            with contextlib.suppress(OSError):  # the listing's own is closed already
                os.close(int(name))
