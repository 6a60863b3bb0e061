"""What the rules are given and what they say."""

from tidegate.core.records import record


@record(kw_only=False)
class ChangedFile:
    """A file that a change touches. `old` and `new` are its texts; None where there is no file.

    Where a rule goes by the path alone (`test_surface.reads_text` tells) any text will do.
    `is_unread` says that the texts cannot be looked at: too large, a link, or a submodule.
    """

    path: str
    old: str | None
    new: str | None
    is_unread: bool = False


@record(kw_only=False)
class Finding:
    """One thing that a rule has to say: of which path, and what, in words."""

    code: str
    path: str
    detail: str
