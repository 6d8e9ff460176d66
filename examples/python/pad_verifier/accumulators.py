"""Section "Accumulators": what both schemes have in common."""

from .bls12_381 import ORDER
from .suites import SUITES

HASH = SUITES["sha256-ed25519"].hash


def expand(digest, length):
    blocks = (HASH("pad/v1/accumulator-expand", digest + bytes([i])) for i in range(256))
    output = b""
    while len(output) < length:
        output += next(blocks)
    return output[:length]


def id_of(scheme, fingerprint, label):
    """The id of an accumulator or of an append-only log."""
    return HASH("pad/v1/accumulator-id", scheme.to_bytes(2, "big") + fingerprint + label)


def fingerprint_of(scheme, rest):
    """That of the parameters of a scheme."""
    return HASH("pad/v1/accumulator-id", scheme.to_bytes(2, "big") + b"parameters" + rest)


def signed_bytes(scheme, id_, version, value):
    """What the author signs for a value."""
    tag = b"pad/v1/accumulator-snapshot".ljust(32, b"\0")
    return tag + scheme.to_bytes(2, "big") + id_ + version.to_bytes(8, "big") + value


class Transcript:
    """The inputs of a proof, for challenges."""

    def __init__(self, id_, name):
        self.data = b""
        self.add(id_, name)

    def add(self, *parts):
        """Numbers are scalars."""
        for part in parts:
            part = part.to_bytes(32, "big") if isinstance(part, int) else part
            self.data += len(part).to_bytes(8, "big") + part

    def scalar(self):
        """The next challenge."""
        challenge = HASH("pad/v1/accumulator-transcript", self.data)
        self.data = (32).to_bytes(8, "big") + challenge
        return int.from_bytes(expand(challenge, 64), "big") % ORDER
