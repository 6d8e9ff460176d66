"""What published vectors have no case of: inputs made here, each with what is to be said of it."""

import base64
import hashlib
import hmac
import json

from pad_verifier import bilinear, ed25519, head_logs, logs, proof_files, rsa, secret_keys, tags
from pad_verifier.bls12_381 import GENERATOR_1, GENERATOR_2, ORDER, combine_g2, encode_g1, multiply_unreduced, negate
from pad_verifier.hash_to_g1 import hash_to_g1
from pad_verifier.heads import Head
from pad_verifier.keys import PublicKey
from pad_verifier.questions import Question
from pad_verifier.refusal import Refused

#: A prime of 2048 bits.
PRIME = (1 << 2048) - 1557


class Wrong(Exception):
    """A verdict is not the expected one."""


def is_refused(check, *case):
    """Whether this refuses."""
    try:
        check(*case)
    except Refused:
        return True
    return False


def all_refused(name, check, cases):
    """How many cases are refused, which are all."""
    for case in cases:
        if not is_refused(check, *case):
            raise Wrong(f"{name}accepted: {case}")
    return len(cases)


def changed_at(message, places):
    """The message with one byte changed, at each of these places."""
    return [message[:place] + bytes([message[place] ^ 1]) + message[place + 1 :] for place in places]


def encode_g2(point):
    x, y = point
    data = bytearray(x[1].to_bytes(48, "big") + x[0].to_bytes(48, "big"))
    opposite = negate((0, y[1]))[1], negate((0, y[0]))[1]
    data[0] |= 0xA0 if (y[1], y[0]) > opposite else 0x80
    return bytes(data)


def sign(seed, message):
    """Ed25519 (RFC 8032, section 5.1.6)."""
    hashed = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(hashed[:32], "little") & (1 << 254) - 8 | 1 << 254
    once = int.from_bytes(hashlib.sha512(hashed[32:] + message).digest(), "little") % ed25519.ORDER
    commitment = ed25519._compress(ed25519._multiply(once, ed25519.BASE))
    challenge = hashlib.sha512(commitment + ed25519.public_of(seed) + message).digest()
    total = once + int.from_bytes(challenge, "little") * scalar
    return commitment + (total % ed25519.ORDER).to_bytes(32, "little")


