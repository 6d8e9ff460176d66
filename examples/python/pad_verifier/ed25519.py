"""Section "Suites": Ed25519 (RFC 8032), verified strictly."""

import functools
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def _add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


@functools.lru_cache(maxsize=8)
def _multiples(point):
    """For each four bits of a scalar, from the lowest up, the multiples of a point that they stand for: authors sign often."""
    rows = []
    for _ in range(64):
        row = [IDENTITY]
        for _ in range(15):
            row.append(_add(row[-1], point))
        rows.append(row)
        point = _add(row[-1], point)
    return rows


def _multiply(scalar, point, result=IDENTITY):
    """The sum of a result and scalar times a point, for a scalar of at most 256 bits."""
    for row in _multiples(point):
        if scalar & 15:
            result = _add(result, row[scalar & 15])
        scalar >>= 4
    return result


def _compress(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decompress(data):
    """The point, or None unless the bytes are its canonical encoding."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def _is_of_small_order(point):
    for _ in range(3):
        point = _add(point, point)
    return point[0] % P == 0 and (point[1] - point[2]) % P == 0


BASE = _decompress((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def public_of(seed):
    """The public key of a seed."""
    scalar = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return _compress(_multiply(scalar & (1 << 254) - 8 | 1 << 254, BASE))


@functools.lru_cache(maxsize=64)
def point_of_key(key):
    """The point of a public key, or None if no author has this key."""
    point = _decompress(key) if len(key) == 32 else None
    return None if point is None or _is_of_small_order(point) else point


def verify(key, message, signature):
    """Whether the signature is good."""
    point = point_of_key(key)
    if point is None or len(signature) != 64:
        return False
    commitment, scalar = signature[:32], int.from_bytes(signature[32:], "little")
    decoded = _decompress(commitment)
    if scalar >= ORDER or decoded is None or _is_of_small_order(decoded):
        return False
    challenge = int.from_bytes(hashlib.sha512(commitment + key + message).digest(), "little") % ORDER
    negative = (-point[0] % P, point[1], point[2], -point[3] % P)
    return _compress(_multiply(challenge, negative, _multiply(scalar, BASE))) == commitment
