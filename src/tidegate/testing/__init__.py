"""Shipped for tests: the scripted agent, and the suites that say when an adapter is done."""
