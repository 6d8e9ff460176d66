"""Section "Key files": what authors and owners of outsourced files keep, also encrypted with a passphrase.

A verifier needs none of it; an author needs all of it. Nothing here is constant-time.
"""

import hashlib
import hmac
import re

from . import ed25519
from .keys import LONGEST_FILE, from_digits
from .refusal import Refused, Unsupported, require

MOST_MEMORY, MOST_BLOCKS = 1 << 30, 1 << 24
LONGEST_PASSPHRASE = 1024
LINES = re.compile(
    r"pad-secret-key v1\nsuite [^\n]*\nscheme [^\n]*\ndictionary [0-9a-f]{32}\nseed ([0-9a-f]{64})\n"
    r"(?:(?:scheme-secret|scheme-key) ([0-9a-f]+)\n)?\Z"
)
OWNER_LINES = re.compile(r"pad-file-key v1\nseed ([0-9a-f]{64})\ntags ([0-9a-f]+)\n\Z")


def author_of(text):
    """The author's public key of a secret key file. The secret of the scheme is not looked at."""
    require(len(text) <= LONGEST_FILE, "the file is too long")
    lines = LINES.match(text)
    require(lines, "this is no secret key file")
    from_digits(lines[2] or "")
    return ed25519.public_of(bytes.fromhex(lines[1]))


def owner_of(text):
    """The public key, and the message of kind 98, of an owner of outsourced files. That message is not looked at."""
    require(len(text) <= LONGEST_FILE, "the file is too long")
    lines = OWNER_LINES.match(text)
    require(lines, "this is no key file of an owner")
    return ed25519.public_of(bytes.fromhex(lines[1])), from_digits(lines[2])


def decrypt(file, passphrase):
    """The text of an encrypted key file."""
    secret = passphrase.encode()
    require(1 <= len(secret) <= LONGEST_PASSPHRASE and not set(secret) & set(b"\0\r\n"), "this is no passphrase")
    require(128 <= len(file) <= LONGEST_FILE + 128, "this is no encrypted key file")
    header, checksum, tag = file[:48], file[48:64], file[64:96]
    require(header[:7] == b"scrypt\0", "this is no encrypted key file")
    r, p = (int.from_bytes(header[at : at + 4], "big") for at in (8, 12))
    require(header[7] < 64 and r and p, "the parameters are none")
    n = 1 << header[7]
    require(128 * n * r <= MOST_MEMORY and n * r * p <= MOST_BLOCKS, "the passphrase would cost too much")
    # RFC 7914, section 2.
    require(1 < n and (r > 8 or n < 1 << 16 * r) and p * r < 1 << 30, "the parameters are none")
    require(hashlib.sha256(header).digest()[:16] == checksum, "the file is damaged")
    memory = 128 * r * (n + p + 2) + (1 << 20)
    try:
        keys = hashlib.scrypt(secret, salt=header[16:], n=n, r=r, p=p, maxmem=memory, dklen=64)
    except ValueError as error:
        # The library has a limit of its own, for all that it needs beside `MOST_MEMORY`.
        raise Unsupported(f"this verifier cannot derive the key: {error}") from error
    require(hmac.compare_digest(_hmac(keys[32:], file[:64]), tag), "the passphrase is wrong")
    require(hmac.compare_digest(_hmac(keys[32:], file[:-32]), file[-32:]), "the file is damaged")
    try:
        return _counter_mode(keys[:32], file[96:-32]).decode()
    except UnicodeDecodeError:
        raise Refused("this is no text") from None


def _hmac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def _counter_mode(key, data):
    """AES-256-CTR from counter 0: the same for encryption and decryption."""
    round_keys, out = _expand(key), bytearray()
    for at in range(0, len(data), 16):
        stream = _encrypt(round_keys, (at // 16).to_bytes(16, "big"))
        out += bytes(a ^ b for a, b in zip(data[at : at + 16], stream))
    return bytes(out)


def _double(byte):
    return byte << 1 ^ (0x11B if byte & 0x80 else 0)


def _s_box():
    """FIPS 197, section 5.1.1, by the powers of 3, which are all numbers but 0."""
    powers = [1]
    while len(powers) < 255:
        powers.append(powers[-1] ^ _double(powers[-1]))
    box = [0x63] * 256
    for exponent, number in enumerate(powers):
        inverse = powers[-exponent % 255]
        rotated = (inverse << by | inverse >> 8 - by for by in range(1, 5))
        box[number] = 0x63 ^ inverse
        for bits in rotated:
            box[number] ^= bits & 0xFF
    return box


BOX = _s_box()


def _expand(key):
    """The fifteen round keys of 256 bits of key: FIPS 197, section 5.2."""
    words, constant = [list(key[at : at + 4]) for at in range(0, 32, 4)], 1
    while len(words) < 60:
        word = words[-1]
        if len(words) % 8 == 0:
            word = [BOX[byte] for byte in word[1:] + word[:1]]
            word[0] ^= constant
            constant = _double(constant)
        elif len(words) % 8 == 4:
            word = [BOX[byte] for byte in word]
        words.append([a ^ b for a, b in zip(words[-8], word)])
    return [sum(words[at : at + 4], []) for at in range(0, 60, 4)]


def _encrypt(round_keys, block):
    """One block: FIPS 197, section 5.1."""
    state = [a ^ b for a, b in zip(block, round_keys[0])]
    for number, round_key in enumerate(round_keys[1:], 1):
        state = [BOX[state[(at + at % 4 * 4) % 16]] for at in range(16)]
        if number < 14:
            state = sum((_mix(state[at : at + 4]) for at in range(0, 16, 4)), [])
        state = [a ^ b for a, b in zip(state, round_key)]
    return bytes(state)


def _mix(column):
    """Each byte becomes itself with 2 and the next with 3, added to the other two."""
    every = column[0] ^ column[1] ^ column[2] ^ column[3]
    return [column[at] ^ every ^ _double(column[at] ^ column[(at + 1) % 4]) for at in range(4)]
