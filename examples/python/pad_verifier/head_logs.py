"""Section "Logs of heads": evidence that a head is the newest (`tlog-proof`), by a policy (`tlog-policy`), as C2SP has them."""

import base64
import binascii
import hashlib
import re
from collections import namedtuple

from . import ed25519
from .heads import LONGEST_HEAD, verify_head
from .refusal import require

LONGEST_NOTE, LONGEST_NAME, MOST_SIGNATURES, MOST_HASHES = 1 << 20, 1024, 100, 65
#: A proof: a note and what is before it.
LONGEST_TEXT = LONGEST_NOTE + (1 << 18)
#: A policy, and the logs, witnesses and groups in it, of each.
LONGEST_POLICY, MOST_OF_EACH = 1 << 20, 256
#: Times of cosignatures are below.
LATEST = 1 << 63
#: The types of keys: of signatures on notes, and of cosignatures.
LOG, WITNESS = 1, 4
HEADER = "c2sp.org/tlog-proof@v1"

Key = namedtuple("Key", "name id kind point")
Note = namedtuple("Note", "text signatures")
Signature = namedtuple("Signature", "name id bytes")
Checkpoint = namedtuple("Checkpoint", "origin size root")
#: `members` is None of a witness, which has a key.
Voter = namedtuple("Voter", "key threshold members")


