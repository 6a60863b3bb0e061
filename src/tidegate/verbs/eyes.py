"""What a face has to give to whoever runs something for it: looks, words and wishes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidegate.core.events import Entry
from tidegate.engine.engine import Engine
from tidegate.engine.wish import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """How a face looks on: what was recorded, what is going on, and what is wished for."""

    recorded: Callable[[Sequence[Entry]], None]
    state: Callable[[Engine], None]
    wish: Callable[[], Wish]
    tell: Callable[[str], None] = lambda _: None
    """One line about what no event says."""
