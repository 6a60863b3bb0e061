"""Where issues are kept. A tracker reads and adds; what became of an issue is in the ledger."""
