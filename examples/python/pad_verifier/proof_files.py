"""Section "Proof files"."""

from . import accumulated, directories, logs, trees, tuples
from .heads import check_head, empty_head, read_head
from .questions import NAMES, OF_DIRECTORIES, OF_LOGS, check_question, ids_of, longest_file
from .reader import open_message
from .refusal import Unsupported, require

TUPLE_PROOFS = {
    "look-up": (81, tuples.look_up),
    "keys": (82, tuples.look_up_several),
    "range": (83, tuples.look_up_range),
}


def verify(message, public, version, question):
    """The entries that a proof file establishes about a version; None for the value of an absent key."""
    check_question(question)
    if public.is_log() and question.name in ["look-up", *OF_LOGS]:
        return _verify_log(message, public, version, question)
    if public.is_log() or question.name in OF_LOGS or public.is_directory() != (question.name in OF_DIRECTORIES):
        raise Unsupported("dictionaries of this scheme do not answer this question")
    if public.is_directory():
        kind = 176 + OF_DIRECTORIES.index(question.name)
    elif public.is_tree():
        kind = 32 + NAMES.index(question.name)
    elif public.is_accumulated() and question.name == "look-up":
        kind, check = 81, accumulated.look_up
    elif not public.is_accumulated() and question.name in TUPLE_PROOFS:
        kind, check = TUPLE_PROOFS[question.name]
    else:
        raise Unsupported("tuples do not answer this question")
    reader = open_message(message, kind, public.suite.number, longest_file(question))
    head = _read_head(reader, public, version)
    if public.is_tree():
        return trees.conclude(trees.open_tree(reader, public.suite, head.root), question)
    if public.is_directory():
        look_up = directories.look_up if question.name == "entries" else _look_up_range
        found = look_up(reader, public.suite, head.root, ids_of(question))
        return [(number.to_bytes(8, "big"), entry) for number, entry in found]
    return check(reader, public, version, question, head)


def _look_up_range(reader, suite, root, ends):
    return directories.look_up_range(reader, suite, root, *ends)


def _read_head(reader, public, version):
    """An optional head, or what is known of version 0."""
    fields = reader.optional(lambda: read_head(reader, public))
    if fields is None:
        require(version == 0, "only version 0 has no head")
        return empty_head(public.suite)
    return check_head(fields, public, version)


def _verify_log(message, public, version, question):
    """Of a look-up all values of a key, one entry each; of versions, that there are none."""
    log = logs.Log(public.scheme, public.dictionary, public.own)
    if question.name == "append-only":
        require(ids_of(question)[0] <= version, "the older version comes after the newer one")
        reader = logs.open_log(message, 147, log)
        older, newer = (_read_head(reader, public, number) for number in (ids_of(question)[0], version))
        require(older.version < newer.version or older.root == newer.root, "the author signed two roots of one version")
        logs.check_append_only(log, reader, older.root, newer.root)
        return []
    # A look-up in a set is one of a member that is there, or of one that is not.
    is_there = question.name == "inclusion" or log.is_set and message[5:6] == bytes([146])
    reader = logs.open_log(message, 146 if is_there else 145, log)
    head = _read_head(reader, public, version)
    key = question.keys[0]
    if is_there:
        value = question.keys[1] if question.name == "inclusion" else b""
        logs.look_up_one(log, reader, head.root, key, value)
        return [(key, value)]
    return [(key, value) for value in logs.look_up(log, reader, head.root, key) or [None]]
