"""Section "Tags": what an owner puts beside the blocks of an outsourced file, and proofs about challenged blocks."""

import hashlib
from collections import namedtuple
from math import gcd

from . import bilinear, blake3, rsa
from .bls12_381 import GENERATOR_1, GENERATOR_2, ORDER, combine, combine_g2, decode_all_g1, decode_g2
from .bls12_381 import encode_g1, is_one, multiply_unreduced, negate
from .hash_to_g1 import hash_to_g1
from .reader import Reader, open_message
from .refusal import require

#: A challenged block: what the list commits of its tag, its length, and the hits: offsets in the block and coefficients.
Block = namedtuple("Block", "committed length hits")
#: The kinds of tags by the context of their keys.
HASH_ONLY, PRIVATE_MAC, RSA_2048, RSA_3072, PUBLIC_BLS = range(1, 6)
CHUNK = 256
BLS_TAG = b"FLEXLIST-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_"
PRIME = (1 << 127) - 1


def _hash(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def _coefficient(block):
    return sum(coefficient for _, coefficient in block.hits)


def _check_challenged(blocks, longest):
    for block in blocks:
        require(1 <= block.length <= longest, "a block is empty or too long")
        require(all(0 <= offset < block.length for offset, _ in block.hits), "a hit is not in its block")


def root_of(block):
    """The root of a block's bytes."""
    chunks = range(0, len(block), CHUNK)
    level = [_hash(b"\x20", i.to_bytes(8, "big"), block[at : at + CHUNK]) for i, at in enumerate(chunks)]
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [_hash(b"\x21", *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return _hash(b"\x22", len(block).to_bytes(8, "big"), level[0])


class HashOnly:
    def __init__(self, reader):
        reader.end()

    def check(self, blocks, proof):
        _check_challenged(blocks, 1 << 24)
        reader = Reader(proof)
        for block in blocks:
            require(len(block.committed) == 32, "the committed part has another length")
            for chunk in sorted({offset // CHUNK for offset, _ in block.hits}):
                count, place = (block.length + CHUNK - 1) // CHUNK, chunk
                data = reader.take(min(CHUNK, block.length - CHUNK * chunk))
                node = _hash(b"\x20", chunk.to_bytes(8, "big"), data)
                while count > 1:
                    if place ^ 1 < count:
                        sibling = reader.take(32)
                        node = _hash(b"\x21", *((sibling, node) if place & 1 else (node, sibling)))
                    place, count = place // 2, (count + 1) // 2
                root = _hash(b"\x22", block.length.to_bytes(8, "big"), node)
                require(root == block.committed, "a chunk is not that of its block")
        reader.end()


class _Sums:
    """What both kinds with masks have in common: a sum of tags, and one of each sector."""

    def _read(self, blocks, proof, head, width, sector, longest):
        """The first bytes, and the sums of the sectors."""
        require(all(len(block.committed) == 48 for block in blocks), "the committed part has another length")
        _check_challenged(blocks, longest)
        if not blocks:
            require(not proof, "there is nothing to prove")
            return None, []
        sectors = max((block.length + sector - 1) // sector for block in blocks)
        require(len(proof) == head + width * sectors, "the proof has another length")
        return proof[:head], [proof[at : at + width] for at in range(head, len(proof), width)]

    def _masked(self, block):
        """What the mask of a write is made from."""
        return block.committed[32:] + block.length.to_bytes(8, "big")


class PrivateMac(_Sums):
    def __init__(self, reader):
        key = reader.take(32)
        reader.end()
        self.masks = blake3.derive_key("flexlist v1 private tags: masks of writes", key)
        self.multipliers = blake3.derive_key("flexlist v1 private tags: multipliers of sectors", key)

    def mask(self, masked):
        return int.from_bytes(blake3.keyed_hash(self.masks, masked), "little") % PRIME

    def multipliers_of(self, count):
        output = blake3.keyed_hash(self.multipliers, b"multipliers", 32 * count)
        return [int.from_bytes(output[at : at + 32], "little") % PRIME for at in range(0, 32 * count, 32)]

    def held(self, committed, block):
        """What the server holds of a block's tag."""
        numbers = [int.from_bytes(block[at : at + 15], "little") for at in range(0, len(block), 15)]
        total = self.mask(self._masked(Block(committed, len(block), [])))
        total += sum(a * b for a, b in zip(self.multipliers_of(len(numbers)), numbers))
        return (total % PRIME).to_bytes(16, "little")

    def check(self, blocks, proof):
        head, sums = self._read(blocks, proof, 16, 16, 15, 1 << 24)
        if head is None:
            return
        numbers = [int.from_bytes(number, "little") for number in (head, *sums)]
        require(all(number < PRIME for number in numbers), "a number is not reduced")
        expected = sum(_coefficient(block) * self.mask(self._masked(block)) for block in blocks)
        expected += sum(a * b for a, b in zip(self.multipliers_of(len(sums)), numbers[1:]))
        require((numbers[0] - expected) % PRIME == 0, "the proof does not hold")


class Rsa:
    def __init__(self, reader, width):
        self.width = width
        self.modulus, self.base = (int.from_bytes(reader.take(width), "big") for _ in range(2))
        reader.end()
        good = self.modulus.bit_length() == 8 * width and rsa.is_usable(self.modulus)
        require(good, "the modulus is not good")
        good = 1 < self.base < self.modulus - 1 and gcd(self.base, self.modulus) == 1
        require(good, "the base is not good")

    def proof_width(self, blocks):
        most = sum(_coefficient(block) * ((2 << 8 * block.length) - 1) for block in blocks)
        return (most.bit_length() + 7) // 8

    def check(self, blocks, proof):
        _check_challenged(blocks, 1 << 20)
        least = most = 0
        product = 1
        for block in blocks:
            require(len(block.committed) == 32 + self.width, "the committed part has another length")
            tag, coefficient = int.from_bytes(block.committed[32:], "big"), _coefficient(block)
            require(tag < self.modulus, "a tag is not reduced")
            least += coefficient << 8 * block.length
            most += coefficient * ((2 << 8 * block.length) - 1)
            product = product * pow(tag, coefficient, self.modulus) % self.modulus
        require(len(proof) == self.proof_width(blocks), "the proof has another length")
        total = int.from_bytes(proof, "big")
        require(least <= total <= most, "the sum is none of such blocks")
        power = pow(self.base, total, self.modulus)
        require((product * product - power * power) % self.modulus == 0, "the proof does not hold")


class PublicBls(_Sums):
    SECTOR, LONGEST = 31, 1 << 16
    MOST_SECTORS = (LONGEST + SECTOR - 1) // SECTOR

    def __init__(self, reader):
        self.power = decode_g2(reader.take(96))
        self.points = decode_all_g1([reader.take(48) for _ in range(self.MOST_SECTORS)])
        reader.end()

    def check(self, blocks, proof):
        head, sums = self._read(blocks, proof, 48, 32, self.SECTOR, self.LONGEST)
        if head is None:
            return
        scalars, sigma = [bilinear.read_scalar(number) for number in sums], bilinear.read_g1(head)
        terms = [(_coefficient(block), hash_to_g1(self._masked(block), BLS_TAG)) for block in blocks]
        total = combine([*terms, *zip(scalars, self.points)])
        require(is_one([(sigma, GENERATOR_2), (negate(total), self.power)]), "the proof does not hold")


class OwnedBls(PublicBls):
    """As the owner, who knows what the points are multiples of, and makes as many as there are sectors."""

    def __init__(self, reader, sectors):
        context = "flexlist v1 public tags: x, then a_j"
        output = blake3.derive_key(context, reader.take(32), 64 * (sectors + 1))
        reader.end()
        scalars = [int.from_bytes(output[at : at + 64], "little") % ORDER for at in range(0, len(output), 64)]
        self.secret = scalars[0]
        self.power = combine_g2([(self.secret, GENERATOR_2)])
        self.points = [multiply_unreduced(GENERATOR_1, scalar) for scalar in scalars[1:]]

    def held(self, committed, block):
        """What the server holds of a block's tag."""
        masked = self._masked(Block(committed, len(block), []))
        numbers = [int.from_bytes(block[at : at + self.SECTOR], "little") for at in range(0, len(block), self.SECTOR)]
        total = combine([(1, hash_to_g1(masked, BLS_TAG)), *zip(numbers, self.points)])
        return encode_g1(combine([(self.secret, total)]))


def read_verifier(kind, body):
    """What checks tags of a kind, from the body of its key for verifiers (kind 100)."""
    reader = Reader(body)
    if kind in (RSA_2048, RSA_3072):
        return Rsa(reader, 256 if kind == RSA_2048 else 384)
    return {HASH_ONLY: HashOnly, PRIVATE_MAC: PrivateMac, PUBLIC_BLS: PublicBls}[kind](reader)


def read_key(message, longest):
    """What checks tags, from a key for verifiers."""
    kind = int.from_bytes(message[6:8], "big")
    require(HASH_ONLY <= kind <= PUBLIC_BLS, "there are no such tags")
    return read_verifier(kind, open_message(message, 100, kind, longest).body)
