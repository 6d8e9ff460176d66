"""Section "Append-only logs": dictionaries and sets to which entries are added, and nothing else happens."""

import hashlib
import secrets
from collections import Counter, namedtuple
from itertools import islice

from . import bilinear
from .accumulators import HASH, Transcript, id_of
from .bls12_381 import GENERATOR_1, GENERATOR_2, ORDER, combine, decode_g1, decode_g2, encode_g1, is_one, negate
from .reader import LONGEST_VALUE, open_message
from .refusal import require
from .suites import SUITES

NODE = SUITES["sha256-ed25519"].node
EMPTY = HASH("pad/v1/empty-tree", b"")
#: Blocks have two to this power elements.
BLOCK = 3
LOWEST_TOP, HIGHEST_TOP = 4, 32
MOST_ELEMENTS = 1 << 48
#: Of a path through the products of a frontier.
DEEPEST_PATH, MOST_CHILDREN = 32, 4
CHUNK = 512
LONGEST_FILE = (1 << 26) + (1 << 10)
IDENTITY, ONE = encode_g1(None), encode_g1(GENERATOR_1)
SETS, FRONTIER = (0x0311, 0x0312), (0x0301, 0x0311)

#: The setup in key files.
Setup = namedtuple("Setup", "top deferred power fingerprint")
#: A node as a message has it: `acc` is None below the level of blocks.
Node = namedtuple("Node", "hash acc")


def read_setup(own):
    """What is known of a log beside its scheme and its dictionary."""
    require(len(own) >= 100 and own[0] == BLOCK, "this is no setup of a log")
    top, schedule, power, length, purpose = own[1], own[2], own[3:99], own[99], own[100:]
    require(LOWEST_TOP <= top <= HIGHEST_TOP and schedule <= 1, "the setup of the log is not good")
    require(len(purpose) == length, "the purpose has another length")
    bilinear.check_purpose(purpose)
    require(decode_g2(power) != GENERATOR_2, "the secret is 1")
    return Setup(top, schedule == 1, decode_g2(power), bilinear.fingerprint(power, purpose))


class Log:
    """What a client knows of a log."""

    def __init__(self, scheme, dictionary, own):
        self.scheme, self.setup = scheme, read_setup(own)
        self.is_set, self.is_frontier = scheme in SETS, scheme in FRONTIER
        self.width = 32 if self.is_set else 64
        label = dictionary + bytes([BLOCK, self.setup.top, self.setup.deferred])
        self.id = id_of(scheme, self.setup.fingerprint, label)

    def is_available(self, level, index, size):
        late = self.setup.deferred and level > BLOCK
        return size >= index + (2 if late else 1) << level

    def forest(self, size, level=None, index=0):
        """The roots of a log of this size, as (level, index), from left to right; or those below a node."""
        if level is None:
            while index << self.setup.top < size:
                yield from self.forest(size, self.setup.top, index)
                index += 1
            return
        if self.is_available(level, index, size):
            yield level, index
            return
        for child in (2 * index, 2 * index + 1):
            if child << level - 1 < size:
                yield from self.forest(size, level - 1, child)

    def root(self, size, hashes):
        """The root in heads, of the hashes of a forest; the last one may be the bag of several."""
        if size == 0:
            return EMPTY
        bag = hashes[-1]
        for digest in reversed(hashes[:-1]):
            bag = NODE("pad/v1/aad-bag", digest, bag)
        return HASH("pad/v1/aad-root", self.id + size.to_bytes(8, "big") + bag)

    def key_half(self, key):
        """Of a dictionary, the first half of the elements of a key; of a set, the element."""
        return HASH("pad/v1/aad-element" if self.is_set else "pad/v1/aad-key", key)

    def element(self, key, value, occurrence):
        if self.is_set:
            require(not value, "a member has no value")
            return self.key_half(key)
        data = HASH("pad/v1/value", value) + occurrence.to_bytes(8, "big")
        return self.key_half(key) + HASH("pad/v1/aad-value", data)

    def roots(self, element):
        """The roots of an element."""
        if not self.is_frontier:
            return [root_of_prefix(element[:32], 256)]
        return [root_of_prefix(element, length) for length in range(1, 8 * self.width + 1)]


