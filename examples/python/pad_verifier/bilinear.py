"""Section "Accumulators": bilinear, on BLS12-381."""

import secrets
from functools import lru_cache

from .accumulators import HASH, expand, fingerprint_of, id_of, signed_bytes
from .bls12_381 import GENERATOR_1, GENERATOR_2, ORDER, add, combine, combine_g2, decode_all_g1, decode_g1, decode_g2
from .bls12_381 import is_one, multiply_unreduced, negate, sequence
from .reader import open_message
from .refusal import require

SCHEME = 0x0102
LONGEST_PURPOSE = 64
#: Of a secret that anybody finds: multiples of the generator that are listed, and looks into the list on each side of zero.
LISTED, LOOKS = 1 << 10, 256


def read_scalar(data):
    """32 bytes below the order."""
    number = int.from_bytes(data, "big")
    require(len(data) == 32 and number < ORDER, "this is no scalar")
    return number


def read_g1(data):
    """A point that is not the identity."""
    point = decode_g1(data)
    require(point is not None, "a point is the identity")
    return point


def fingerprint(power, purpose):
    """`power` is [s]_2."""
    return fingerprint_of(SCHEME, power + purpose)


def check_purpose(purpose):
    try:
        purpose.decode()
    except UnicodeDecodeError:
        require(False, "the purpose is no text")
    require(1 <= len(purpose) <= LONGEST_PURPOSE, "there is no purpose, or it is too long")


class Parameters:
    """A message of kind 56."""

    def __init__(self, message):
        reader = open_message(message, 56, SCHEME, len(message))

        def points(width):
            return [reader.take(width) for _ in range(int.from_bytes(reader.take(4), "big"))]

        purpose = reader.take(reader.byte())
        in_g1, in_g2 = points(48), points(96)
        reader.end()
        check_purpose(purpose)
        require(len(in_g1) >= 2 and len(in_g2) >= 2, "there are too few powers")
        self.fingerprint = fingerprint(in_g2[1], purpose)
        self.powers = [decode_g2(power) for power in in_g2]
        _check_powers(decode_all_g1(in_g1), self.powers)


def _check_powers(in_g1, in_g2):
    """Whether these are the powers of one number, which the second in G2 determines."""
    require(in_g1[0] == GENERATOR_1 and in_g2[0] == GENERATOR_2, "the powers do not begin with the generators")
    random = [secrets.randbits(128) for _ in in_g1[1:]]
    above, below = combine(zip(random, in_g1[1:])), combine(zip(random, in_g1))
    good = is_one([(above, GENERATOR_2), (negate(below), in_g2[1])])
    good = good and all(
        is_one([(in_g1[1], low), (negate(GENERATOR_1), high)]) for low, high in zip(in_g2[1:], in_g2[2:])
    )
    require(good, "these are not the powers of one number")
    require(not _is_guessable(in_g1, in_g2), "anybody finds the secret")


def _is_guessable(in_g1, in_g2):
    """Whether the secret, or its negative, is a small number, or a power of it that is there is 1 or -1."""
    first, mirrored = GENERATOR_1[0], GENERATOR_2[0]
    if any(point[0] == first for point in in_g1[1:]) or any(point[0] == mirrored for point in in_g2[1:]):
        return True
    # Points with one x are each other's negatives.
    listed = {point[0] for point in sequence(GENERATOR_1, GENERATOR_1, LISTED)}
    step = multiply_unreduced(GENERATOR_1, 2 * LISTED + 1)
    start = add([in_g1[1], negate(multiply_unreduced(step, LOOKS))])
    return any(point is None or point[0] in listed for point in sequence(start, step, 2 * LOOKS + 1))


@lru_cache(maxsize=16)
def read_parameters(message):
    return Parameters(message)


class Accumulator:
    """Parameters (a message of kind 56) with a label."""

    width = 48

    def __init__(self, parameters, label):
        parameters = read_parameters(parameters)
        self.powers = parameters.powers
        self.id = id_of(SCHEME, parameters.fingerprint, label)

    def scalar(self, digest):
        scalar = int.from_bytes(expand(digest, 64), "big") % ORDER
        require(scalar, "an element has the scalar 0")
        return scalar

    def scalar_of(self, element):
        return self.scalar(HASH("pad/v1/accumulator-element", self.id + element))

    def _check(self, scalar, base, value):
        """Whether scalar + s times the base is the value."""
        first = add([combine([(scalar, base)]), negate(value)])
        require(is_one([(first, GENERATOR_2), (base, self.powers[1])]), "the witness does not hold")

    def check_member(self, element, witness, value):
        """`witness` is the body of kind 51, `value` that of kind 49."""
        witness, value = read_g1(witness), read_g1(value)
        self._check(self.scalar_of(element), witness, value)

    def check_absent(self, element, witness, value):
        """`witness` is the body of kind 52."""
        require(len(witness) == 80, "the witness has another length")
        base, remainder, value = decode_g1(witness[:48]), read_scalar(witness[48:]), read_g1(value)
        require(remainder, "the remainder is 0")
        require((base is None) == (value == GENERATOR_1), "the witness is that of no element, or the set's value is")
        require(base is not None or remainder == 1, "the remainder of no element is not 1")
        scaled = multiply_unreduced(GENERATOR_1, remainder)
        self._check(self.scalar_of(element), base, add([value, negate(scaled)]))

    def check_subset(self, elements, witness, value):
        """`witness` is the body of kind 53; the elements ascend."""
        require(all(a < b for a, b in zip(elements, elements[1:])), "the elements do not ascend")
        require(1 <= len(elements) < len(self.powers), "there are not as many elements as the powers serve")
        witness, value = read_g1(witness), read_g1(value)
        coefficients = [1]
        for element in elements:
            scalar = self.scalar_of(element)
            shifted = [0, *coefficients]
            coefficients = [a * scalar + b for a, b in zip([*coefficients, 0], shifted)]
        product = combine_g2(list(zip(coefficients, self.powers)))
        require(is_one([(witness, product), (negate(value), GENERATOR_2)]), "the witness does not hold")

    def check_change(self, message):
        """A message of kind 54: the values before and after, the digests of what is removed and of what is added."""
        reader = open_message(message, 54, SCHEME, len(message))

        def items(width):
            return [reader.take(width) for _ in range(int.from_bytes(reader.take(4), "big"))]

        before, after = reader.take(48), reader.take(48)
        removed, added, between = items(32), items(32), items(48)
        reader.end()
        steps = [(digest, False) for digest in removed] + [(digest, True) for digest in added]
        require(len(between) == max(len(steps) - 1, 0), "there is not one value between two steps")
        require(steps or before == after, "nothing changes the value")
        values = [read_g1(value) for value in (before, *between, after)]
        for (digest, adds), old, new in zip(steps, values, values[1:]):
            self._check(self.scalar(digest), *((old, new) if adds else (new, old)))
        return before, after, removed, added

    def signed_bytes(self, version, value):
        """What the author signs for a value."""
        return signed_bytes(SCHEME, self.id, version, value)
