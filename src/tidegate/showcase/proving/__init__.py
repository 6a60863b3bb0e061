"""The proof: real runs on this machine, with faults, and an examination afterwards."""
