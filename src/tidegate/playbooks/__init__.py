"""Pure policy: what should be under way now, one file a playbook."""
