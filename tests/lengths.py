"""How long a proof goes on: seconds in all tests, minutes where TIDEGATE_LONG=1 asks for it."""

import os

IS_LONG = os.environ.get("TIDEGATE_LONG", "") == "1"
