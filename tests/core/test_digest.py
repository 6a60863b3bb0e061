"""A digest is SHA-256, whatever the size."""

import hashlib
import subprocess
import sys

import pytest

from tidegate.core.digest import LARGE_BYTES, sha256_hex


@pytest.mark.parametrize("size", [0, 1, LARGE_BYTES - 1, LARGE_BYTES, 3 * LARGE_BYTES])
def test_a_digest_is_that_of_hashlib(size: int) -> None:
    """Small and large content go by different ways to the same digits."""
    content = bytes(n % 251 for n in range(size))
    assert sha256_hex(content) == hashlib.sha256(content).hexdigest()


def test_a_small_digest_loads_no_openssl() -> None:
    """It is what every command and every controller would pay for."""
    code = "from tidegate.core.digest import sha256_hex; import sys; sha256_hex(b'x');"
    code += "print('_hashlib' in sys.modules)"
    said = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert said.stdout == "False\n"
