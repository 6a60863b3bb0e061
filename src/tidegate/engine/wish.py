"""What the outside wants of the loop: signals and requests turn into one of these."""

from enum import StrEnum


class Wish(StrEnum):
    """In the order of their strength."""

    GO_ON = "go_on"
    DRAIN = "drain"
    STOP = "stop"
    DETACH = "detach"


_ORDER = tuple(Wish)


def stronger(one: Wish, other: Wish) -> Wish:
    """The one that ends more."""
    return max(one, other, key=_ORDER.index)