_PREFIX = hashlib.sha256(b"pad/v1/aad-prefix".ljust(64, b"\0"))


def root_of_prefix(data, length):
    """The root of the first bits of some bytes."""
    last, bits = (length + 7) // 8, length % 8
    prefix = data[:last]
    if bits:
        prefix = prefix[:-1] + bytes([prefix[-1] & 0xFF00 >> bits])
    state = _PREFIX.copy()
    state.update(length.to_bytes(2, "big") + prefix)
    return int.from_bytes(state.digest(), "big") & (1 << 254) - 1


def _last_halves(elements):
    return sorted({int.from_bytes(element[32:], "big") for element in elements})


def frontier_length(elements):
    """How many strings are beside the last halves of elements of one key."""
    numbers = _last_halves(elements)
    # The first has one in each of 256 places. Another leaves the one before it in a place where there is one no more, and
    # has one in each place after that.
    return 256 + sum((a ^ b).bit_length() - 2 for a, b in zip(numbers, numbers[1:]))


def frontier_of(elements):
    """The scalars of those strings, in lexicographic order of the strings, one by one: there may be very many."""
    numbers, key = _last_halves(elements), elements[0][:32]
    # What comes next, last: numbers from a place on, before another, that have so many bits in common, or a scalar.
    pending = [(0, len(numbers), 0)]
    while pending:
        following = pending.pop()
        if isinstance(following, int):
            yield following
            continue
        low, high, bits = following
        for bits in range(bits + 1, 257):
            shift = 256 - bits
            split = low
            while split < high and not numbers[split] >> shift & 1:
                split += 1
            if low < split < high:
                pending.append((split, high, bits))
                high = split
                continue
            other = (numbers[low] >> shift ^ 1) << shift
            scalar = root_of_prefix(key + other.to_bytes(32, "big"), 256 + bits)
            if low < split:
                # It comes after all that is below its sibling.
                pending.append(scalar)
            else:
                yield scalar


def product_at(roots, place):
    value = 1
    for root in roots:
        value = value * (place - root) % ORDER
    return value


