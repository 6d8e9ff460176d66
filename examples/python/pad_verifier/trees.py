"""Section "Proofs": trees with some leaves opened and everything else elided."""

from bisect import bisect_left
from collections import namedtuple

from .questions import is_in_range
from .refusal import require

Leaf = namedtuple("Leaf", "key value digest")
Subtree = namedtuple("Subtree", "digest first_leaf starts_elided ends_elided")
#: `adjacent[i]` says whether nothing is between leaf i and leaf i + 1.
Opened = namedtuple("Opened", "leaves adjacent at_start at_end")


def _read_leaf(reader, suite):
    key = reader.key()
    shown, content = reader.variant([lambda: reader.take(suite.width), reader.value])
    if shown:
        return Leaf(key, content, suite.hash("pad/v1/value", content))
    return Leaf(key, None, content)


def open_tree(reader, suite, root):
    """Steps 1 to 6."""
    shape = reader.byte_string()
    siblings = reader.list(lambda: reader.take(suite.width))
    leaves = reader.list(lambda: _read_leaf(reader, suite))
    reader.end()
    if not leaves:
        empty = suite.hash("pad/v1/empty-tree", b"")
        require(not shape and not siblings and root == empty, "the tree is not empty")
        return Opened([], [], True, True)
    require(all(a.key < b.key for a, b in zip(leaves, leaves[1:])), "the leaves do not ascend")
    nodes = len(siblings) + 2 * len(leaves) - 1
    require(len(shape) == (nodes + 3) // 4, "the shape has another length")
    codes = [byte >> shift & 3 for byte in shape for shift in (0, 2, 4, 6)]
    require(not any(codes[nodes:]), "unused bits of the shape are set")
    adjacent = [False] * (len(leaves) - 1)
    subtree = _fold(codes[:nodes], siblings, leaves, adjacent, suite)
    require(subtree.digest == root, "the proof leads to another root")
    return Opened(leaves, adjacent, not subtree.starts_elided, not subtree.ends_elided)


def _fold(codes, siblings, leaves, adjacent, suite):
    stack, siblings = [], list(siblings)
    left_leaves = len(leaves)
    for code in reversed(codes):
        if code == 0:
            require(left_leaves, "the shape has too many leaves")
            left_leaves -= 1
            leaf = leaves[left_leaves]
            digest = suite.hash("pad/v1/tree-leaf", leaf.key + leaf.digest)
            stack.append(Subtree(digest, left_leaves, False, False))
        elif code == 3:
            require(len(stack) >= 2, "the shape is no tree")
            a, b = stack.pop(), stack.pop()
            adjacent[b.first_leaf - 1] = not a.ends_elided and not b.starts_elided
            digest = suite.node("pad/v1/tree-node", a.digest, b.digest)
            stack.append(Subtree(digest, a.first_leaf, a.starts_elided, b.ends_elided))
        else:
            require(stack and siblings, "the shape is no tree")
            x, elided = stack.pop(), siblings.pop()
            pair = (elided, x.digest) if code == 1 else (x.digest, elided)
            digest = suite.node("pad/v1/tree-node", *pair)
            starts, ends = x.starts_elided or code == 1, x.ends_elided or code == 2
            stack.append(Subtree(digest, x.first_leaf, starts, ends))
    require(len(stack) == 1 and not siblings and not left_leaves, "the shape is no tree")
    return stack[0]


def _is_asked(question, key):
    name, keys = question
    return {
        "look-up": lambda: key in keys,
        "keys": lambda: key in keys,
        "range": lambda: is_in_range(question, key),
        "predecessor": lambda: key < keys[0],
        "successor": lambda: key > keys[0],
        "first": lambda: True,
        "last": lambda: True,
    }[name]()


def conclude(opened, question):
    """Steps 7 and 8: the entries that the proof establishes; None for the value of an absent key."""
    for leaf in opened.leaves:
        shows = leaf.value is not None
        require(shows == _is_asked(question, leaf.key), "a value is shown that is not asked for, or not shown")
    if question.name in ("look-up", "keys"):
        return _look_up(opened, question.keys)
    if question.name == "range":
        return _range(opened, question)
    if question.name in ("first", "last"):
        require(len(opened.leaves) <= 1, "more leaves are opened than one")
        is_open = opened.at_start if question.name == "first" else opened.at_end
        require(is_open, "something beyond is elided")
        return [(leaf.key, leaf.value) for leaf in opened.leaves]
    return _neighbour(opened, question)


def _look_up(opened, keys):
    names = [leaf.key for leaf in opened.leaves]
    needed, answer = set(), []
    for key in keys:
        place = bisect_left(names, key)
        if place < len(names) and names[place] == key:
            needed.add(place)
            answer.append((key, opened.leaves[place].value))
            continue
        if place == 0:
            is_gap = opened.at_start
        elif place == len(names):
            is_gap = opened.at_end
        else:
            is_gap = opened.adjacent[place - 1]
        # A tree without leaves is open at both ends.
        require(is_gap, "the key's place is elided")
        needed.update((place - 1, place))
        answer.append((key, None))
    require(all(place in needed for place in range(len(names))), "a leaf is opened for nothing")
    return answer


def _range(opened, question):
    start, end = question.keys
    before = sum(start is not None and leaf.key < start for leaf in opened.leaves)
    after = sum(end is not None and leaf.key >= end for leaf in opened.leaves)
    require(before <= 1 and after <= 1, "a leaf is opened for nothing")
    require(all(opened.adjacent), "something in the range is elided")
    require((before or opened.at_start) and (after or opened.at_end), "an end of the range is elided")
    return [(leaf.key, leaf.value) for leaf in opened.leaves if is_in_range(question, leaf.key)]


def _neighbour(opened, question):
    """The mirror image of a successor is a predecessor."""
    leaves, at_start, at_end = opened.leaves, opened.at_start, opened.at_end
    if question.name == "successor":
        leaves, at_start, at_end = leaves[::-1], at_end, at_start
    require(len(leaves) <= 2 and all(opened.adjacent), "more leaves are opened than two neighbours")
    is_answer = [_is_asked(question, leaf.key) for leaf in leaves]
    if not leaves:
        return []
    if len(leaves) == 2:
        require(is_answer == [True, False], "the leaves are not on both sides of the key")
    elif is_answer[0]:
        require(at_end, "something between the answer and the key is elided")
    else:
        require(at_start, "something beyond is elided")
        return []
    return [(leaves[0].key, leaves[0].value)]