def _decode(text):
    """Base 64 with padding and without stray bits."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        data = None
    require(data is not None and base64.b64encode(data).decode() == text, "this is no base 64")
    return data


def _decimal(text):
    require(re.fullmatch("0|[1-9][0-9]{0,19}", text, re.ASCII), "this is no number")
    require(int(text) < 1 << 64, "a number is too great")
    return int(text)


def _text(data):
    require(len(data) <= LONGEST_TEXT, "the text is too long")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    require(all(letter >= " " or letter == "\n" for letter in text), "a letter is none of a text")
    return text


def _name(text):
    allowed = not any(letter.isspace() or letter == "+" for letter in text)
    require(text and allowed and len(text.encode()) <= LONGEST_NAME, "this is no name of a key")
    return text


def read_key(text):
    """A key that verifies, as `signed-note` writes it."""
    parts = text.split("+", 2)
    require(len(parts) == 3, "this is no key of a log or of a witness")
    name, digits, data = _name(parts[0]), parts[1], _decode(parts[2])
    require(re.fullmatch("[0-9a-f]{8}", digits), "a key's id is not eight digits")
    require(len(data) == 33 and ed25519.point_of_key(data[1:]), "a key is not a good one")
    expected = hashlib.sha256(name.encode() + b"\n" + data).digest()[:4]
    require(bytes.fromhex(digits) == expected, "a key has another id")
    return Key(name, expected, data[0], data[1:])


def read_note(text):
    require(len(text.encode()) <= LONGEST_NOTE, "the note is too long")
    signed, gap, lines = text.rpartition("\n\n")
    require(gap and signed and lines.endswith("\n"), "this is no note")
    lines = lines[:-1].split("\n")
    signatures = []
    for line in dict.fromkeys(lines):
        require(len(signatures) < MOST_SIGNATURES, "the note has too many signatures")
        parts = line.split(" ")
        require(len(parts) == 3 and parts[0] == "—", "this is no signature")
        data = _decode(parts[2])
        require(len(data) > 4, "a signature is too short")
        signatures.append(Signature(_name(parts[1]), data[:4], data[4:]))
    return Note(signed + "\n", signatures)


def read_checkpoint(text):
    lines = text[:-1].split("\n")
    # Lines after these say nothing here.
    require(len(lines) >= 3 and all(lines), "this is no checkpoint")
    root = _decode(lines[2])
    require(len(root) == 32, "the root of a checkpoint has another length")
    return Checkpoint(lines[0], _decimal(lines[1]), root)


class Policy:
    """Which logs are known, and which witnesses must have cosigned."""

    def __init__(self, data):
        self.logs, self.voters, self.quorum = [], {}, None
        members = set()
        require(len(data) <= LONGEST_POLICY, "the policy is too long")
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = "\0"
        # Tabs are allowed here.
        require(all(letter >= " " or letter in "\n\t" for letter in text) and "\x7f" not in text, "this is no policy")
        for line in text.split("\n"):
            words = [word for word in re.split("[ \t]+", line) if word]
            if not words or words[0].startswith("#"):
                continue
            kind, rest = words[0], words[1:]
            if kind == "log" and len(rest) in (1, 2):
                self.logs.append(self._new_key(rest[0], LOG))
            elif kind == "witness" and len(rest) in (2, 3):
                self._name(rest[0], Voter(self._new_key(rest[1], WITNESS), 1, None))
            elif kind == "group" and len(rest) >= 3:
                name, threshold, below = rest[0], rest[1], rest[2:]
                require(all(member in self.voters for member in below), "a group has a member that there is not")
                require(not members & set(below) and len(set(below)) == len(below), "a member is in two groups")
                members |= set(below)
                count = {"any": 1, "all": len(below)}.get(threshold) or _decimal(threshold)
                require(1 <= count <= len(below), "a group asks for too many, or for none")
                self._name(name, Voter(None, count, below))
            elif kind == "quorum" and len(rest) == 1:
                require(self.quorum is None, "there are two quorums")
                require(rest[0] == "none" or rest[0] in self.voters, "the quorum is none that there is")
                self.quorum = rest[0]
            else:
                require(False, "a line of the policy means nothing")
            groups = sum(voter.key is None for voter in self.voters.values())
            most = max(len(self.logs), groups, len(self.voters) - groups)
            require(most <= MOST_OF_EACH, "the policy has too many logs, witnesses or groups")
        require(self.quorum is not None, "the policy asks for no quorum")

    def _new_key(self, text, kind):
        key = read_key(text)
        require(key.kind == kind, "a key is of another type")
        known = self.logs if kind == LOG else [voter.key for voter in self.voters.values() if voter.key]
        require(all(key.point != other.point for other in known), "a key is there twice")
        return key

    def _name(self, name, voter):
        require(name != "none" and name not in self.voters, "a name is there twice")
        self.voters[name] = voter

    def accept(self, note, since):
        """The checkpoint of a note that has the signatures it needs, cosigned at this time (in seconds since 1970) or later; at
        any time for None. Nobody says when, if no witness is needed."""
        require(since is None or self.quorum != "none", "no witness need say when the log was so")
        checkpoint = read_checkpoint(note.text)
        witnesses = {name: voter.key for name, voter in self.voters.items() if voter.key}
        keys = [(None, key) for key in self.logs if key.name == checkpoint.origin] + list(witnesses.items())
        is_logged, votes = False, set()
        for signature in note.signatures:
            known = [(name, key) for name, key in keys if (key.name, key.id) == (signature.name, signature.id)]
            require(len(known) <= 1, "a signature may be by two keys")
            for name, key in known:
                if name is None:
                    good = ed25519.verify(key.point, note.text.encode(), signature.bytes)
                    require(good, "the signature of the log is not good")
                    is_logged = True
                elif self._cosigned(key, note, signature) >= (since or 0):
                    votes.add(name)
        require(is_logged, "the policy does not know the log, or it did not sign")
        require(self.quorum == "none" or self._votes(self.quorum, votes), "too few witnesses have cosigned")
        return checkpoint

    def _cosigned(self, key, note, signature):
        """When a witness did, if it did."""
        require(len(signature.bytes) == 72, "a cosignature has another length")
        time = int.from_bytes(signature.bytes[:8], "big")
        require(time < LATEST, "a time is too late")
        message = f"cosignature/v1\ntime {time}\n{note.text}".encode()
        require(ed25519.verify(key.point, message, signature.bytes[8:]), "a cosignature is not good")
        return time

    def _votes(self, quorum, votes):
        """Whether a witness or a group votes. Groups have only members of lines before, each is in one."""
        for name, voter in self.voters.items():
            if voter.members and len(votes & set(voter.members)) >= voter.threshold:
                votes.add(name)
        return quorum in votes


def _root_of(entry, path, index, size):
    """Where a path leads (RFC 9162, section 2.1.3.2)."""
    digest, last = hashlib.sha256(b"\0" + entry).digest(), size - 1
    for sibling in path:
        require(last > 0, "the path is too long")
        if index % 2 or index == last:
            digest = hashlib.sha256(b"\1" + sibling + digest).digest()
            while index % 2 == 0:
                index, last = index // 2, last // 2
        else:
            digest = hashlib.sha256(b"\1" + digest + sibling).digest()
        index, last = index // 2, last // 2
    require(last == 0, "the path is too short")
    return digest


def verify_newest(proof, policy, public, since=None):
    """The head that was the newest when the witnesses of a policy had cosigned its log."""
    text = _text(proof)
    top, gap, note = text.partition("\n\n")
    require(gap, "this is no proof of a log")
    lines = top.split("\n")
    require(len(lines) >= 3 and lines[0] == HEADER, "this is no proof of a log")
    require(lines[1].startswith("extra "), "the proof has no entry")
    entry = _decode(lines[1][len("extra ") :])
    require(len(entry) <= LONGEST_HEAD, "the entry is too long")
    require(lines[2].startswith("index "), "the proof has no index")
    index, path = _decimal(lines[2][len("index ") :]), [_decode(line) for line in lines[3:]]
    require(len(path) <= MOST_HASHES and all(len(digest) == 32 for digest in path), "this is no path")
    checkpoint = policy.accept(read_note(note), since)
    require(index < checkpoint.size, "the entry is beyond the end of the log")
    require(_root_of(entry, path, index, checkpoint.size) == checkpoint.root, "the entry is not in the log")
    require(checkpoint.origin.endswith("/" + public.dictionary.hex()), "the log is that of another dictionary")
    require(index == checkpoint.size - 1, "the log has a newer entry")
    return verify_head(entry, public, index + 1)
