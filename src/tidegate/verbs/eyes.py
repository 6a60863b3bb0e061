"""What a face has to give to whoever runs something for it: looks, words and wishes."""

from collections.abc import Callable, Sequence

from tidegate.core.events import Entry
from tidegate.core.records import record
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish


@record
class Eyes:
    """How a face looks on: what was recorded, what is going on, and what is wished for."""

    recorded: Callable[[Sequence[Entry]], None]
    state: Callable[[Engine], None]
    wish: Callable[[], Wish]
    tell: Callable[[str], None] = lambda _: None
    """One line about what no event says."""
