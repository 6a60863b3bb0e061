"""Put measured figures into a page, between the two comments that ask for them.

    <!-- figures: NAME -->
    <!-- /figures -->

What stands between them is written by `python -m bench --write` and by nobody else.
"""

import re
from collections.abc import Mapping

from bench.figures import Table
from bench.show import as_markdown

BLOCK = re.compile(
    r"(?P<open>^<!-- figures: (?P<name>[a-z-]+) -->\n).*?(?P<close>^<!-- /figures -->$)",
    re.MULTILINE | re.DOTALL,
)


def written(page: str, tables: Mapping[str, Table], machine: str) -> str:
    """The page with the figures of these tables. Raises ValueError where one has no place."""
    places = {block["name"] for block in BLOCK.finditer(page)}
    if missing := sorted(tables.keys() - places):
        raise ValueError(f"the page has no place for the figures of {', '.join(missing)}")

    def filled(block: re.Match[str]) -> str:
        table = tables.get(block["name"])
        if table is None:
            return block[0]
        return f"{block['open']}\n{as_markdown(table)}\nMeasured on {machine}.\n\n{block['close']}"

    return BLOCK.sub(filled, page)
