"""Section "FlexList": proofs about lists of blocks, files and challenges. No tags: what a scheme commits comes as its digest."""

from collections import namedtuple
from hashlib import sha256

from .refusal import require

LONGEST_PROOF, MOST_BYTES = 1 << 26, (1 << 63) - 1
TOP = 63
INNER, BLOCK, START, END, PRUNED = range(5)

#: A block that a proof shows: its first byte, its length, and the digest of what its scheme commits.
Found = namedtuple("Found", "start length digest")
#: Where a node stands: its role, the greatest level that an inner node may have there, and whether it is on the way to the start.
Slot = namedtuple("Slot", "role most_level on_way")
ROOT, AFTER_ROOT, AFTER_LEAF, BELOW, AFTER = "root", "after the root", "after a leaf", "below", "after"


def _be64(number):
    return number.to_bytes(8, "big")


def tag_digest(committed):
    return sha256(b"\5" + committed).digest()


def inner_sum(level, below, after):
    data = bytes([0, level]) + _be64(below[0]) + _be64(after[0]) + below[1] + after[1]
    return below[0] + after[0], sha256(data).digest()


def leaf_sum(kind, length, digest, after):
    data = bytes([kind]) + _be64(length) + _be64(after[0]) + digest + after[1]
    return length + after[0], sha256(data).digest()


NOTHING = (0, bytes(32))


class _Node:
    """A node that a message shows; `children` are numbers of nodes, those of an inner node below and after."""

    def __init__(self, kind):
        self.kind, self.level, self.length, self.digest = kind, 0, 0, bytes(32)
        self.children, self.is_read, self.sum = [], False, NOTHING


class Part:
    """The part of a list that a proof shows, once it leads to the root."""

    def __init__(self, message, root, total):
        require(len(message) <= LONGEST_PROOF, "the proof is too long")
        self._message, self._place, self.nodes, self.total = message, 0, [], total
        self._read_nodes()
        require(self._place == len(message), "the proof does not end where it should")
        for node in reversed(self.nodes):
            self._sum(node)
        require(self.nodes[0].sum == (total, root), "the proof does not lead to the root")

    def _take(self, length):
        taken = self._message[self._place : self._place + length]
        require(len(taken) == length, "the proof ends too early")
        self._place += length
        return taken

    def _number(self):
        number, shift = 0, 0
        while True:
            byte = self._take(1)[0]
            number |= (byte & 127) << shift
            if byte < 128:
                require(byte or not shift, "a number is longer than it need be")
                return number
            shift += 7
            require(shift < 63, "a number is too great")

    def _flag(self):
        flag = self._take(1)[0]
        require(flag <= 1, "a node is neither there nor not")
        return flag

    def _read_nodes(self):
        """In pre-order, with the places that are still to be filled on a stack."""
        places = [(None, Slot(ROOT, TOP, True))]
        while places:
            parent, slot = places.pop()
            kind = self._take(1)[0]
            require(kind <= PRUNED, "there is no such node")
            node, number = _Node(kind), len(self.nodes)
            if parent is not None:
                parent.children.append(number)
            self.nodes.append(node)
            for child in reversed(self._read_node(node, slot)):
                places.append((node, child))

    def _read_node(self, node, slot):
        """The rest of a node; the places of its children."""
        if node.kind == PRUNED:
            node.length, node.digest = self._number(), self._take(32)
            may_be_empty = slot.on_way or slot.role == AFTER_ROOT
            require(node.length or may_be_empty, "what is elided is empty")
            require(slot.role != AFTER_ROOT or node.length == 0, "bytes stand behind the end")
            return []
        if node.kind == END:
            require(slot.role == AFTER_ROOT, "the end stands elsewhere")
            return []
        require(slot.role != AFTER_ROOT, "the end stands elsewhere")
        if node.kind == INNER:
            node.level = self._take(1)[0]
            lowest = TOP if slot.role == ROOT else 1
            require(lowest <= node.level <= slot.most_level, "the level of a node is not one")
            after = AFTER_ROOT if slot.role == ROOT else AFTER
            return [Slot(BELOW, node.level - 1, slot.on_way), Slot(after, node.level, False)]
        require(slot.role != ROOT, "the root is a leaf")
        require((node.kind == START) == slot.on_way, "the start stands elsewhere")
        if node.kind == BLOCK:
            node.length, node.digest = self._number(), self._take(32)
            require(node.length, "a block is empty")
        return [Slot(AFTER_LEAF, 0, False)] if self._flag() else []

    def _sum(self, node):
        children = [self.nodes[child].sum for child in node.children]
        if node.kind == PRUNED:
            node.sum = node.length, node.digest
        elif node.kind == INNER:
            node.sum = inner_sum(node.level, *children)
        else:
            node.sum = leaf_sum(node.kind, node.length, node.digest, *(children or [NOTHING]))
        require(node.sum[0] <= MOST_BYTES, "the list is too long")

    def search(self, index):
        """The block with a byte."""
        require(0 <= index < self.total, "there is no such byte")
        node, rest = self.nodes[0], index
        while True:
            require(node.kind not in (PRUNED, END), "the byte is in what is elided")
            node.is_read = True
            if node.kind == INNER:
                below, after = (self.nodes[child] for child in node.children)
                is_below = rest < below.sum[0]
                node, rest = (below, rest) if is_below else (after, rest - below.sum[0])
                continue
            if node.kind == BLOCK and rest < node.length:
                return Found(index - rest, node.length, node.digest)
            rest -= node.length
            require(node.children, "the byte is in what is elided")
            node = self.nodes[node.children[0]]

    def finish(self):
        """Refuses a proof that shows more than was searched."""
        shown = (node for node in self.nodes if node.kind != PRUNED)
        require(all(node.is_read for node in shown), "more is shown than was asked for")


