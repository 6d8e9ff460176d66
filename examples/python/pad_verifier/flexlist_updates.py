"""Section "FlexList", *Witness*: what a batch of operations makes of a list of which a part is shown."""

from .flexlist import BLOCK, END, INNER, MOST_BYTES, NOTHING, PRUNED, TOP, Part, inner_sum, leaf_sum
from .refusal import require

MOST_READ, MOST_READ_FOR_EACH = 1 << 22, 1 << 10


class _Link:
    """A node of the list as it is now; `old` is the node that the witness shows, None for one that an operation made."""

    def __init__(self, kind, level=0, length=0, digest=bytes(32), old=None):
        self.kind, self.level, self.length, self.digest, self.old = kind, level, length, digest, old
        self.below = self.after = None
        self.rank = length

    def count(self):
        if self.kind != PRUNED:
            self.rank = self.below.rank if self.kind == INNER else self.length
            self.rank += self.after.rank if self.after else 0


class List:
    """The list with this total and root, as far as a witness shows it."""

    def __init__(self, witness, root, total):
        self._part = Part(witness, root, total)
        links = []
        for node in self._part.nodes:
            links.append(_Link(node.kind, node.level, node.length, node.digest, node))
        for node, link in zip(self._part.nodes, links):
            link.rank = node.sum[0]
            children = [links[child] for child in node.children]
            if node.kind == INNER:
                link.below, link.after = children
            elif children:
                link.after = children[0]
        self._root, self._touched = links[0], []
        self._old_read = self._read_count = self._operations = 0

    def _read(self, link):
        require(link.kind != PRUNED, "an operation needs what is elided")
        self._read_count += 1
        require(self._read_count <= MOST_READ + MOST_READ_FOR_EACH * self._operations, "the batch reads too much")
        if link.old and not link.old.is_read:
            link.old.is_read = True
            self._old_read += 1
            require(self._old_read <= MOST_READ, "the batch reads too much")
        self._touched.append(link)

    def _made(self, link):
        self._touched.append(link)
        return link

    def _begin(self):
        self._operations += 1
        self._touched = []

    def _end(self):
        for link in reversed(self._touched):
            link.count()

    def _put(self, place, link):
        holder, side = place
        if holder is None:
            self._root = link
        else:
            setattr(holder, side, link)

    def _search(self, index):
        """The block with a byte, and its first byte."""
        require(0 <= index < self._root.rank, "there is no such byte")
        link, rest = self._root, index
        while True:
            self._read(link)
            if link.kind == INNER:
                is_below = rest < link.below.rank
                link, rest = (link.below, rest) if is_below else (link.after, rest - link.below.rank)
            elif link.kind == BLOCK and rest < link.length:
                return link, index - rest
            else:
                require(link.kind != END and link.after, "the byte is in what is elided")
                rest -= link.length
                link = link.after

    def modify(self, index, length, digest):
        self._begin()
        leaf, _ = self._search(index)
        require(length >= 1 and self._root.rank - leaf.length + length <= MOST_BYTES, "the list is too long")
        leaf.length, leaf.digest = length, digest
        self._end()

    def insert(self, index, length, digest, level):
        self._begin()
        require(length >= 1 and self._root.rank + length <= MOST_BYTES, "the list is too long")
        require(0 <= level < TOP and 0 <= index <= self._root.rank, "there is no such place")
        new, place, link, rest = _Link(BLOCK, 0, length, digest), (None, None), self._root, index
        while True:
            self._read(link)
            if link.level < level:
                self._put(place, self._above(level, link, rest, new))
                break
            if link.kind == INNER and rest > link.below.rank:
                place, rest = (link, "after"), rest - link.below.rank
            elif link.kind == INNER and link.level == level:
                inner = self._made(_Link(INNER, level))
                inner.after, notes = link.after, []
                link.after = inner
                self._cut((link, "below"), rest, notes)
                inner.below = self._tower(new, notes)
                break
            elif link.kind == INNER:
                place = (link, "below")
            elif rest > link.length:
                place, rest = (link, "after"), rest - link.length
            else:
                require(rest == link.length, "the index is inside a block")
                new.after, link.after = link.after, self._made(new)
                break
            link = getattr(*place)
            require(link, "there is no such place")
        self._end()

    def _above(self, level, link, rest, new):
        inner, notes = self._made(_Link(INNER, level)), []
        inner.below = link
        self._cut((inner, "below"), rest, notes)
        inner.after = self._tower(new, notes)
        return inner

    def _cut(self, place, rest, notes):
        """Takes off what stands behind the first bytes; the links to it are noted, from the top down."""
        while True:
            link = getattr(*place)
            require(link, "there is no such place")
            self._read(link)
            if link.kind == INNER and rest <= link.below.rank:
                notes.append((link.level, link.after))
                self._put(place, link.below)
            elif link.kind == INNER:
                place, rest = (link, "after"), rest - link.below.rank
            elif rest > link.length:
                place, rest = (link, "after"), rest - link.length
            else:
                require(rest == link.length, "the index is inside a block")
                if link.after:
                    notes.append((0, link.after))
                link.after = None
                return

    def _tower(self, leaf, notes):
        """The new leaf, and above it a node for each link that was noted."""
        made = [leaf]
        for level, after in reversed(notes):
            if level == 0:
                leaf.after = after
                continue
            inner = _Link(INNER, level)
            inner.below, inner.after = made[-1], after
            made.append(inner)
        self._touched.extend(reversed(made))
        return made[-1]

    def remove(self, index):
        self._begin()
        _, rest = self._search(index)
        place, link = (None, None), self._root
        while True:
            self._read(link)
            if link.kind == INNER and rest == link.below.rank:
                self._merge_behind(place, link)
                break
            if link.kind == INNER and rest < link.below.rank:
                place = (link, "below")
            elif link.kind == INNER:
                place, rest = (link, "after"), rest - link.below.rank
            elif rest > link.length:
                place, rest = (link, "after"), rest - link.length
            else:
                self._read(link.after)
                link.after = link.after.after
                break
            link = getattr(*place)
        self._end()

    def _merge_behind(self, place, link):
        """Takes out the leaf of the tower after a node."""
        notes, top = [], link.after
        while top.kind == INNER:
            self._read(top)
            notes.append((top.level, top.after))
            top = top.below
        self._read(top)
        if top.after:
            notes.append((0, top.after))
        if notes and notes[0][0] == link.level:
            link.after = notes.pop(0)[1]
            place = (link, "below")
        else:
            self._put(place, link.below)
        notes.reverse()
        while notes:
            link = self._root if place[0] is None else getattr(*place)
            self._read(link)
            level, after = notes[-1]
            if link.kind == INNER and link.level >= level or link.kind != INNER and level == 0 and link.after:
                place = (link, "after")
                continue
            notes.pop()
            if link.kind != INNER and level == 0:
                link.after = after
                return
            # Above the node that was read, so that it is counted after it.
            inner = _Link(INNER, level)
            inner.below, inner.after = link, after
            self._touched.insert(len(self._touched) - 1, inner)
            self._put(place, inner)
            place = (inner, "below")

    def finish(self):
        """The new total and root; refuses a witness that shows more than was read."""
        require(self._operations, "a batch has an operation")
        self._part.finish()
        sums, stack = {}, [(self._root, False)]
        while stack:
            link, are_known = stack.pop()
            children = [child for child in (link.below, link.after) if child]
            if not are_known:
                stack.append((link, True))
                stack.extend((child, False) for child in children)
                continue
            of = [sums[id(child)] for child in children]
            if link.kind == PRUNED:
                sums[id(link)] = link.length, link.digest
            elif link.kind == INNER:
                sums[id(link)] = inner_sum(link.level, *of)
            else:
                sums[id(link)] = leaf_sum(link.kind, link.length, link.digest, *(of or [NOTHING]))
        return sums[id(self._root)]
