"""What can be asked about a version."""

from collections import namedtuple

from . import directories, logs
from .refusal import require

LONGEST_HEAD = 1024

#: `name` is that of the document, `keys` are those in the question; None for an open end of a range.
Question = namedtuple("Question", "name keys")

#: The names in the order of their kinds, from 16 on.
NAMES = ["look-up", "keys", "range", "predecessor", "successor", "first", "last"]
#: Those about directories, whose keys are ids of 8 bytes.
OF_DIRECTORIES = ["entries", "entries of a range"]
#: Those about append-only logs beside look-ups: a key and a value, or an older version, of 8 bytes.
OF_LOGS = ["inclusion", "append-only"]
ARGUMENTS = {
    "look-up": 1,
    "range": 2,
    "predecessor": 1,
    "successor": 1,
    "first": 0,
    "last": 0,
    "inclusion": 2,
    "append-only": 1,
}


def check_question(question):
    """Refuses what is no question."""
    name, keys = question
    require(name in NAMES + OF_DIRECTORIES + OF_LOGS, f"there is no question {name}")
    if name in OF_DIRECTORIES:
        ids = ids_of(question)
        if name == "entries":
            directories.check_ids(ids)
        else:
            require(len(ids) == 2 and ids[0] < ids[1], "the range is empty")
        return
    if name == "keys":
        ascend = all(a < b for a, b in zip(keys, keys[1:]))
        require(keys and ascend, "the keys of a question ascend, and there is one")
    else:
        require(len(keys) == ARGUMENTS[name], "the question has another number of keys")
    if name == "append-only":
        ids_of(question)
    if name == "range" and None not in keys:
        require(keys[0] < keys[1], "the range is empty")


def ids_of(question):
    require(all(key and len(key) == 8 for key in question.keys), "ids and versions have 8 bytes")
    return [int.from_bytes(key, "big") for key in question.keys]


def is_in_range(question, key):
    start, end = question.keys
    return (start is None or start <= key) and (end is None or key < end)


def longest_file(question):
    """The longest proof file that is read, in bytes."""
    if question.name == "entries":
        return directories.longest_proof(ids_of(question)) + LONGEST_HEAD
    if question.name == "entries of a range":
        return directories.longest_range_proof(*ids_of(question)) + LONGEST_HEAD
    if question.name == "range":
        return 1 << 30
    values = len(question.keys) if question.name == "keys" else 1
    return min(values * ((1 << 24) + (1 << 20)), 1 << 30)
