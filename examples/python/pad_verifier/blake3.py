"""BLAKE3's keyed hash and its key derivation, from its specification."""

from .sha256 import INITIAL, MASK

PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED, CONTEXT, MATERIAL = 1, 2, 4, 8, 16, 32, 64
COLUMNS = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)]
DIAGONALS = [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]


def _words(data):
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def _rotate(word, by):
    return (word >> by | word << 32 - by) & MASK


def _compress(chaining, block, counter, length, flags):
    state = chaining + INITIAL[:4] + [counter & MASK, counter >> 32, length, flags]
    for _ in range(7):
        for number, (a, b, c, d) in enumerate(COLUMNS + DIAGONALS):
            for word, first, second in ((block[2 * number], 16, 12), (block[2 * number + 1], 8, 7)):
                state[a] = state[a] + state[b] + word & MASK
                state[d] = _rotate(state[d] ^ state[a], first)
                state[c] = state[c] + state[d] & MASK
                state[b] = _rotate(state[b] ^ state[c], second)
        block = [block[i] for i in PERMUTATION]
    return [x ^ y for x, y in zip(state[:8], state[8:])] + [x ^ y for x, y in zip(state[8:], chaining)]


def _chunk(key, data, counter, mode):
    """The last compression of a chunk: its arguments."""
    chaining = key
    blocks = [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
    for number, block in enumerate(blocks):
        flags = mode | (CHUNK_START if number == 0 else 0)
        padded = _words(block + bytes(64 - len(block)))
        if number == len(blocks) - 1:
            return chaining, padded, counter, len(block), flags | CHUNK_END
        chaining = _compress(chaining, padded, counter, 64, flags)[:8]
    return None


def _tree(key, data, counter, mode):
    """The last compression of some chunks: its arguments."""
    if len(data) <= 1024:
        return _chunk(key, data, counter, mode)
    left = 1024
    while 2 * left < len(data):
        left *= 2
    halves = _tree(key, data[:left], counter, mode), _tree(key, data[left:], counter + left // 1024, mode)
    return key, [word for half in halves for word in _compress(*half)[:8]], 0, 64, mode | PARENT


def _output(arguments, length):
    chaining, block, _, size, flags = arguments
    output = []
    for counter in range((length + 63) // 64):
        output += _compress(chaining, block, counter, size, flags | ROOT)
    return b"".join(word.to_bytes(4, "little") for word in output)[:length]


def keyed_hash(key, data, length=32):
    return _output(_tree(_words(key), data, 0, KEYED), length)


def derive_key(context, material, length=32):
    key = _output(_tree(INITIAL, context.encode(), 0, CONTEXT), 32)
    return _output(_tree(_words(key), material, 0, MATERIAL), length)
