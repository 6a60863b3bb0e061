"""The command line as people meet it: real processes, real git, a real ledger."""
