"""File access for evidence: artifacts get their immutable place here."""
