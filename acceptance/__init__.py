"""Proof on real repositories: published packages with tests of their own, and real tools at work.

    python -m acceptance [PACKAGE…]

It drives the command line as a person would, and looks at what came of it with git, with /proc and
with the package's own tests. It must never import Tidegate: a witness is no relative. What is
downloaded goes into a temporary folder and never into this repository.
"""
