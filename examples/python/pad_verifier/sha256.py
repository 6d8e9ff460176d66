"""The compression function of SHA-256 (FIPS 180-4, section 6.2.2), which hashlib does not give.

The constants are computed: the first 32 bits of the fractional parts of the roots of the first primes.
"""

from math import isqrt


def _primes(count):
    found = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _cube_root(number):
    low, high = 0, 1 << 40
    while low < high:
        middle = (low + high + 1) // 2
        if middle**3 <= number:
            low = middle
        else:
            high = middle - 1
    return low


MASK = 0xFFFFFFFF
INITIAL = [isqrt(prime << 64) & MASK for prime in _primes(8)]
CONSTANTS = [_cube_root(prime << 96) & MASK for prime in _primes(64)]


def compress(state, block):
    """The state after a block of 64 bytes."""
    words = [int.from_bytes(block[i : i + 4], "big") for i in range(0, 64, 4)]
    for i in range(16, 64):
        x, y = words[i - 15], words[i - 2]
        s0 = (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ x >> 3
        s1 = (y >> 17 | y << 15) ^ (y >> 19 | y << 13) ^ y >> 10
        words.append(words[i - 16] + (s0 & MASK) + words[i - 7] + (s1 & MASK) & MASK)
    a, b, c, d, e, f, g, h = state
    for constant, word in zip(CONSTANTS, words):
        s1 = ((e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)) & MASK
        t1 = h + s1 + (e & f ^ ~e & g) + constant + word
        s0 = ((a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)) & MASK
        t2 = s0 + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = t1 + t2 & MASK, a, b, c, d + t1 & MASK, e, f, g
    return [x + y & MASK for x, y in zip(state, (a, b, c, d, e, f, g, h))]
