"""Pure rules over what a change holds and what a report says: given texts, what follows from them.

Nothing here opens, starts or remembers anything. Start with `report`, which reads a verdict, and
with `test_surface`, which says what a change does to the tests and the configuration that judge it.
"""
