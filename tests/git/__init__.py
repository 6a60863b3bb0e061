"""Tests of `tidegate.git`, on real repositories."""
