"""Sections "Signed heads" and "History log"."""

from collections import namedtuple

from . import ed25519
from .reader import open_message
from .refusal import require

LONGEST_HEAD, LONGEST_HISTORY_PROOF = 1024, 8192

Head = namedtuple("Head", "version root history")


def empty_head(suite):
    """What is known of version 0."""
    return Head(0, suite.hash("pad/v1/empty-tree", b""), suite.hash("pad/v1/empty-history", b""))


def read_head(reader, public):
    """The fields of a signed head: nothing is checked."""
    scheme = reader.number(1 << 16)
    dictionary, version = reader.take(16), reader.number()
    root, history = reader.take(public.suite.width), reader.take(public.suite.width)
    return scheme, dictionary, Head(version, root, history), reader.take(64)


def check_head(fields, public, version):
    """The head, if the author signed it for this version."""
    scheme, dictionary, head, signature = fields
    require(dictionary == public.dictionary, "the head is of another dictionary")
    require(scheme == public.scheme, "the head is of another scheme")
    require(head.version == version, f"the head is of version {head.version}")
    require(version > 0, "nobody signs version 0")
    signed = (
        b"pad/v1/signed-head".ljust(32, b"\0")
        + public.suite.number.to_bytes(2, "big")
        + scheme.to_bytes(2, "big")
        + dictionary
        + version.to_bytes(8, "big")
        + head.root
        + head.history
    )
    require(ed25519.verify(public.author, signed, signature), "the head's signature is not good")
    return head


def verify_head(message, public, version):
    """The head in a message of kind 1."""
    reader = open_message(message, 1, public.suite.number, LONGEST_HEAD)
    fields = read_head(reader, public)
    reader.end()
    return check_head(fields, public, version)


def _node(suite, left, right):
    return suite.node("pad/v1/history-node", left, right)


def _climb(suite, start, path, position, last):
    """Where a path leads, and where it leads without what is on its right."""
    whole = part = start
    for sibling in path:
        require(last > 0, "the path is too long")
        if position % 2 or position == last:
            whole, part = _node(suite, sibling, whole), _node(suite, sibling, part)
            while position % 2 == 0 and position > 0:
                position, last = position // 2, last // 2
        else:
            whole = _node(suite, whole, sibling)
        position, last = position // 2, last // 2
    require(last == 0, "the path is too short")
    return whole, part


def _leaf(suite, version, root):
    return suite.hash("pad/v1/history-leaf", version.to_bytes(8, "big") + root)


def _check_included(suite, older, root, newer, path):
    leaf = _leaf(suite, older, root)
    whole, _ = _climb(suite, leaf, path, older - 1, newer.version - 2)
    require(whole == newer.history, "the older version is not in the history of the newer")


def verify_inclusion(message, public, older, newer):
    """The root of an older version under a newer head (kind 2)."""
    require(1 <= older < newer.version, "the older version does not come before")
    suite = public.suite
    reader = open_message(message, 2, suite.number, LONGEST_HISTORY_PROOF)
    root = reader.take(suite.width)
    path = reader.list(lambda: reader.take(suite.width))
    reader.end()
    _check_included(suite, older, root, newer, path)
    return root


def verify_consistency(message, public, older, newer):
    """Refuses a newer head that does not continue an older one (kind 3)."""
    require(older.version < newer.version, "the older version does not come before")
    suite = public.suite
    reader = open_message(message, 3, suite.number, LONGEST_HISTORY_PROOF)
    path, proof = (reader.list(lambda: reader.take(suite.width)) for _ in range(2))
    reader.end()
    if older.version == 0:
        require(not path and not proof, "nothing is to be shown of version 0")
        return
    _check_included(suite, older.version, older.root, newer, path)
    leaves = older.version - 1
    if leaves == 0:
        empty = suite.hash("pad/v1/empty-history", b"")
        require(not proof and older.history == empty, "the first version has no history")
        return
    if leaves & leaves - 1:
        require(proof, "the consistency proof is too short")
        start, proof = proof[0], proof[1:]
    else:
        start = older.history
    position, last = leaves - 1, newer.version - 2
    while position % 2:
        position, last = position // 2, last // 2
    whole, part = _climb(suite, start, proof, position, last)
    require(part == older.history and whole == newer.history, "the history was changed")
