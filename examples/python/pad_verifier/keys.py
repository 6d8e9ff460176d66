"""Section "Key files": what a client must know."""

import re

from . import ed25519
from .refusal import Unsupported, require
from .suites import SUITES

LONGEST_FILE = 1 << 22
TREES = {"treap": 1, "red-black": 2, "skip-list": 3}
#: Designs whose tuples are signed with Ed25519.
TUPLES = {
    "tuple-base": 0x0201,
    "tuple-base-superseding": 0x0211,
    "tuple-base-lightweight": 0x0221,
    "tuple-spec": 0x0202,
    "tuple-spec-superseding": 0x0212,
    "tuple-spec-lightweight": 0x0222,
    "tuple-spec3-lightweight": 0x0223,
}
#: Designs whose tuples are elements of an RSA accumulator.
ACCUMULATED = {
    "tuple-accumulators-rsa": 0x0282,
    "tuple-accumulators-superseding-rsa": 0x0292,
    "tuple-chain-accumulators-rsa": 0x02A2,
}
LINES = re.compile(
    r"pad-public-key v1\nsuite ([^\n]*)\nscheme ([^\n]*)\n"
    r"dictionary ([0-9a-f]{32})\nauthor ([0-9a-f]{64})\n(scheme-key (?:[0-9a-f]{2})+\n)?\Z"
)


class PublicKey:
    """A public key file."""

    def __init__(self, text):
        require(len(text) <= LONGEST_FILE, "the key file is too long")
        lines = LINES.match(text)
        require(lines, "this is no public key file")
        suite, self.scheme_name, dictionary, author, own = lines.groups()
        require(suite in SUITES, f"there is no suite {suite}")
        self.suite = SUITES[suite]
        self.scheme = {**TREES, **TUPLES, **ACCUMULATED}.get(self.scheme_name)
        if self.scheme is None:
            raise Unsupported(f"this verifier does not know the scheme {self.scheme_name}")
        require(bool(own) == self.is_accumulated(), "a scheme's own key is missing, or there for nothing")
        self.own = bytes.fromhex(own.split()[1]) if own else None
        self.dictionary, self.author = bytes.fromhex(dictionary), bytes.fromhex(author)
        require(ed25519.point_of_key(self.author), "the author's key is not a good one")

    def is_tree(self):
        return self.scheme_name in TREES

    def is_accumulated(self):
        return self.scheme_name in ACCUMULATED
