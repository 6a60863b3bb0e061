"""The digest that content is known by: SHA-256, in hexadecimal digits.

`hashlib` brings OpenSSL, which costs every process 4 MB and 4 ms before its first digest. What is
small, as nearly everything is, is left to the module that Python itself is built with; what is
large is worth OpenSSL's ten times the speed.
"""

try:
    from _sha2 import sha256 as _lean_sha256  # type: ignore[import-not-found]  # typeshed leaves out private modules
except ImportError:  # before Python 3.12
    from _sha256 import sha256 as _lean_sha256  # type: ignore[import-not-found]  # as above

LARGE_BYTES = 32 * 1024


def sha256_hex(content: bytes) -> str:
    """The 64 hexadecimal digits of the SHA-256 of this content."""
    if len(content) < LARGE_BYTES:
        return str(_lean_sha256(content).hexdigest())
    from hashlib import sha256  # noqa: PLC0415 - see above

    return sha256(content).hexdigest()
