"""What can be asked about a version."""

from collections import namedtuple

from .refusal import require

#: `name` is that of the document, `keys` are those in the question; None for an open end of a range.
Question = namedtuple("Question", "name keys")

#: The names in the order of their kinds, from 16 on.
NAMES = ["look-up", "keys", "range", "predecessor", "successor", "first", "last"]
ARGUMENTS = {"look-up": 1, "range": 2, "predecessor": 1, "successor": 1, "first": 0, "last": 0}


def check_question(question):
    """Refuses what is no question."""
    name, keys = question
    require(name in NAMES, f"there is no question {name}")
    if name == "keys":
        ascend = all(a < b for a, b in zip(keys, keys[1:]))
        require(keys and ascend, "the keys of a question ascend, and there is one")
    else:
        require(len(keys) == ARGUMENTS[name], "the question has another number of keys")
    if name == "range" and None not in keys:
        require(keys[0] < keys[1], "the range is empty")


def is_in_range(question, key):
    start, end = question.keys
    return (start is None or start <= key) and (end is None or key < end)


def longest_file(question):
    """The longest proof file that is read, in bytes."""
    if question.name == "range":
        return 1 << 30
    values = len(question.keys) if question.name == "keys" else 1
    return min(values * ((1 << 24) + (1 << 20)), 1 << 30)
