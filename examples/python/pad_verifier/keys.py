"""Section "Key files": what a client must know, and what owners publish of outsourced files."""

import re

from . import bilinear, ed25519, logs, rsa
from .bls12_381 import decode_g2
from .reader import open_message
from .refusal import Unsupported, require
from .suites import SUITES
from .tags import read_verifier

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
#: Designs whose tuples are signed with BLS.
TUPLES_BLS = {"tuple-base-superseding-bls": 0x0251, "tuple-spec-lightweight-bls": 0x0262}
#: Designs whose tuples are elements of an accumulator.
RSA = {
    "tuple-accumulators-rsa": 0x0282,
    "tuple-accumulators-superseding-rsa": 0x0292,
    "tuple-chain-accumulators-rsa": 0x02A2,
}
BILINEAR = {
    "tuple-accumulators-bilinear": 0x02C2,
    "tuple-accumulators-superseding-bilinear": 0x02D2,
    "tuple-chain-accumulators-bilinear": 0x02E2,
}
LOGS = {"aad-frontier": 0x0301, "aad-counted": 0x0302, "aas-frontier": 0x0311, "aas-counted": 0x0312}
DIRECTORIES = {"directory": 0x0401}
SCHEMES = {**TREES, **TUPLES, **TUPLES_BLS, **RSA, **BILINEAR, **LOGS, **DIRECTORIES}
#: What reads a scheme's own key, and refuses one that is not good.
OWN_KEYS = [
    (TUPLES_BLS, decode_g2),
    (RSA, rsa.read_parameters),
    (BILINEAR, bilinear.read_parameters),
    (LOGS, logs.read_setup),
]
LINES = re.compile(
    r"pad-public-key v1\nsuite ([^\n]*)\nscheme ([^\n]*)\n"
    r"dictionary ([0-9a-f]{32})\nauthor ([0-9a-f]{64})\n(?:scheme-key ([0-9a-f]+)\n)?\Z"
)


def from_digits(digits):
    require(len(digits) % 2 == 0, "there is half a byte")
    return bytes.fromhex(digits)


class PublicKey:
    """A public key file."""

    def __init__(self, text):
        require(len(text) <= LONGEST_FILE, "the key file is too long")
        lines = LINES.match(text)
        require(lines, "this is no public key file")
        suite, self.scheme_name, dictionary, author, own = lines.groups()
        require(suite in SUITES, f"there is no suite {suite}")
        self.suite = SUITES[suite]
        self.scheme = SCHEMES.get(self.scheme_name)
        if self.scheme is None:
            raise Unsupported(f"this verifier does not know the scheme {self.scheme_name}")
        require(self.scheme_name not in LOGS or self.suite.number == 1, "logs are of suite 1")
        read_own = [read for schemes, read in OWN_KEYS if self.scheme_name in schemes]
        require(bool(own) == bool(read_own), "a scheme's own key is missing, or there for nothing")
        self.own = from_digits(own) if own else None
        for read in read_own:
            read(self.own)
        self.dictionary, self.author = bytes.fromhex(dictionary), bytes.fromhex(author)
        require(ed25519.point_of_key(self.author), "the author's key is not a good one")

    def is_tree(self):
        return self.scheme_name in TREES

    def is_directory(self):
        return self.scheme_name in DIRECTORIES

    def is_log(self):
        return self.scheme_name in LOGS

    def is_accumulated(self):
        return self.scheme_name in RSA or self.scheme_name in BILINEAR


#: Kinds of tags that everybody may check, by the context of their keys.
PUBLIC_TAGS = {1: "hash-only", 3: "rsa-2048", 4: "rsa-3072", 5: "public-bls"}
SECRET_TAGS = "private-mac"
FILE_LINES = re.compile(
    r"pad-file-public v1\nowner ([0-9a-f]{64})\ntags ([^\n]*)\nfile ([0-9a-f]{64})\n"
    r"version (0|[1-9][0-9]*)\nbytes (0|[1-9][0-9]*)\nroot ([0-9a-f]{64})\n(?:server ([!-~]{1,512})\n)?\Z",
    re.ASCII,
)


class FilePublic:
    """What an owner publishes of an outsourced file; `verifier` checks tags, and is None if its key is secret."""

    def __init__(self, text):
        require(len(text) <= LONGEST_FILE, "the file is too long")
        lines = FILE_LINES.match(text)
        require(lines, "this is not what an owner publishes of a file")
        owner, tags, file, version, total, root, self.server = lines.groups()
        self.owner, self.file, self.root = (bytes.fromhex(digits) for digits in (owner, file, root))
        require(ed25519.point_of_key(self.owner), "the owner's key is not a good one")
        require(len(version) <= 20 and len(total) <= 20, "a number is too great")
        self.version, self.bytes = int(version), int(total)
        require(0 < self.version < 1 << 64 and self.bytes < 1 << 64, "a number is none of a version or a total")
        self.tags, self.verifier = _tags(tags)


def _tags(text):
    """The name of the kind, and the key that checks tags of it."""
    if text == SECRET_TAGS:
        return text, None
    require(re.fullmatch("[0-9a-f]+", text), "these are no digits of a key")
    message = from_digits(text)
    kind = int.from_bytes(message[6:8], "big")
    require(kind in PUBLIC_TAGS, "there are no such tags that everybody may check")
    body = open_message(message, 100, kind, LONGEST_FILE).body
    return PUBLIC_TAGS[kind], read_verifier(kind, body)
