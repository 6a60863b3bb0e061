"""Runners: the small process that owns an agent's process, and the adapter that starts and sees it.

`program` and what it imports is loaded into one process for each running agent. It takes nothing
from outside this folder but a few light modules of the standard library: no dataclasses (1 MB and
8 ms), no pathlib (0.4 MB and 3 ms), no typing. `local` and `watch` are the controller's side.
"""
