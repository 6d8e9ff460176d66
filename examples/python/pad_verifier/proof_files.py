"""Section "Proof files"."""

from . import accumulated, trees, tuples
from .heads import check_head, empty_head, read_head
from .questions import NAMES, check_question, longest_file
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
    if public.is_tree():
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
    return check(reader, public, version, question, head)
