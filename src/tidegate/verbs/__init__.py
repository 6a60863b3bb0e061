"""The use cases that all faces share. A verb takes plain values and returns plain values."""
