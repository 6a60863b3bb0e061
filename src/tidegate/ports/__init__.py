"""Small protocols: what may be asked of the world, and the plain values that answer."""
