"""Tidegate: the durable control plane for loops of coding and review agents."""

__version__ = "0.1.0"
