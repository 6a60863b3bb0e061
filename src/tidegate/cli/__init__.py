"""The command line: parse, call one verb, show. No command holds logic of its own."""
