"""Section "Tuples": designs whose tuples are signed, with Ed25519 or BLS."""

from collections import namedtuple

from . import bls12_381, ed25519, heads
from .hash_to_g1 import hash_to_g1
from .questions import is_in_range
from .reader import open_message
from .refusal import require

MOST_STEPS = 4096
#: Of one aggregated signature: in all, or for each tuple, whichever is more.
MOST_STEPS_TOGETHER, MOST_STEPS_OF_EACH = 1 << 18, 512
#: What the tuples of a design are signed with, or elements of.
ED25519, BLS, RSA, BILINEAR = range(4)
BLS_TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
#: How the signatures of tuples stay good.
LIGHTWEIGHT = 2
NOTHING, VALUE, REMOVED = 0, 1, 2

#: `content` is NOTHING, VALUE or REMOVED; `digest` that of the value.
Tuple = namedtuple("Tuple", "generation epochs lower upper content digest")
#: What is shown beside a signature.
Shown = namedtuple("Shown", "since signed revealed link")


class Design:
    """What the number of a scheme says."""

    def __init__(self, public):
        self.public, self.suite = public, public.suite
        self.generations = public.scheme & 15
        self.family, self.kind = divmod(public.scheme >> 4 & 15, 4)
        self.signature_width = 48 if self.family == BLS else 64

    def read_shown(self, reader):
        if self.kind == 0:
            return None
        since, signed = reader.number(), reader.number()
        if self.kind == 1:
            return Shown(since, signed, 0, None)
        return Shown(since, signed, reader.number(1 << 32), reader.take(self.suite.width))

    def digest(self, tuple_):
        """The digest of a tuple."""
        data = bytes([tuple_.generation, len(tuple_.epochs)])
        data += b"".join(epoch.to_bytes(8, "big") for epoch in tuple_.epochs)
        data += len(tuple_.lower).to_bytes(4, "big") + tuple_.lower
        if tuple_.upper is None:
            data += b"\0"
        else:
            data += b"\1" + len(tuple_.upper).to_bytes(4, "big") + tuple_.upper
        data += bytes([tuple_.content])
        if tuple_.content == VALUE:
            data += tuple_.digest
        return self.suite.hash("pad/v1/tuple", data)

    def statement(self, tuple_, shown, instant):
        """What must be signed."""
        if shown is None:
            shown = Shown(instant, instant, 0, None)
        digest = self.digest(tuple_)
        anchor = shown.link or b""
        for _ in range(shown.revealed):
            anchor = self.suite.node("pad/v1/hash-chain", anchor, digest)
        return (
            b"pad/v1/tuple-statement".ljust(32, b"\0")
            + self.suite.number.to_bytes(2, "big")
            + self.public.scheme.to_bytes(2, "big")
            + self.public.dictionary
            + bytes([tuple_.generation])
            + shown.since.to_bytes(8, "big")
            + shown.signed.to_bytes(8, "big")
            + digest
            + anchor
        )

    def read_aggregate(self, reader):
        """What stands for the signatures of all tuples."""
        if self.family == BLS:
            return reader.take(self.signature_width)
        return reader.list(lambda: reader.take(self.signature_width))

    def check(self, claims, signatures):
        """Claims are tuples with what is shown of them and their instants; there is a signature for each, or one for all."""
        is_one = isinstance(signatures, bytes)
        require(is_one or len(claims) == len(signatures), "there is not one signature for each tuple")
        steps = 0
        for _, shown, instant in claims:
            if shown is not None:
                require(shown.since <= instant <= shown.signed + shown.revealed, "the signature is not for then")
                require(shown.revealed <= MOST_STEPS, "the chain is too long")
                steps += shown.revealed
        if is_one:
            most = max(MOST_STEPS_TOGETHER, MOST_STEPS_OF_EACH * len(claims))
            require(steps <= most, "the chains are too long together")
            self._check_bls([self.statement(*claim) for claim in claims], signatures)
            return
        for claim, signature in zip(claims, signatures):
            if self.family == BLS:
                self._check_bls([self.statement(*claim)], signature)
                continue
            good = ed25519.verify(self.public.author, self.statement(*claim), signature)
            require(good, "the signature of a tuple is not good")

    def _check_bls(self, messages, signature):
        point, key = bls12_381.decode_g1(signature), bls12_381.decode_g2(self.public.own)
        total = bls12_381.add([hash_to_g1(message, BLS_TAG) for message in messages])
        pairs = [(total, key), (bls12_381.negate(point), bls12_381.GENERATOR_2)]
        require(bls12_381.is_one(pairs), "the signature of a tuple is not good")

    def instants(self, version, epochs):
        require(version > 0, "version 0 has no generations, whatever is signed about it")
        require(len(epochs) == self.generations - 1, "there are not as many epochs as older generations")
        return [version, *epochs]


