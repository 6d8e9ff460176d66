"""Section "Accumulated tuples"."""

from . import bilinear, ed25519, rsa
from .refusal import require
from .tuples import BILINEAR, Design, open_parts, read_tuple, require_empty

SUPERSEDING, CHAINED = 1, 2


def accumulator(public, generation):
    """That of a generation."""
    label = (
        b"pad/v1/tuple-statement".ljust(32, b"\0")
        + public.suite.number.to_bytes(2, "big")
        + public.scheme.to_bytes(2, "big")
        + public.dictionary
        + bytes([generation])
    )
    of = bilinear if Design(public).family == BILINEAR else rsa
    return of.Accumulator(public.own, label)


def look_up(reader, public, version, question, head):
    """Kind 65."""
    design, suite, key = Design(public), public.suite, question.keys[0]
    is_chained = design.kind == CHAINED
    epochs = reader.list(reader.number, design.generations - 1)

    def part():
        shown = read_tuple(reader, suite)
        since = reader.number() if design.kind == SUPERSEDING else None
        signed = None if is_chained else reader.byte_string()
        return shown, since, signed, reader.byte_string()

    parts = reader.list(part, design.generations)
    seal = reader.optional((lambda: _read_seal(reader, design)) if is_chained else (lambda: True))
    reader.end()
    if not seal:
        require_empty(version, epochs, parts)
        return [(key, None)]
    instants = design.instants(version, epochs)
    opened, value = open_parts([part[0] for part in parts], instants, key, epochs, suite)
    if is_chained:
        values = _check_seal(public, design, seal, len(parts), head)
    for number, ((tuple_, instant), (_, since, signed, witness)) in enumerate(zip(opened, parts)):
        of = accumulator(public, number)
        element = design.digest(tuple_)
        if since is not None:
            element += since.to_bytes(8, "big")
        if is_chained:
            accumulated = values[number]
        else:
            accumulated = _check_signed(public, of, signed, since, instant)
        of.check_member(element, witness, accumulated)
    return [(key, value)]


def _check_signed(public, of, signed, since, instant):
    """The value in a signed value (kind 50) that is good for an instant."""
    require(len(signed) == 72 + of.width, "the signed value has another length")
    version, signature, value = int.from_bytes(signed[:8], "big"), signed[8:72], signed[72:]
    good = version == instant if since is None else since <= instant <= version
    require(good, "the value is not for then")
    message = of.signed_bytes(version, value)
    require(ed25519.verify(public.author, message, signature), "the signature of a value is not good")
    return value


def _read_seal(reader, design):
    suite = design.suite
    signature, history = reader.take(64), reader.take(suite.width)
    operations, merged = reader.take(suite.width), reader.take(1)
    values = reader.list(reader.byte_string, design.generations)
    return signature, history, operations, merged, values, reader.optional(lambda: reader.take(suite.width))


def _check_seal(public, design, seal, shown, head):
    """The values of the generations shown, if the author signed them all."""
    signature, history, operations, merged, values, rest = seal
    suite = public.suite
    require(len(values) == shown, "there are not as many values as parts")
    require((rest is None) == (shown == design.generations), "the rest of the chain is missing, or too much")
    chain = rest or b""
    for value in reversed(values):
        chain = suite.hash("pad/v1/tuple-chain", len(value).to_bytes(4, "big") + value + chain)
    attachment = suite.hash("pad/v1/tuple-attachment", merged + chain)
    root = suite.hash("pad/v1/tuple-root", operations + attachment)
    require(root == head.root, "the values are not those of the head")
    signed = (
        b"pad/v1/signed-head".ljust(32, b"\0")
        + suite.number.to_bytes(2, "big")
        + public.scheme.to_bytes(2, "big")
        + public.dictionary
        + head.version.to_bytes(8, "big")
        + root
        + history
    )
    require(ed25519.verify(public.author, signed, signature), "the signature of the values is not good")
    return values
