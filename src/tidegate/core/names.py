"""When two names are one: what a disk that ignores case and Unicode form cannot tell apart."""

import unicodedata


def fold(text: str) -> str:
    """Return what such a disk keeps of a name."""
    return unicodedata.normalize("NFC", text.casefold())
