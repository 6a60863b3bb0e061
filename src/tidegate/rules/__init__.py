"""Rules over texts and files, one file a rule. Pure: facts in, findings out."""
