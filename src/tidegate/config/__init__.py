"""What people write: `tidegate.toml`, role files, front matter; read strictly, or not at all.

A file that is there and cannot be read in full stops the program. Nothing here fills a gap with a
default that the file meant to set, and nothing here starts, writes or fetches anything. Start with
`schema` (every key, its bounds and its meaning), then `load`.
"""
