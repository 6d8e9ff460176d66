"""Section "Proof files"."""

from . import accumulated, directories, trees, tuples
from .heads import check_head, empty_head, read_head
from .questions import NAMES, OF_DIRECTORIES, check_question, ids_of, longest_file
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
    if public.is_directory() != (question.name in OF_DIRECTORIES):
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
    fields = reader.optional(lambda: read_head(reader, public))
    if fields is None:
        require(version == 0, "only version 0 has no head")
        head = empty_head(public.suite)
    else:
        head = check_head(fields, public, version)
    if public.is_tree():
        return trees.conclude(trees.open_tree(reader, public.suite, head.root), question)
    if public.is_directory():
        look_up = directories.look_up if question.name == "entries" else _look_up_range
        found = look_up(reader, public.suite, head.root, ids_of(question))
        return [(number.to_bytes(8, "big"), entry) for number, entry in found]
    return check(reader, public, version, question, head)


def _look_up_range(reader, suite, root, ends):
    return directories.look_up_range(reader, suite, root, *ends)
