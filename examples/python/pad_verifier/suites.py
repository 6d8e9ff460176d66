"""Section "Hashing": the two functions of each suite."""

import functools
import hashlib

from . import blake3, sha256


@functools.lru_cache(maxsize=None)
def _midstate(tag):
    return sha256.compress(sha256.INITIAL, tag.encode().ljust(64, b"\0"))


class Sha256:
    """Suite 1, and with a width of 28 suite 3."""

    def __init__(self, number, name, width):
        self.number, self.name, self.width = number, name, width

    def hash(self, tag, data):
        block = tag.encode().ljust(64, b"\0")
        return hashlib.sha256(block + data).digest()[: self.width]

    def node(self, tag, left, right):
        state = sha256.compress(_midstate(tag), (left + right).ljust(64, b"\0"))
        return b"".join(word.to_bytes(4, "big") for word in state)[: self.width]


class Blake3:
    """Suite 2."""

    number, name, width = 2, "blake3-ed25519", 32

    def hash(self, tag, data):
        return blake3.keyed_hash(tag.encode().ljust(32, b"\0"), data)

    def node(self, tag, left, right):
        return self.hash(tag, left + right)


SUITES = {
    suite.name: suite
    for suite in (Sha256(1, "sha256-ed25519", 32), Blake3(), Sha256(3, "paper-2010", 28))
}