def _read_at(reader):
    upper = reader.optional(reader.key)
    content, value = reader.variant([lambda: None, reader.value, lambda: None])
    return upper, content, value


def _read_below(reader, suite):
    lower, upper = reader.key(), reader.optional(reader.key)
    content, digest = reader.variant([lambda: None, lambda: reader.take(suite.width), lambda: None])
    return lower, upper, content, digest


def read_tuple(reader, suite):
    """A tuple as a proof for a key shows it."""
    return reader.variant([lambda: _read_at(reader), lambda: _read_below(reader, suite)])


def _open_tuple(shown, key, generation, epochs, suite):
    """The tuple as it is signed; whether it decides about the key; the value, if it has one."""
    below, fields = shown
    epochs = epochs if generation == 0 else []
    if below:
        lower, upper, content, digest = fields
        require(lower < key, "the tuple does not begin below the key")
        decides, value = False, None
    else:
        upper, content, value = fields
        lower, digest = key, None
        decides = content != NOTHING
        if content == VALUE:
            digest = suite.hash("pad/v1/value", value)
    require(upper is None or key < upper, "the tuple ends before the key")
    return Tuple(generation, epochs, lower, upper, content, digest), decides, value


def require_empty(version, epochs, parts):
    """Refuses a proof without signatures that is not that of version 0."""
    require(version == 0 and not epochs and not parts, "without signatures there is version 0 alone")


def open_parts(shown_tuples, instants, key, epochs, suite):
    """The tuples of a look-up with their instants, youngest first, and the value; None if the key is absent."""
    opened = []
    for generation, instant in enumerate(instants):
        require(generation < len(shown_tuples), "a generation is missing")
        tuple_, decides, value = _open_tuple(shown_tuples[generation], key, generation, epochs, suite)
        opened.append((tuple_, instant))
        if decides:
            break
    require(len(opened) == len(shown_tuples), "a generation is shown for nothing")
    return opened, value if decides else None


def look_up(reader, public, version, question, _):
    """Kind 65."""
    design, suite, key = Design(public), public.suite, question.keys[0]
    epochs = reader.list(reader.number, design.generations - 1)

    def part():
        return read_tuple(reader, suite), design.read_shown(reader), reader.take(design.signature_width)

    parts = reader.list(part, design.generations)
    seal = reader.optional(lambda: True)
    reader.end()
    if not seal:
        require_empty(version, epochs, parts)
        return [(key, None)]
    instants = design.instants(version, epochs)
    opened, value = open_parts([part[0] for part in parts], instants, key, epochs, suite)
    claims = [(tuple_, part[1], instant) for (tuple_, instant), part in zip(opened, parts)]
    design.check(claims, [part[2] for part in parts])
    return [(key, value)]


def look_up_several(reader, public, version, question, _):
    """Kind 66."""
    design, suite = Design(public), public.suite
    epochs = reader.list(reader.number, design.generations - 1)
    most = design.generations * len(question.keys)
    parts = reader.list(lambda: (read_tuple(reader, suite), design.read_shown(reader)), most)
    signatures = reader.optional(lambda: design.read_aggregate(reader))
    reader.end()
    if signatures is None:
        require_empty(version, epochs, parts)
        return [(key, None) for key in question.keys]
    answers, claims, unused = {}, [], iter(parts)
    for generation, instant in enumerate(design.instants(version, epochs)):
        taken = None
        for key in question.keys:
            if key in answers or taken and (taken.upper is None or key < taken.upper):
                continue
            part = next(unused, None)
            require(part, "a tuple is missing")
            taken, decides, value = _open_tuple(part[0], key, generation, epochs, suite)
            claims.append((taken, part[1], instant))
            if decides:
                answers[key] = value
    require(next(unused, None) is None, "a tuple is shown for nothing")
    design.check(claims, signatures)
    return [(key, answers.get(key)) for key in question.keys]


