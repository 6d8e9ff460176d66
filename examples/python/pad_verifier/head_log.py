"""Section "Logs of heads": that a head is the newest that its log had when witnesses cosigned it.

Notes, checkpoints, cosignatures, policies and proofs are those of C2SP (c2sp.org): `signed-note`, `tlog-checkpoint`,
`tlog-cosignature`, `tlog-policy`, `tlog-proof`.
"""

import base64
import binascii
import hashlib
import re

from . import ed25519
from .heads import verify_head
from .refusal import Refused, require

NUMBER = "(0|[1-9][0-9]{0,19})"
PROOF = re.compile(rf"c2sp\.org/tlog-proof@v1\n(?:extra ([^\n]*)\n)?index {NUMBER}\n((?:[^\n]+\n)*)\n")
CHECKPOINT = re.compile(rf"([^\n]+)\n{NUMBER}\n([^\n]+)\n\Z")
LONGEST_PROOF, LONGEST_NOTE, MOST_SIGNATURES, MOST_HASHES, LONGEST_HEAD = (1 << 20) + (1 << 18), 1 << 20, 100, 65, 1024
ED25519, COSIGNATURE = 1, 4


def _base64(text):
    """The bytes of their one encoding."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused("this is no base 64") from error
    require(base64.b64encode(data).decode() == text, "this is no base 64 of the strict form")
    return data


class Key:
    """A verifier key of `signed-note`."""

    def __init__(self, text):
        self.name, number, encoded = text.split("+", 2)
        data = _base64(encoded)
        self.kind, self.key = data[0], data[1:]
        self.number = hashlib.sha256(self.name.encode() + b"\n" + data).digest()[:4]
        require(self.number.hex() == number and len(self.key) == 32, "the id of a key is not its own")

    def verify(self, text, signature):
        """The time of a cosignature, 0 for the signature of a log."""
        if self.kind == COSIGNATURE:
            require(len(signature) == 72, "this is no cosignature")
            time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            text = f"cosignature/v1\ntime {time}\n{text}"
        else:
            time = 0
        require(ed25519.verify(self.key, text.encode(), signature), f"the signature of {self.name} is wrong")
        return time


class Policy:
    """A policy of `tlog-policy`, which is trusted and not checked for its form."""

    def __init__(self, text):
        self.logs, self.witnesses, self.groups, self.quorum = [], {}, {}, None
        for words in (line.split() for line in text.splitlines() if not line.startswith("#")):
            if words[:1] == ["log"]:
                self.logs.append(Key(words[1]))
            elif words[:1] == ["witness"]:
                self.witnesses[words[1]] = Key(words[2])
            elif words[:1] == ["group"]:
                least = {"all": len(words) - 3, "any": 1}.get(words[2]) or int(words[2])
                self.groups[words[1]] = least, words[3:]
            elif words[:1] == ["quorum"]:
                self.quorum = words[1]

    def is_met(self, cosigned, name=None):
        """Whether these witnesses are enough."""
        name = name or self.quorum
        if name in self.groups:
            least, members = self.groups[name]
            return sum(self.is_met(cosigned, member) for member in members) >= least
        return name == "none" or name in cosigned


def newest(proof, public, policy, since=None):
    """The version and the message of the newest head, by the text of a proof; not cosigned before `since`."""
    require(len(proof.encode()) <= LONGEST_PROOF, "the proof is too long")
    parts = PROOF.match(proof)
    require(parts, "this is no proof of a log")
    require(parts[1] is not None, "the proof comes without a head")
    message, index, lines = _base64(parts[1]), int(parts[2]), parts[3].splitlines()
    path = [_base64(line) for line in lines]
    require(index < 1 << 64, "the index is too great")
    require(len(path) <= MOST_HASHES and all(len(digest) == 32 for digest in path), "the path is none")
    require(len(message) <= LONGEST_HEAD, "the entry is too long")
    origin, size, root = _checkpoint(proof[parts.end() :], policy, since)
    require(_root(message, index, size, path) == root, "the path does not lead to the root")
    require(origin.endswith(f"/{public.dictionary.hex()}"), "the log is that of another dictionary")
    require(index + 1 == size, "the entry is not the last one")
    verify_head(message, public, index + 1)
    return index + 1, message


def _checkpoint(note, policy, since):
    """The origin, the size and the root of a note that the policy accepts."""
    require(len(note.encode()) <= LONGEST_NOTE and note.endswith("\n") and "\n\n" in note, "this is no note")
    require(not re.search("[\0-\x09\x0b-\x1f]", note), "this is no note")
    text, signatures = note.rsplit("\n\n", 1)
    text, lines = text + "\n", signatures[:-1].split("\n")
    require(len(lines) <= MOST_SIGNATURES, "there are too many signatures")
    checkpoint = CHECKPOINT.match(text)
    require(checkpoint, "this is no checkpoint")
    origin, is_signed, cosigned = checkpoint[1], False, set()
    logs = [key for key in policy.logs if key.name == origin]
    for line in lines:
        require(re.match("— [^ ]+ [^ ]+$", line), "this is no signature")
        _, name, encoded = line.split(" ")
        data = _base64(encoded)
        for key in logs:
            if (key.name, key.number) == (name, data[:4]):
                key.verify(text, data[4:])
                is_signed = True
        for witness, key in policy.witnesses.items():
            if (key.name, key.number) == (name, data[:4]) and key.verify(text, data[4:]) >= (since or 0):
                cosigned.add(witness)
    require(is_signed, "the log has not signed")
    require(policy.is_met(cosigned), "too few witnesses have cosigned")
    root = _base64(checkpoint[3])
    require(len(root) == 32 and int(checkpoint[2]) < 1 << 64, "this is no checkpoint")
    return origin, int(checkpoint[2]), root


def _root(entry, index, size, path):
    """RFC 9162, section 2.1.3.2, with the hashes of RFC 6962."""
    require(index < size, "there is no such entry")
    digest, first, last = hashlib.sha256(b"\0" + entry).digest(), index, size - 1
    for other in path:
        require(last, "the path is too long")
        if first & 1 or first == last:
            digest = hashlib.sha256(b"\1" + other + digest).digest()
            while first and not first & 1:
                first, last = first >> 1, last >> 1
        else:
            digest = hashlib.sha256(b"\1" + digest + other).digest()
        first, last = first >> 1, last >> 1
    require(last == 0, "the path is too short")
    return digest
