"""Section "Accumulators": RSA."""

from functools import lru_cache
from math import gcd
from random import SystemRandom

from .accumulators import HASH, expand, fingerprint_of, id_of, signed_bytes
from .reader import open_message
from .refusal import require

SCHEME = 0x0101
#: Of the two rules that are not for measurements, the bits of a start, and what it begins with.
RULES = {1: (256, 16, 1 << 272), 2: (255, 0, 1 << 255)}


def is_prime(number, rounds=40):
    """Miller and Rabin's test with random bases: a composite number passes with a chance below 2^-80."""
    if number < 4 or number % 2 == 0:
        return number in (2, 3)
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    random = SystemRandom()
    for _ in range(rounds):
        power = pow(random.randrange(2, number - 1), odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def is_power(number):
    """Whether a number is another one to the power of 2 or more."""
    bits = number.bit_length()
    for exponent in (k for k in range(2, bits + 1) if is_prime(k)):
        low, high = 1, 1 << bits // exponent + 1
        while low < high:
            middle = (low + high) // 2
            if middle**exponent < number:
                low = middle + 1
            else:
                high = middle
        if low**exponent == number:
            return True
    return False


def is_usable(modulus):
    """What can be seen of a modulus; that nobody knows its factors cannot."""
    if not 2048 <= modulus.bit_length() <= 8192 or modulus % 2 == 0:
        return False
    return not is_prime(modulus, rounds=1) and not is_power(modulus)


@lru_cache(maxsize=16)
def read_parameters(parameters):
    """The rule and the modulus of parameters (a message of kind 56), without leading zeros."""
    reader = open_message(parameters, 56, SCHEME, len(parameters))
    rule = reader.byte()
    modulus = reader.take(int.from_bytes(reader.take(2), "big"))
    reader.end()
    require(rule in RULES and modulus and modulus[0], "the parameters are not good")
    require(is_usable(int.from_bytes(modulus, "big")), "the modulus is not good")
    return rule, modulus


class Accumulator:
    """Parameters (a message of kind 56) with a label."""

    def __init__(self, parameters, label):
        self.rule, modulus = read_parameters(parameters)
        self.modulus, self.width = int.from_bytes(modulus, "big"), len(modulus)
        self.id = id_of(SCHEME, fingerprint_of(SCHEME, bytes([self.rule]) + modulus), label)

    def residue(self, data):
        """A value or witness."""
        number = int.from_bytes(data, "big")
        require(len(data) == self.width and 1 < number <= self.modulus // 2, "this is no residue")
        require(gcd(number, self.modulus) == 1, "this is no residue")
        return number

    def check_member(self, element, witness, value):
        """`witness` is the body of kind 51, `value` that of kind 49."""
        require(len(witness) == self.width + 2, "the witness has another length")
        base, offset = self.residue(witness[:-2]), int.from_bytes(witness[-2:], "big")
        digest = HASH("pad/v1/accumulator-element", self.id + element)
        bits, shift, least = RULES[self.rule]
        number = int.from_bytes(expand(digest, 32), "big") >> 256 - bits
        prime = least + (number << shift) + offset
        require(prime < 2 * least and is_prime(prime), "the representative is no prime")
        power = pow(base, prime, self.modulus)
        require(self.residue(value) in (power, self.modulus - power), "the witness does not hold")

    def signed_bytes(self, version, value):
        """What the author signs for a value."""
        return signed_bytes(SCHEME, self.id, version, value)