def look_up_range(reader, public, version, question, _):
    """Kind 67."""
    design, suite = Design(public), public.suite
    epochs = reader.list(reader.number, design.generations - 1)

    def part():
        upper = reader.optional(reader.key)
        content = reader.variant(
            [lambda: None, reader.value, lambda: None, lambda: reader.take(suite.width)]
        )
        return upper, content, design.read_shown(reader)

    generations = reader.list(lambda: (reader.optional(reader.key), reader.list(part)), design.generations)
    signatures = reader.optional(lambda: design.read_aggregate(reader))
    reader.end()
    if signatures is None:
        require_empty(version, epochs, generations)
        return []
    instants = design.instants(version, epochs)
    require(len(generations) == len(instants), "there is not one list for each generation")
    decided, claims = {}, []
    for generation, (instant, (before, parts)) in enumerate(zip(instants, generations)):
        of = (generation, epochs if generation == 0 else [])
        for tuple_, shown in _open_range(question, of, before, parts, decided, suite):
            claims.append((tuple_, shown, instant))
    design.check(claims, signatures)
    return [(key, value) for key, value in sorted(decided.items()) if value is not None]


def _open_range(question, of, before, parts, decided, suite):
    start, end = question.keys[0] or b"", question.keys[1]
    require(before is None or before < start, "the first tuple does not begin below the range")
    lower, opened = start if before is None else before, []
    for number, (upper, (variant, content), shown) in enumerate(parts):
        require(upper is None or upper > start and upper > lower, "a tuple ends before it begins")
        is_open = is_in_range(question, lower) and lower not in decided
        require(variant != (3 if is_open else 1), "a value is shown where a digest belongs, or a digest")
        if is_open and variant in (VALUE, REMOVED):
            decided[lower] = content if variant == VALUE else None
        digest = suite.hash("pad/v1/value", content) if variant == VALUE else content
        kind = VALUE if variant == 3 else variant
        opened.append((Tuple(*of, lower, upper, kind, digest), shown))
        is_last = upper is None or end is not None and upper >= end
        require(is_last == (number == len(parts) - 1), "the tuples end before the range, or beyond it")
        lower = upper
    require(parts, "a generation shows no tuple")
    return opened


def _sized(data):
    return len(data).to_bytes(4, "big") + data


def verify_update(message, public, version):
    """The head in an update (kind 64), if the author signed it for this version and its root is that of what is beside it."""
    design, suite = Design(public), public.suite
    reader = open_message(message, 64, suite.number, len(message))
    require(reader.number() + 1 == version, "the update does not follow the version before")

    def signature():
        return reader.take(design.signature_width)

    def item():
        if design.kind != LIGHTWEIGHT:
            return signature()
        links = [lambda: reader.take(suite.width) + signature(), lambda: reader.take(suite.width)]
        number, fields = reader.variant(links)
        return bytes([number]) + fields

    def extension():
        items = reader.list(item)
        return len(items).to_bytes(4, "big") + b"".join(items)

    operations = reader.list(
        lambda: reader.variant([lambda: (reader.key(), reader.value()), lambda: (reader.key(),)])
    )
    fields, merged = heads.read_head(reader, public), reader.take(1)
    extensions = reader.list(extension)
    reader.end()
    done = b"".join(bytes([1 - removes]) + b"".join(map(_sized, parts)) for removes, parts in operations)
    attachment = merged + len(extensions).to_bytes(4, "big") + b"".join(extensions)
    root = suite.hash(
        "pad/v1/tuple-root",
        suite.hash("pad/v1/tuple-operations", done) + suite.hash("pad/v1/tuple-attachment", attachment),
    )
    require(root == fields[2].root, "the root is that of something else")
    return heads.check_head(fields, public, version)
