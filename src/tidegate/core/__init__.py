"""The rules of a run: states, events, leases, limits, and the pure verbs over them.

Standard library only; no clock, no I/O, no randomness. Everything here can be read in ten minutes
and run a million times in a test. Start with `attempt` (the state table), then `lane` (what is
known of one issue), `decide` and `evolve`.
"""
