"""An issue: the wanted change, as a tracker holds it. It says what is wanted, never what became."""

from tidegate.core.records import record


@record
class Issue:
    """`digest` is the sha256 of all that a builder is told of it; a higher priority goes first."""

    id: str
    title: str
    text: str
    footprint: tuple[str, ...] = ()
    priority: int = 0
    needs: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    digest: str = ""
    path: str = ""
