"""A program for fork servers: its command line ends with the Python that it runs."""

from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Run the last word; its `code` is the exit code, where it sets one."""
    names: dict[str, object] = {"argv": argv}
    exec(argv[-1], names)  # noqa: S102 - the script is the test's own
    code = names.get("code", 0)
    assert isinstance(code, int)
    return code
