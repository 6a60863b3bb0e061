"""The runner and its adapter, on real processes, folders and signals."""
