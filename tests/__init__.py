"""A package, so that one test can use another's tools: `from tests.waiting import until`."""
