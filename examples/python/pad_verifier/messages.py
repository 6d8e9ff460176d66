"""Section "Messages": those that belong to no scheme (kinds 10 to 12)."""

from .reader import open_message
from .refusal import require


def read_question(message, longest):
    """The number of the variant, and its fields."""
    reader = open_message(message, 10, 0, longest)

    def keys():
        asked = reader.list(reader.key)
        ascend = all(a < b for a, b in zip(asked, asked[1:]))
        require(asked and ascend, "the keys of a question ascend, and there is one")
        return asked

    def ends():
        return reader.optional(reader.key), reader.optional(reader.key)

    def first_or_last():
        return None

    question = reader.variant([
        reader.key, keys, ends, lambda: (reader.key(), reader.value()), reader.number,
        first_or_last, first_or_last, reader.key, reader.key,
    ])
    reader.end()
    return question


def read_history(message, longest):
    """The version after which nothing is missing, and the versions in which a key changed. Nothing is proved."""
    reader = open_message(message, 11, 0, longest)
    since, versions = reader.number(), reader.list(reader.number)
    reader.end()
    require(all(a < b for a, b in zip([since, *versions], versions)), "the versions do not ascend")
    return since, versions


def read_list(message, longest):
    reader = open_message(message, 12, 0, longest)
    items = []
    while reader.place < len(reader.body):
        items.append(reader.take(int.from_bytes(reader.take(4), "big")))
    return items