def prove_indices(message, root, total, indices):
    """The blocks with these bytes, in their order."""
    require(indices, "no byte is asked for")
    part = Part(message, root, total)
    found = [part.search(index) for index in indices]
    part.finish()
    return found


def prove_range(message, root, total, start, end):
    """The blocks that overlap a range of bytes, in the order of the file."""
    require(0 <= start < end <= total, "there is no such range")
    part, found = Part(message, root, total), []
    while start < end:
        found.append(part.search(start))
        start = found[-1].start + found[-1].length
    part.finish()
    return found


def root_of(blocks):
    """The total and the root of the list of blocks (length, level, tag digest)."""
    leaves = [(START, 0, TOP, bytes(32)), *((BLOCK, *block) for block in blocks), (END, 0, TOP, bytes(32))]

    # What stands from each leaf on, for each level that something still to come may be reached from.
    def of(first, level, end):
        if level == 0:
            summed = NOTHING
            for kind, length, _, digest in reversed(leaves[first:end]):
                summed = leaf_sum(kind, length, digest, summed)
            return summed
        same = [place for place in range(first + 1, end) if leaves[place][2] == level]
        ends = [*same, end]
        parts = [of(start, level - 1, stop) for start, stop in zip([first, *same], ends)]
        summed = parts.pop()
        while parts:
            summed = inner_sum(level, parts.pop(), summed)
        return summed

    return of(0, TOP, len(leaves))


def file_id(owner, salt):
    return sha256(b"flexlist/file-id/v1" + owner + salt).digest()


def sealed_root(file, version, total, root):
    return sha256(b"\x10" + file + _be64(version) + _be64(total) + root).digest()


class Challenge:
    """Which bytes are asked for, and with what coefficients."""

    def __init__(self, context):
        self.context = context

    @classmethod
    def of_samples(cls, seed, file, version, root, total, count):
        data = seed + file + _be64(version) + root + _be64(total) + count.to_bytes(4, "big")
        return cls(sha256(b"flexdpdp/chal/v1" + data).digest())

    @classmethod
    def of_range(cls, seed, file, version, root, total, start, end):
        data = seed + file + _be64(version) + root + _be64(total) + _be64(start) + _be64(end)
        return cls(sha256(b"flexdpdp/every/v1" + data).digest())

    def _sixteen(self, kind, number):
        return int.from_bytes(sha256(self.context + kind + _be64(number)).digest()[:16], "big")

    def place(self, number, below):
        return self._sixteen(b"\1", number) * below >> 128

    def coefficient(self, number):
        return self._sixteen(b"\2", number)