class Message:
    """Reads the body of a message, and collects the claims in it. They are checked when it is known that the root is right:
    then what is computed for them is no more than what the author signed needs."""

    def __init__(self, log, reader):
        self.log, self.reader, self.claims = log, reader, []

    # What bodies consist of.

    def integer(self, width):
        return int.from_bytes(self.reader.take(width), "big")

    def size(self):
        number = self.integer(8)
        require(number < MOST_ELEMENTS, "a log has not so many elements")
        return number

    def check_room(self, elements):
        """Refuses more trees of the top level than the message can have something about."""
        rest = len(self.reader.body) - self.reader.place
        require(elements >> self.log.setup.top <= rest // 32, "the message is too short for this size")

    def scalar(self):
        return bilinear.read_scalar(self.reader.take(32))

    def value(self):
        length = self.integer(4)
        require(length <= LONGEST_VALUE, "a value is too long")
        return self.reader.take(length)

    def any_point(self):
        return self.reader.take(48)

    def point(self):
        point = self.reader.take(48)
        require(point != IDENTITY, "a point is the identity")
        return point

    def elements(self, level):
        return [self.reader.take(self.log.width) for _ in range(1 << level)]

    # Nodes.

    def small(self, index, elements):
        """The hash of a node of no more than a block, without its accumulator."""
        first = index * len(elements)
        hashes = [
            HASH("pad/v1/aad-leaf", (first + number).to_bytes(8, "big") + element)
            for number, element in enumerate(elements)
        ]
        while len(hashes) > 1:
            hashes = [NODE("pad/v1/aad-pair", *hashes[i : i + 2]) for i in range(0, len(hashes), 2)]
        return hashes[0]

    def _sealed(self, level, acc, inner):
        return Node(HASH("pad/v1/aad-node", bytes([level]) + acc + inner), acc)

    def stub(self, level):
        return self._sealed(level, self.point(), self.reader.take(32))

    def block(self, index):
        """The node, and its elements."""
        acc, elements, witness = self.point(), self.elements(BLOCK), self.any_point()
        inner = self.small(index, elements)
        self.claims.append(lambda: self._claim_block(inner, acc, elements, witness))
        return self._sealed(BLOCK, acc, inner), elements

    def joined(self, level, read_children):
        """A node above blocks, of which the message has the children."""
        acc, value, witness = self.point(), self.scalar(), self.any_point()
        left, right = read_children()
        inner = NODE("pad/v1/aad-pair", left.hash, right.hash)
        self.claims.append(lambda: self._claim_product(inner, left.acc, right.acc, acc, value, witness))
        return self._sealed(level, acc, inner)

    def shown(self, level, index, blocks, found):
        """A node with the blocks of these numbers, which ascend; their elements are added to what is found."""
        if level == BLOCK:
            node, elements = self.block(index)
            found.append((index, elements))
            return node

        def child(number):
            first, after = (n << level - 1 - BLOCK for n in (number, number + 1))
            below = [block for block in blocks if first <= block < after]
            return self.shown(level - 1, number, below, found) if below else self.stub(level - 1)

        return self.joined(level, lambda: (child(2 * index), child(2 * index + 1)))

    # Claims: what must be zero at a place, as scalars and points, the place, and the witness.

    def _transcript(self, name, *parts):
        transcript = Transcript(self.log.id, name)
        transcript.add(*parts)
        return transcript

    def _claim_block(self, inner, acc, elements, witness):
        place = self._transcript(b"aad: block", inner, acc).scalar()
        value = 1
        for element in elements:
            value = value * product_at(self.log.roots(element), place) % ORDER
        return [(1, acc), (-value, ONE)], place, witness

    def _claim_product(self, inner, left, right, parent, value, witness):
        transcript = self._transcript(b"aad: product", inner, left, right, parent)
        place = transcript.scalar()
        transcript.add(value)
        g = transcript.scalar()
        return [(1, left), (-value, ONE), (g, parent), (-g * value, right)], place, witness

    def check_claims(self):
        """All in one random combination."""
        values, witnesses = Counter(), Counter()
        for claim in self.claims:
            terms, place, witness = claim()
            random = secrets.randbits(128)
            for scalar, point in terms:
                values[point] += random * scalar
            values[witness] += random * place
            witnesses[witness] += random
        value, witness = (
            combine([(scalar, decode_g1(point)) for point, scalar in sums.items()]) for sums in (values, witnesses)
        )
        require(is_one([(value, GENERATOR_2), (negate(witness), self.log.setup.power)]), "a claim does not hold")

    # Look-ups.

    def tree(self, level, index, key_half, found):
        """A tree of a look-up; its elements of the key are added to what is found."""
        if level < BLOCK:
            elements = self.elements(level)
            found += [element for element in elements if element[:32] == key_half]
            return self.small(index, elements)
        if level == BLOCK:
            node, elements = self.block(index)
            found += [element for element in elements if element[:32] == key_half]
            return node.hash
        first = index << level - BLOCK
        count = self.integer(4)
        require(count <= 1 << level - BLOCK, "a tree has not so many blocks")
        blocks = [self.integer(4) for _ in range(count)]
        ascend = all(a < b for a, b in zip(blocks, blocks[1:]))
        require(ascend and (not blocks or blocks[-1] < 1 << level - BLOCK), "the blocks do not ascend in the tree")
        shown, mine = [], []
        if blocks:
            node = self.shown(level, index, [first + block for block in blocks], shown)
        else:
            node = self.stub(level)
        for _, elements in shown:
            of_key = [element for element in elements if element[:32] == key_half]
            require(of_key, "a block is shown for nothing")
            mine += of_key
        require(not (mine and self.log.is_set), "the element is there")
        (self._frontier if self.log.is_frontier else self._counted)(node.acc, key_half, mine)
        found += mine
        return node.hash

    def _counted(self, acc, key_half, mine):
        """That the key has no other elements, in counted schemes."""
        key, count = root_of_prefix(key_half, 256), len(mine)
        if count == 0:
            value, witness = self.scalar(), self.any_point()
            self.claims.append(lambda: ([(1, acc), (-value, ONE)], key, witness))
        elif count == 1:
            quotient, value, witness = self.point(), self.scalar(), self.any_point()
            self.claims.append(lambda: ([(1, acc)], key, quotient))
            self.claims.append(lambda: ([(1, quotient), (-value, ONE)], key, witness))
        else:
            quotient, first, value, witness = self.point(), self.any_point(), self.scalar(), self.any_point()

            def powers():
                parts = acc, quotient, key, count.to_bytes(4, "big")
                place = self._transcript(b"aad: counted", *parts).scalar()
                return [(1, acc), (-pow(place - key, count, ORDER), quotient)], place, first

            self.claims.append(powers)
            self.claims.append(lambda: ([(1, quotient), (-value, ONE)], key, witness))
        require(value, "the key has more elements")

    def _frontier(self, acc, key_half, mine):
        """The same in frontier schemes."""
        frontier, left, right = self.point(), self.point(), self.point()
        x, y, witness = self.scalar(), self.scalar(), self.any_point()

        def disjoint():
            transcript = self._transcript(b"aad: disjoint", acc, frontier, left, right)
            place = transcript.scalar()
            transcript.add(x, y)
            g = transcript.scalar()
            terms = [(1, left), (g, right), (g * g * x, acc), (g * g * y, frontier), (-x - g * y - g * g, ONE)]
            return terms, place, witness

        self.claims.append(disjoint)
        if not mine:
            length = self.integer(2)
            require(1 <= length <= 256, "a prefix has another length")
            last, opening = self._path(frontier), self.any_point()
            self.claims.append(lambda: ([(1, last)], root_of_prefix(key_half, length), opening))
            return
        scalars = frontier_of(mine)
        for _ in range(0, frontier_length(mine), CHUNK):
            self._chunk(frontier, scalars)

    def _chunk(self, frontier, following):
        last, quotient, witness = self._path(frontier), self.point(), self.any_point()

        def claim():
            scalars = list(islice(following, CHUNK))
            packed = b"".join(scalar.to_bytes(32, "big") for scalar in scalars)
            place = self._transcript(b"aad: chunk", last, quotient, packed).scalar()
            return [(1, last), (-product_at(scalars, place), quotient)], place, witness

        self.claims.append(claim)

    def _path(self, parent):
        depth = self.integer(1)
        require(depth <= DEEPEST_PATH, "a path is too deep")
        for _ in range(depth):
            count, chosen = self.integer(1), self.integer(1)
            require(2 <= count <= MOST_CHILDREN and chosen < count, "there is no such step of a path")
            children = [self.point() for _ in range(count)]
            values, witness = [self.scalar() for _ in range(count - 1)], self.any_point()
            self._step(parent, children, values, witness)
            parent = children[chosen]
        return parent

    def _step(self, parent, children, values, witness):
        def claim():
            transcript = self._transcript(b"aad: frontier product", *children, parent)
            place = transcript.scalar()
            transcript.add(*values)
            g = transcript.scalar()
            terms, power, product = [], 1, 1
            for child, value in zip(children, values):
                terms += [(power, child), (-power * value, ONE)]
                power, product = power * g % ORDER, product * value % ORDER
            terms += [(power, parent), (-power * product, children[-1])]
            return terms, place, witness

        self.claims.append(claim)

    # Append-only proofs.

    def grown(self, level, index, size, old):
        """A node in which an older log of this size ends. `old` has the older roots, to which their hashes are added."""
        if level < BLOCK:
            elements = self.elements(level)
            self._old_roots(level, index, elements, old)
            return Node(self.small(index, elements), None)
        if (level, index) in old or index << level >= size:
            node = self.stub(level)
            if (level, index) in old:
                old[level, index] = node.hash
            return node
        if level == BLOCK:
            node, elements = self.block(index)
            self._old_roots(level, index, elements, old)
            return node
        return self.joined(
            level, lambda: [self.grown(level - 1, child, size, old) for child in (2 * index, 2 * index + 1)]
        )

    def _old_roots(self, level, index, elements, old):
        """The hashes of older roots that consist of some of these elements."""
        start, end = index << level, index + 1 << level
        for low, place in old:
            if low < BLOCK and start <= place << low and place + 1 << low <= end:
                first = (place << low) - start
                old[low, place] = self.small(place, elements[first : first + (1 << low)])


def look_up(log, reader, root, key):
    """Kind 129: all values of a key, in the order in which they were appended; of a set that the member is not there."""
    message, found, key_half = Message(log, reader), [], log.key_half(key)
    size = message.size()
    message.check_room(size)
    hashes = [message.tree(level, index, key_half, found) for level, index in log.forest(size)]
    values = []
    if log.is_set:
        require(not found, "the element is there")
    else:
        require(message.integer(4) == len(found), "there are not as many values as elements")
        values = [message.value() for _ in found]
    reader.end()
    require(log.root(size, hashes) == root, "the root is another one")
    counts = Counter()
    for element, value in zip(found, values):
        counts[value] += 1
        require(log.element(key, value, counts[value]) == element, "a value is not that of its element")
    message.check_claims()
    return values


def look_up_one(log, reader, root, key, value):
    """Kind 130: that a value of a key, or a member of a set, is there; the position, and the number of the occurrence."""
    message = Message(log, reader)
    size, position = message.size(), message.integer(8)
    occurrence = None
    if not log.is_set:
        occurrence = message.integer(8)
        require(occurrence, "occurrences are counted from 1")
    require(position < size, "the position is beyond the end")
    message.check_room(position)
    hashes = []
    for level, index in log.forest(size):
        if position < index + 1 << level:
            break
        hashes.append(reader.take(32))
    end = index + 1 << level
    bag = [reader.take(32)] if end < size else []
    if level < BLOCK:
        first, elements = index << level, message.elements(level)
        hashes.append(message.small(index, elements))
    else:
        found, block = [], position >> BLOCK
        hashes.append(message.shown(level, index, [block], found).hash)
        first, elements = block << BLOCK, found[0][1]
    reader.end()
    require(log.root(size, hashes + bag) == root, "the root is another one")
    require(elements[position - first] == log.element(key, value, occurrence), "another element is there")
    message.check_claims()
    return position, occurrence


def check_append_only(log, reader, old_root, new_root):
    """Kind 131: that the newer log is the older one and what was appended; how many elements they have."""
    message = Message(log, reader)
    old_size, size = message.size(), message.size()
    require(old_size <= size, "the newer log is shorter")
    if old_size in (0, size):
        hashes = [reader.take(32)] if size else []
        reader.end()
        require(log.root(size, hashes) == new_root, "the newer root is another one")
        require(old_root == (new_root if old_size else EMPTY), "the older root is another one")
        return old_size, size
    message.check_room(size)
    old = dict.fromkeys(log.forest(old_size))
    hashes = []
    for level, index in log.forest(size):
        if (level, index) in old or index << level >= old_size:
            hashes.append(reader.take(32))
            if (level, index) in old:
                old[level, index] = hashes[-1]
        else:
            hashes.append(message.grown(level, index, old_size, old).hash)
    reader.end()
    require(log.root(size, hashes) == new_root, "the newer root is another one")
    require(None not in old.values(), "an older root is not in the newer log")
    require(log.root(old_size, list(old.values())) == old_root, "the older root is another one")
    message.check_claims()
    return old_size, size


def open_log(message, kind, log):
    return open_message(message, kind, log.scheme, LONGEST_FILE)
