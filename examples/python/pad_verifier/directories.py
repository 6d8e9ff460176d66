"""Section "Block directories": proofs of entries (kinds 160 and 161), and opened blocks of strategy 2 (kind 164)."""

from .refusal import require

MOST_ENTRIES, MOST_IDS, MOST_SHOWN = 1 << 48, 1000, 1 << 20
DELETED, UNASSIGNED = b"deleted", b"unassigned"


def check_ids(ids):
    require(1 <= len(ids) <= MOST_IDS, "a question is about 1 to 1000 ids")
    require(all(a < b for a, b in zip(ids, ids[1:])), "ids do not ascend")


def longest_proof(ids):
    return 64 + 1569 * len(ids)


def longest_range_proof(start, end):
    return 64 + 33 * min(end - start, MOST_SHOWN) + 3072


def _entry(suite, number, digest):
    place = number.to_bytes(8, "big") + (b"\2" if digest is None else b"\1")
    left = bytes(suite.width) if digest is None else digest
    return suite.node("pad/v1/directory-entry", left, place.ljust(suite.width, b"\0"))


def _top(suite, shown, siblings, start, end):
    """The digest of the tree over the entries from `start` to before `end`, one of which is shown."""
    if end - start == 1:
        return _entry(suite, start, shown[start])
    middle = start + (1 << (end - start - 1).bit_length() - 1)
    halves, elided = [(start, middle), (middle, end)], None
    has = [any(low <= number < high for number in shown) for low, high in halves]
    if not all(has):
        elided = next(siblings, None)
        require(elided is not None, "a sibling is missing")
    left, right = (
        _top(suite, {n: shown[n] for n in shown if low <= n < high}, siblings, low, high) if there else elided
        for (low, high), there in zip(halves, has)
    )
    return suite.node("pad/v1/directory-node", left, right)


def _conclude(reader, suite, root, choose):
    """The entries shown, by id, and the number of all; `choose` says which ids below a number are asked for."""
    size = reader.number()
    require(size <= MOST_ENTRIES, "a directory has not so many entries")
    entries = reader.list(lambda: reader.optional(lambda: reader.take(suite.width)))
    siblings = reader.list(lambda: reader.take(suite.width))
    reader.end()
    ids = choose(size, len(entries))
    require(all(any(entry) for entry in entries if entry is not None), "a live entry has the reserved digest")
    shown, unused = dict(zip(ids, entries)), iter(siblings)
    if shown:
        top = _top(suite, shown, unused, 0, size)
    else:
        top = next(unused, None) if size else b""
        require(top is not None, "a sibling is missing")
    require(next(unused, None) is None, "a sibling is left over")
    if size:
        data = b"\1" + size.to_bytes(8, "big") + top
        require(suite.hash("pad/v1/directory-root", data) == root, "the root is another one")
    else:
        require(suite.hash("pad/v1/empty-tree", b"") == root, "the root is another one")
    return shown, size


def _answer(number, shown, size):
    if number >= size:
        return UNASSIGNED
    return DELETED if shown[number] is None else shown[number]


def look_up(reader, suite, root, ids):
    """Kind 160: each id with the digest of its object, DELETED or UNASSIGNED."""
    check_ids(ids)

    def choose(size, entries):
        asked = [number for number in ids if number < size]
        require(len(asked) == entries, "there is not one entry for each id")
        return asked

    shown, size = _conclude(reader, suite, root, choose)
    return [(number, _answer(number, shown, size)) for number in ids]


def look_up_range(reader, suite, root, start, end):
    """Kind 161."""
    require(start < end, "the range has no ids")

    def choose(size, entries):
        end_shown = max(start, min(end, size))
        require(entries == end_shown - start and entries <= MOST_SHOWN, "there is not one entry for each id")
        return range(start, end_shown)

    shown, size = _conclude(reader, suite, root, choose)
    return [(number, _answer(number, shown, size)) for number in range(start, end)]


def look_up_opened(reader, suite, root, capacity, number):
    """Kind 164 of strategy 2: the digest of the object with this id, DELETED or UNASSIGNED."""
    size = reader.number()
    require(size <= MOST_ENTRIES, "a directory has not so many entries")
    require(reader.number() == capacity, "the blocks have another capacity")
    contents = reader.byte_string()
    reader.end()

    def check_top(summary):
        data = b"\2" + size.to_bytes(8, "big") + capacity.to_bytes(4, "big") + summary
        expected = suite.hash("pad/v1/directory-root", data) if size else suite.hash("pad/v1/empty-tree", b"")
        require(expected == root, "the root is another one")

    if number >= size:
        require(len(contents) == (suite.width if size else 0), "there is more than the topmost summary")
        check_top(contents)
        return UNASSIGNED
    levels = next(levels for levels in range(1, 50) if capacity**levels >= size)
    slot = None
    for level in reversed(range(levels)):
        below, width = capacity**level, suite.width + (level == 0)
        block = number // below // capacity
        slots = min(capacity, -(-size // below) - block * capacity)
        opened, contents = contents[: slots * width], contents[slots * width :]
        require(len(opened) == slots * width, "a slot is missing")
        summary = suite.hash("pad/v1/block-flat", bytes([level]) + block.to_bytes(8, "big") + opened)
        if slot is None:
            check_top(summary)
        require(slot in (None, summary), "a block is another one than the slot above says")
        place = number // below % capacity * width
        slot = opened[place : place + width]
    require(not contents, "a slot is left over")
    for entry in (opened[place : place + width] for place in range(0, len(opened), width)):
        require(entry[0] in (1, 2) and (entry[0] == 1) == any(entry[1:]), "an entry is neither live nor deleted")
    return slot[1:] if slot[0] == 1 else DELETED