def check_parameters(*_):
    """Bilinear parameters with secrets that anybody finds, and others."""

    def of(secret, count=3):
        powers = [pow(secret, power, ORDER) for power in range(count)]
        in_g1 = [encode_g1(multiply_unreduced(GENERATOR_1, power)) for power in powers]
        in_g2 = [encode_g2(combine_g2([(power, GENERATOR_2)])) for power in powers]
        lists = (len(points).to_bytes(4, "big") + b"".join(points) for points in (in_g1, in_g2))
        return b"PAD1\1\x38\1\2\1p" + b"".join(lists)

    root = pow(7, (ORDER - 1) // 4, ORDER)
    good = [of(secret) for secret in (525569, -525569, root + 1)]
    for message in good:
        bilinear.Parameters(message)
    bad = [of(secret) for secret in (1, -1, 2, 1 << 19, -(1 << 19), 525568, -525568, root)] + [of(525569, 1)]
    whole = good[0]
    bad += changed_at(whole, (4, 5, 7, 8, 13, 61, 110, 165))
    bad += [whole[:-1], whole + b"\0", whole[:9] + b"\xff" + whole[10:]]
    return len(good), all_refused("parameters: ", bilinear.Parameters, [(message,) for message in bad])


def check_rsa_tags(vectors, _):
    """Keys for tags with a modulus or a base that is not good."""
    parameters = json.loads((vectors / "accumulators" / "rsa.json").read_text())["messages"]["parameters"]
    modulus = int.from_bytes(rsa.read_parameters(bytes.fromhex(parameters))[1], "big")
    root = (1 << 1024) - 105
    bad = [(modulus, base) for base in (0, 1, modulus - 1, modulus, modulus + 1)]
    bad += [(modulus - 1, 5), (root * root, 4), (modulus >> 1 | 1, 4), (PRIME, 4), (PRIME - 2 - PRIME % 3, 3)]

    def read(modulus, base):
        tags.read_verifier(tags.RSA_2048, modulus.to_bytes(256, "big") + base.to_bytes(256, "big"))

    read(modulus, 4)
    read(modulus, modulus - 2)
    return 2, all_refused("rsa: ", read, bad)


def check_other_tags(*_):
    """Points that are the identity, hits that are in no block, and blocks of other lengths."""
    point, identity, power = encode_g1(GENERATOR_1), encode_g1(None), encode_g2(GENERATOR_2)
    committed, most = bytes(48), tags.PublicBls.MOST_SECTORS
    # What is refused is so with fewer points, too.
    tags.PublicBls.MOST_SECTORS = 80
    points = [point] * tags.PublicBls.MOST_SECTORS
    bad = [
        bytes([0xC0]) + bytes(95) + b"".join(points),
        power + b"".join(points[1:]) + identity,
        power + b"".join(points[1:]),
        power + b"".join(points) + point,
    ]
    count = all_refused("public-bls: ", tags.read_verifier, [(tags.PUBLIC_BLS, body) for body in bad])
    # The sum of a tag that is the identity: the equation holds.
    tags.PublicBls.MOST_SECTORS = most
    points = [point] * most
    points[0] = encode_g1(hash_to_g1(committed[32:] + (31).to_bytes(8, "big"), tags.BLS_TAG))
    of = tags.read_verifier(tags.PUBLIC_BLS, power + b"".join(points))
    challenged = [tags.Block(committed, 31, [(0, 1)])]
    of.check(challenged, points[0] + bytes(32))
    count += all_refused("public-bls: ", of.check, [(challenged, identity + (ORDER - 1).to_bytes(32, "big"))])
    of, chunk = tags.read_verifier(tags.HASH_ONLY, b""), bytes(256)
    root = tags.root_of(chunk)
    of.check([tags.Block(root, 256, [(255, 1)])], chunk)
    bad = [(256, 256, chunk), (256, -1, chunk), (0, 0, b""), (257, 256, b"\0"), ((1 << 24) + 1, 0, chunk)]
    bad = [([tags.Block(root, length, [(offset, 1)])], proof) for length, offset, proof in bad]
    return 2, count + all_refused("hash-only: ", of.check, bad)


def check_cosignatures(vectors, _):
    """Times of cosignatures, several of one witness, keys that may be taken for each other, and policies."""
    published = json.loads((vectors / "logs" / "heads.json").read_text())
    public, case = PublicKey(published["public"]), published["accepted"][0]
    note = case["proof"].split("\n\n", 1)[1].rpartition("\n\n")[0] + "\n"
    log_seed, witnesses = bytes.fromhex(published["log_seed"]), published["witnesses"]

    def line(key, signature):
        name, digits, _ = key.split("+", 2)
        return f"— {name} {base64.b64encode(bytes.fromhex(digits) + signature).decode()}\n"

    def cosigned(number, time):
        seed = bytes.fromhex(witnesses[number]["seed"])
        signature = sign(seed, f"cosignature/v1\ntime {time}\n{note}".encode())
        return line(witnesses[number]["key"], time.to_bytes(8, "big") + signature)

    signed, log_key = line(published["log_key"], sign(log_seed, note.encode())), published["log_key"]
    keys = f"log {log_key}\n" + "".join(f"witness W{i} {witness['key']}\n" for i, witness in enumerate(witnesses))
    both = keys + "group G all W0 W1\nquorum G\n"

    def newest(lines, since, policy=both):
        proof = case["proof"].split("\n\n", 1)[0] + "\n\n" + note + "\n" + "".join(lines)
        head_logs.verify_newest(proof.encode(), head_logs.Policy(policy.encode()), public, since)

    first, second = cosigned(0, 1000), cosigned(1, 2000)
    latest = cosigned(1, (1 << 63) - 1)
    good = [
        ([signed, first, second], None),
        ([signed, first, second], 1000),
        ([second, first, second, signed, cosigned(0, 5)], 1000),
        ([signed, first, latest], 1000),
        ([signed], None, f"log {log_key}\nquorum none\n"),
    ]
    for one in good:
        newest(*one)
    other = log_key.replace("+", "x+", 1)
    bad = [
        ([signed, first, second], 1001),
        ([signed, first, first, cosigned(0, 1001)], None),
        ([signed, first, cosigned(1, 1 << 63)], None),
        ([signed, first, second, cosigned(1, (1 << 64) - 1)], None),
        ([first, second], None),
        ([signed, signed.replace("pad.", "pod.", 1).replace(" pod.", " pod. "), first, second], None),
        ([signed], 0, f"log {log_key}\nquorum none\n"),
        ([signed, first, second], None, both + f"log {other}\n"),
        ([signed, first, second], None, both + f"log {log_key}\n"),
        ([signed, first, second], None, keys + "group G 2 W0 W0\nquorum G\n"),
        ([signed, first, second], None, keys + "group G 0 W0\nquorum G\n"),
        ([signed, first, second], None, keys + "group G 3 W0 W1\nquorum G\n"),
        ([signed, first, second], None, keys + "group G 01 W0 W1\nquorum G\n"),
        ([signed, first, second], None, keys + "group G any W0\ngroup H any W0\nquorum G\n"),
        ([signed, first, second], None, keys + "quorum G\ngroup G any W0\n"),
        ([signed, first, second], None, keys + "quorum W0\nquorum W0\n"),
        ([signed, first, second], None, keys),
        ([signed, first, second], None, both + "#" + "x" * (1 << 20)),
    ]
    names = [f"group G{i} any {'W0' if i == 0 else f'G{i - 1}'}\n" for i in range(257)]
    newest([signed, first], None, keys + "".join(names[:256]) + "quorum G255\n")
    bad.append(([signed, first], None, keys + "".join(names) + "quorum G255\n"))
    return len(good) + 1, all_refused("heads: ", newest, bad)


def check_versions_of_logs(vectors, _):
    """Two roots of one version, of which one continues the other: signed, but no log that only grows."""
    published = json.loads((vectors / "proof-files" / "aad-counted.json").read_text())
    public = PublicKey(published["public"])
    growths = [case for case in published["accepted"] if case["question"] == "append-only"]
    case = next(case for case in growths if 0 < int(case["keys"][0], 16) < case["version"])
    log = logs.Log(public.scheme, public.dictionary, public.own)
    older = int(case["keys"][0], 16)
    reader = logs.open_log(bytes.fromhex(case["file"]), 147, log)
    heads = [proof_files._read_head(reader, public, number) for number in (older, case["version"])]
    body = reader.body[reader.place :]
    seed, proof = b"\x2a" * 32, b"PAD1\1\x93" + public.scheme.to_bytes(2, "big")

    def file(versions):
        message = proof
        for number, head in zip(versions, heads):
            signed = Head(number, head.root, head.history)
            message += b"\1" + b"\xfb" + public.scheme.to_bytes(2, "little") + public.dictionary + bytes([number])
            fixed = b"pad/v1/signed-head".ljust(32, b"\0") + (1).to_bytes(2, "big") + public.scheme.to_bytes(2, "big")
            fixed += public.dictionary + number.to_bytes(8, "big") + signed.root + signed.history
            message += signed.root + signed.history + sign(seed, fixed)
        return message + body

    def verify(versions):
        question = Question("append-only", [versions[0].to_bytes(8, "big")])
        proof_files.verify(file(versions), public, versions[1], question)

    verify((older, case["version"]))
    return 1, all_refused("logs: ", verify, [((2, 2),), ((3, 2),)])


def check_frontiers(_, some):
    """How many strings a frontier has is known before they are there."""
    numbers = [hashlib.sha256(bytes([i])).digest() for i in range(40)]
    numbers += [bytes(32), bytes(31) + b"\1", b"\xff" * 32, b"\xff" * 31 + b"\xfe", numbers[0]]
    counts = {1, 2, len(numbers), *some(range(1, len(numbers) + 1))}
    for count in counts:
        for of in (numbers[:count], numbers[-count:]):
            elements = [bytes(32) + number for number in of]
            if len(list(logs.frontier_of(elements))) != logs.frontier_length(elements):
                raise Wrong(f"another length: {elements}")
    return 2 * len(counts), 0


def check_encrypted(*_):
    """An encrypted key file that is no text, passphrases that are none, and parameters that cost too much."""

    def of(text, passphrase, log_n=1, r=1, p=1):
        header = b"scrypt\0" + bytes([log_n]) + r.to_bytes(4, "big") + p.to_bytes(4, "big") + bytes(32)
        header += hashlib.sha256(header).digest()[:16]
        if (log_n, r, p) != (1, 1, 1):
            return header + bytes(32 + 32)
        keys = hashlib.scrypt(passphrase.encode(), salt=bytes(32), n=2, r=1, p=1, dklen=64)
        file = header + hmac.new(keys[32:], header, hashlib.sha256).digest()
        file += secret_keys._counter_mode(keys[:32], text)
        return file + hmac.new(keys[32:], file, hashlib.sha256).digest()

    if secret_keys.decrypt(of(b"text", "p"), "p") != "text":
        raise Wrong("another text")
    bad = [(of(b"\xff", "p"), "p")] + [(of(b"text", phrase), phrase) for phrase in ("", "p\n", "\0", "p" * 1025)]
    costs = [(31, 8, 1), (63, 1, 1), (1, 1 << 31, 1), (1, 1, 1 << 24), (20, 8, 3), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    return 1, all_refused("keys: ", secret_keys.decrypt, bad + [(of(b"", "p", *cost), "p") for cost in costs])


CHECKS = [
    check_parameters,
    check_rsa_tags,
    check_other_tags,
    check_cosignatures,
    check_versions_of_logs,
    check_frontiers,
    check_encrypted,
]
