"""The ledger's backends: one append-only record a repository, and the rows derived from it.

Every rule of writing is in `append`, and what an event makes of the rows is in `projection`; both
are shared by all backends. A backend only keeps rows. Nothing here decides what should happen.
"""
