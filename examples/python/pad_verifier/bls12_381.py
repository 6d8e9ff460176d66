"""The curve BLS12-381: points of G1 and G2, their encodings, and products of pairings."""

import secrets
from functools import lru_cache

from .refusal import require

#: The field, the order of the groups, and the curve's parameter, which is negative: it is -X.
P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
X = 0xD201000000010000
#: A cube root of unity: multiplying x by it is multiplying points of G1 by -X^2.
BETA = 0x5F19672FDF76CE51BA69C6076A0F77EADDB3A93BE6F89688DE17D813620A00022E01FFFFFFFEFFFE

# Elements of the field with P^2 elements are pairs (a, b) for a + b u, with u^2 = -1. Those of the field with P^6 are
# three of these, for c0 + c1 v + c2 v^2 with v^3 = 1 + u, and those of the field with P^12 two of those, for c0 + c1 w with
# w^2 = v. Nothing here need be secret, so nothing is done in constant time.

ZERO, ONE = (0, 0), (1, 0)
ZERO_6, ONE_6 = (ZERO, ZERO, ZERO), (ONE, ZERO, ZERO)
ONE_12 = (ONE_6, ZERO_6)


def _add(a, b):
    return a[0] + b[0], a[1] + b[1]


def _subtract(a, b):
    return a[0] - b[0], a[1] - b[1]


def _multiply(a, b):
    a0, a1 = a
    b0, b1 = b
    low, high = a0 * b0, a1 * b1
    return (low - high) % P, ((a0 + a1) * (b0 + b1) - low - high) % P


def _square(a):
    a0, a1 = a
    return (a0 + a1) * (a0 - a1) % P, 2 * a0 * a1 % P


def _scale(a, by):
    return a[0] * by % P, a[1] * by % P


def _times_root(a):
    """a (1 + u)."""
    return a[0] - a[1], a[0] + a[1]


def _invert(a):
    inverse = pow(a[0] * a[0] + a[1] * a[1], -1, P)
    return a[0] * inverse % P, -a[1] * inverse % P


def _power(a, exponent):
    result = ONE
    for bit in bin(exponent)[2:]:
        result = _square(result)
        if bit == "1":
            result = _multiply(result, a)
    return result


def _add_6(a, b):
    return _add(a[0], b[0]), _add(a[1], b[1]), _add(a[2], b[2])


def _subtract_6(a, b):
    return _subtract(a[0], b[0]), _subtract(a[1], b[1]), _subtract(a[2], b[2])


def _multiply_6(a, b):
    a0, a1, a2 = a
    b0, b1, b2 = b
    t0, t1, t2 = _multiply(a0, b0), _multiply(a1, b1), _multiply(a2, b2)
    s0 = _multiply(_add(a1, a2), _add(b1, b2))
    s1 = _multiply(_add(a0, a1), _add(b0, b1))
    s2 = _multiply(_add(a0, a2), _add(b0, b2))
    return (
        _add(t0, _times_root((s0[0] - t1[0] - t2[0], s0[1] - t1[1] - t2[1]))),
        _add((s1[0] - t0[0] - t1[0], s1[1] - t0[1] - t1[1]), _times_root(t2)),
        (s2[0] - t0[0] - t2[0] + t1[0], s2[1] - t0[1] - t2[1] + t1[1]),
    )


def _times_v(a):
    return _times_root(a[2]), a[0], a[1]


def _invert_6(a):
    a0, a1, a2 = a
    c0 = _subtract(_square(a0), _times_root(_multiply(a1, a2)))
    c1 = _subtract(_times_root(_square(a2)), _multiply(a0, a1))
    c2 = _subtract(_square(a1), _multiply(a0, a2))
    norm = _add(_multiply(a0, c0), _times_root(_add(_multiply(a2, c1), _multiply(a1, c2))))
    inverse = _invert(norm)
    return _multiply(c0, inverse), _multiply(c1, inverse), _multiply(c2, inverse)


def _multiply_12(a, b):
    low, high = _multiply_6(a[0], b[0]), _multiply_6(a[1], b[1])
    middle = _multiply_6(_add_6(a[0], a[1]), _add_6(b[0], b[1]))
    return _add_6(low, _times_v(high)), _subtract_6(_subtract_6(middle, low), high)


def _square_12(a):
    a0, a1 = a
    product = _multiply_6(a0, a1)
    both = _multiply_6(_add_6(a0, a1), _add_6(a0, _times_v(a1)))
    return _subtract_6(_subtract_6(both, product), _times_v(product)), _add_6(product, product)


def _conjugate(a):
    """a to the power of P^6; of what an easy exponentiation leaves, the inverse."""
    (b0, b1, b2) = a[1]
    return a[0], ((-b0[0], -b0[1]), (-b1[0], -b1[1]), (-b2[0], -b2[1]))


def _invert_12(a):
    a0, a1 = a
    norm = _subtract_6(_multiply_6(a0, a0), _times_v(_multiply_6(a1, a1)))
    inverse = _invert_6(norm)
    return _conjugate((_multiply_6(a0, inverse), _multiply_6(a1, inverse)))


#: (1 + u) to the powers of i (P - 1) / 6.
FROBENIUS = [_power((1, 1), i * (P - 1) // 6) for i in range(6)]


def _frobenius(a):
    """a to the power of P: each coefficient of w^i is conjugated, and w^i has that factor."""
    (a0, a2, a4), (a1, a3, a5) = a
    b = [_multiply((c[0], -c[1]), factor) for c, factor in zip((a0, a1, a2, a3, a4, a5), FROBENIUS)]
    return (b[0], b[2], b[4]), (b[1], b[3], b[5])


def _square_cyclotomic(a):
    """The square of what an easy exponentiation leaves (Granger and Scott, 2010): three squares of the field with P^4."""
    (a0, a4, a3), (a2, a1, a5) = a

    def square(x, y):
        xx, yy = _square(x), _square(y)
        both = _square(_add(x, y))
        return _add(_times_root(yy), xx), (both[0] - xx[0] - yy[0], both[1] - xx[1] - yy[1])

    def three_less_two(t, c):
        return (3 * t[0] - 2 * c[0]) % P, (3 * t[1] - 2 * c[1]) % P

    def three_and_two(t, c):
        return (3 * t[0] + 2 * c[0]) % P, (3 * t[1] + 2 * c[1]) % P

    s0, s1 = square(a0, a1)
    t0, t1 = square(a2, a3)
    u0, u1 = square(a4, a5)
    return (
        (three_less_two(s0, a0), three_less_two(t0, a4), three_less_two(u0, a3)),
        (three_and_two(_times_root(u1), a2), three_and_two(s1, a1), three_and_two(t1, a5)),
    )


def _to_minus_x(a):
    result = a
    for bit in bin(X)[3:]:
        result = _square_cyclotomic(result)
        if bit == "1":
            result = _multiply_12(result, a)
    return _conjugate(result)


def _is_one_after_final_exponentiation(a):
    """Whether a to the power of 3 (P^12 - 1) / r is 1. A power of 3 more than there need be changes nothing, as 3 does not
    divide the order, and then with x = -X the hard part is (x - 1)^2 (x + P) (x^2 + P^2 - 1) + 3."""
    a = _multiply_12(_conjugate(a), _invert_12(a))
    a = _multiply_12(_frobenius(_frobenius(a)), a)
    b = _multiply_12(_to_minus_x(a), _conjugate(a))
    b = _multiply_12(_to_minus_x(b), _conjugate(b))
    b = _multiply_12(_to_minus_x(b), _frobenius(b))
    c = _multiply_12(_to_minus_x(_to_minus_x(b)), _frobenius(_frobenius(b)))
    b = _multiply_12(c, _conjugate(b))
    b = _multiply_12(b, _multiply_12(_square_cyclotomic(a), a))
    return all(c[0] % P == one[0] and c[1] % P == one[1] for half, ones in zip(b, ONE_12) for c, one in zip(half, ones))


# Points of G1 are pairs, None for the identity; while computing (x, y, z) for (x / z^2, y / z^3), with z = 0 for the identity.

IDENTITY = (1, 1, 0)
#: From so many points on, other ways of dealing with them are faster.
MANY = 64


def _double(point):
    x, y, z = point
    if z == 0:
        return IDENTITY
    yy = y * y % P
    s = 4 * x * yy % P
    m = 3 * x * x
    new = (m * m - 2 * s) % P
    return new, (m * (s - new) - 8 * yy * yy) % P, 2 * y * z % P


def _add_point(point, other):
    """The sum of (x, y, z) and a pair."""
    x, y, z = point
    if z == 0:
        return other[0], other[1], 1
    zz = z * z % P
    h = (other[0] * zz - x) % P
    r = (other[1] * zz * z - y) % P
    if h == 0:
        return _double(point) if r == 0 else IDENTITY
    hh = h * h % P
    hhh, v = h * hh % P, x * hh % P
    new = (r * r - hhh - 2 * v) % P
    return new, (r * (v - new) - y * hhh) % P, z * h % P


def _to_pairs(points):
    """Of many points at once, with one inversion."""
    product, before = 1, []
    for _, _, z in points:
        before.append(product)
        product = product * (z or 1) % P
    inverse, pairs = pow(product, -1, P), [None] * len(points)
    for number in range(len(points) - 1, -1, -1):
        x, y, z = points[number]
        if z:
            one = inverse * before[number] % P
            inverse = inverse * z % P
            square = one * one % P
            pairs[number] = x * square % P, y * square * one % P
    return pairs


def add(points):
    """The sum of points of G1."""
    total = IDENTITY
    for point in points:
        if point:
            total = _add_point(total, point)
    return _to_pairs([total])[0]


def sequence(start, step, count):
    """`start`, `start + step`, and so on; `step` is not the identity."""
    total, points = (*start, 1) if start else IDENTITY, []
    for _ in range(count):
        points.append(total)
        total = _add_point(total, step)
    return _to_pairs(points)


def multiply_unreduced(point, scalar):
    """Of any point of the curve, by a number of 0 or more that is taken as it is."""
    total = IDENTITY
    for bit in bin(scalar)[2:] if point else "":
        total = _double(total)
        if bit == "1":
            total = _add_point(total, point)
    return _to_pairs([total])[0]


def combine(terms):
    """The sum of scalar times point, over pairs of both."""
    terms = [(scalar % ORDER, point) for scalar, point in terms if point and scalar % ORDER]
    if len(terms) >= MANY:
        return _combine_many(terms)
    multiples = []
    for _, point in terms:
        total = (*point, 1)
        for _ in range(15):
            multiples.append(total)
            total = _add_point(total, point)
    multiples = _to_pairs(multiples)
    total = IDENTITY
    bits = max((scalar.bit_length() for scalar, _ in terms), default=0)
    for shift in range(bits & -4, -1, -4):
        total = _double(_double(_double(_double(total))))
        for number, (scalar, _) in enumerate(terms):
            digit = scalar >> shift & 15
            if digit:
                total = _add_point(total, multiples[15 * number + digit - 1])
    return _to_pairs([total])[0]


def _combine_many(terms):
    """The same, by the bits of all scalars at a place: points with the same ones are added first."""
    width = max(len(terms).bit_length() - 4, 4)
    total = IDENTITY
    for shift in range(ORDER.bit_length() // width * width, -1, -width):
        for _ in range(width if total[2] else 0):
            total = _double(total)
        sums = [IDENTITY] * (1 << width)
        for scalar, point in terms:
            digit = scalar >> shift & (1 << width) - 1
            sums[digit] = _add_point(sums[digit], point)
        # The sum of digit times sum, as the sum of all sums from a digit on.
        above, running = [], IDENTITY
        for summed in reversed(_to_pairs(sums[1:])):
            if summed:
                running = _add_point(running, summed)
            above.append(running)
        for summed in _to_pairs(above):
            if summed:
                total = _add_point(total, summed)
    return _to_pairs([total])[0]


def negate(point):
    return point and (point[0], -point[1] % P)


def _is_in_g1(point):
    """Whether the order divides that of a point of the curve (Scott, "A note on group membership tests", 2021)."""
    total = (*point, 1)
    for _ in range(2):
        pair = _to_pairs([total])[0]
        if pair is None:
            return False
        for bit in bin(X)[3:]:
            total = _double(total)
            if bit == "1":
                total = _add_point(total, pair)
    return _to_pairs([total])[0] == (point[0] * BETA % P, -point[1] % P)


def _number(data):
    number = int.from_bytes(data, "big")
    require(number < P, "a coordinate is not reduced")
    return number


def _flags(data):
    """Whether the greater y is meant, and the bytes without flags; None if these are the identity."""
    require(data[0] & 0x80, "a point is not compressed")
    if data[0] & 0x40:
        require(data[0] == 0xC0 and not any(data[1:]), "the identity has other bits")
        return False, None
    return data[0] & 0x20 != 0, bytes([data[0] & 0x1F]) + data[1:]


def _are_in_g1(points):
    """The same of many: sums of random ones are. One point that is not makes half of the sums none, so not all of eighty."""
    if len(points) < MANY:
        return all(map(_is_in_g1, points))
    fours = [points[i : i + 4] for i in range(0, len(points), 4)]
    sums = []
    for four in fours:
        of_four = [IDENTITY]
        for point in four:
            of_four += [_add_point(before, point) for before in of_four]
        sums += of_four + [IDENTITY] * (16 - len(of_four))
    sums = _to_pairs(sums)
    for _ in range(80):
        total, random = IDENTITY, secrets.randbits(4 * len(fours))
        for number in range(len(fours)):
            chosen = sums[16 * number + (random & 15)]
            random >>= 4
            if chosen:
                total = _add_point(total, chosen)
        pair = _to_pairs([total])[0]
        if pair and not _is_in_g1(pair):
            return False
    return True


def _decompress_g1(data):
    """A point of the curve that need not be in the group."""
    require(len(data) == 48, "a point has another length")
    greater, rest = _flags(data)
    if rest is None:
        return None
    x = _number(rest)
    square = (x * x * x + 4) % P
    y = pow(square, (P + 1) // 4, P)
    require(y * y % P == square, "a point is not on the curve")
    return x, y if (y > P // 2) == greater else -y % P


@lru_cache(maxsize=1 << 12)
def decode_g1(data):
    """The point that 48 bytes stand for; None for the identity."""
    point = _decompress_g1(data)
    require(point is None or _is_in_g1(point), "a point is not in the group")
    return point


def decode_all_g1(encoded):
    """The same of many, none of which is the identity."""
    points = [_decompress_g1(data) for data in encoded]
    require(None not in points, "a point is the identity")
    require(_are_in_g1(points), "a point is not in the group")
    return points


def encode_g1(point):
    if point is None:
        return b"\xc0" + bytes(47)
    data = bytearray(point[0].to_bytes(48, "big"))
    data[0] |= 0xA0 if point[1] > P // 2 else 0x80
    return bytes(data)


# Points of G2 are pairs of elements of the field with P^2 elements, None for the identity.


def _add_g2(p, q):
    """The sum, and the slope of the line through both points."""
    if p == q:
        slope = _multiply(_scale(_square(p[0]), 3), _invert(_scale(p[1], 2)))
    else:
        slope = _multiply(_subtract(p[1], q[1]), _invert(_subtract(p[0], q[0])))
    x = _subtract(_subtract(_square(slope), p[0]), q[0])
    x = x[0] % P, x[1] % P
    y = _subtract(_multiply(slope, _subtract(p[0], x)), p[1])
    return (x, (y[0] % P, y[1] % P)), slope


@lru_cache(maxsize=16)
def _lines(q):
    """The lines of Miller's loop for a point of G2: for each step its slope, and slope * x - y."""
    steps, total = [], q
    for bit in bin(X)[3:]:
        for other in [total, q] if bit == "1" else [total]:
            before = total
            total, slope = _add_g2(before, other)
            constant = _subtract(_multiply(slope, before[0]), before[1])
            steps.append((slope, constant))
    return steps


def combine_g2(terms):
    """As `combine`, with points of G2; None for the identity."""
    total = None
    for scalar, point in terms:
        multiple = None
        for bit in bin(scalar % ORDER)[2:]:
            multiple = _sum_g2(multiple, multiple)
            if bit == "1":
                multiple = _sum_g2(multiple, point)
        total = _sum_g2(total, multiple)
    return total


def _sum_g2(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and p[1] != q[1]:
        return None
    return _add_g2(p, q)[0]


def _root(a):
    """A square root in the field with P^2 elements, or None."""
    norm = (a[0] * a[0] + a[1] * a[1]) % P
    root = pow(norm, (P + 1) // 4, P)
    if root * root % P != norm:
        return None
    half = (P + 1) // 2
    for sign in (root, -root):
        square = (a[0] + sign) * half % P
        b = pow(square, (P + 1) // 4, P)
        if b * b % P == square:
            found = (b, a[1] * pow(2 * b, -1, P) % P) if b else (0, pow(-a[0] % P, (P + 1) // 4, P))
            if _square(found) == (a[0] % P, a[1] % P):
                return found
    return None


#: What multiplies the coordinates of the conjugate of a point of G2: the map that multiplies by x there.
PSI = _invert(FROBENIUS[2]), _invert(FROBENIUS[3])


def _is_in_g2(point):
    """As for G1; the map is multiplying by -X."""
    total = point
    try:
        for bit in bin(X)[3:]:
            total = _add_g2(total, total)[0]
            if bit == "1":
                total = _add_g2(total, point)[0]
    except ValueError:
        # A multiple is the identity, so the order is a small one.
        return False
    psi = [_multiply((c[0], -c[1]), factor) for c, factor in zip(point, PSI)]
    return total == (psi[0], (-psi[1][0] % P, -psi[1][1] % P))


@lru_cache(maxsize=64)
def decode_g2(data):
    """The point that 96 bytes stand for, which is not the identity."""
    require(len(data) == 96, "a point has another length")
    greater, rest = _flags(data)
    require(rest is not None, "a point of G2 is the identity")
    x = _number(rest[48:]), _number(rest[:48])
    cube = _multiply(_square(x), x)
    y = _root((cube[0] + 4, cube[1] + 4))
    require(y is not None, "a point is not on the curve")
    if ((y[1], y[0]) > (-y[1] % P, -y[0] % P)) != greater:
        y = -y[0] % P, -y[1] % P
    require(_is_in_g2((x, y)), "a point is not in the group")
    return x, y


#: [1]_1 and [1]_2.
GENERATOR_1 = decode_g1(
    bytes.fromhex(
        "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
    )
)
GENERATOR_2 = decode_g2(
    bytes.fromhex(
        "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
        "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
    )
)


def _times_line(f, slope, constant):
    """f (constant + slope v + v w)."""

    def times(a):
        a0, a1, a2 = a
        t0, t1 = _multiply(a0, constant), _multiply(a1, slope)
        both = _multiply(_add(a0, a1), _add(constant, slope))
        return (
            _add(t0, _times_root(_multiply(a2, slope))),
            (both[0] - t0[0] - t1[0], both[1] - t0[1] - t1[1]),
            _add(t1, _multiply(a2, constant)),
        )

    f0, f1 = f
    return _add_6(times(f0), _times_v(_times_v(f1))), _add_6(times(f1), _times_v(f0))


def is_one(pairs):
    """Whether the product of the pairings of pairs, a point of G1 and one of G2, is 1."""
    loops = []
    for (x, y), q in (pair for pair in pairs if None not in pair):
        # A line at (x, y) is y w^3 - slope x w^2 + constant, up to what the final exponentiation makes 1. Divided by
        # y it has one product less.
        inverse = pow(y, -1, P)
        loops.append((-x * inverse % P, inverse, iter(_lines(q))))
    f = ONE_12
    for bit in bin(X)[3:]:
        f = _square_12(f)
        for step in range(1 if bit == "0" else 2):
            for x, inverse, lines in loops:
                slope, constant = next(lines)
                f = _times_line(f, _scale(slope, x), _scale(constant, inverse))
    return _is_one_after_final_exponentiation(f)

