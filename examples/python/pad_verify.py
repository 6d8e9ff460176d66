#!/usr/bin/env python3
"""Verifies a proof file of a tree, of tuples, of an append-only log or of a directory, as `pad` does.

    python3 pad_verify.py --public prices.pub --at 3 --key apple proof.pad

Exit status: 0 it is proved, 3 it is not, 2 wrong usage, or a scheme that this verifier does not know.
"""

import argparse
import sys

from pad_verifier import proof_files
from pad_verifier.directories import DELETED, UNASSIGNED
from pad_verifier.head_logs import LONGEST_POLICY, LONGEST_TEXT, Policy, verify_newest
from pad_verifier.keys import LONGEST_FILE, PublicKey
from pad_verifier.logs import LONGEST_FILE as LONGEST_OF_LOGS
from pad_verifier.questions import Question, check_question, longest_file
from pad_verifier.refusal import Refused, Unsupported, require


def read(path, longest):
    """At most one byte more than the longest that is read."""
    source = sys.stdin.buffer if path == "-" else open(path, "rb")
    with source:
        return source.read(longest + 1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--public", required=True, metavar="FILE", help="the author's public key file")
    parser.add_argument("--at", type=int, metavar="VERSION", help="the version asked about")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--key", help="the value of this key")
    asked.add_argument("--keys", nargs="+", metavar="KEY", help="the values of these keys")
    asked.add_argument("--range", nargs=2, metavar=("START", "END"), help="all entries; '' for an open end")
    asked.add_argument("--predecessor", metavar="KEY", help="the entry before this key")
    asked.add_argument("--successor", metavar="KEY", help="the entry after this key")
    asked.add_argument("--id", nargs="+", type=int, help="the entries of a directory with these ids")
    asked.add_argument("--ids", nargs=2, type=int, metavar=("START", "END"), help="the entries from START on, before END")
    asked.add_argument("--first", action="store_true", help="the first entry")
    asked.add_argument("--last", action="store_true", help="the last entry")
    asked.add_argument("--from", dest="older", type=int, metavar="VERSION", help="that a log contains this older version")
    asked.add_argument("--newest", metavar="POLICY", help="the newest head that witnesses have cosigned (tlog-proof)")
    parser.add_argument("--since", type=int, metavar="TIME", help="with --newest, count cosignatures from this time on (Unix)")
    parser.add_argument("--value", help="with --key, that a log has this value of the key")
    parser.add_argument("--hex", action="store_true", help="keys and values are hexadecimal")
    parser.add_argument("proof", metavar="PROOF", help="the proof file; - for standard input")
    given = parser.parse_args()
    if given.since is not None and given.since < 0:
        parser.error("--since is before 1970")
    if (given.at is None) != (given.newest is not None):
        parser.error("--at is needed, but with --newest")
    return given


def question_of(given):
    def key(text):
        return bytes.fromhex(text) if given.hex else text.encode()

    require(given.value is None or given.key is not None, "a value without a key")
    if given.value is not None:
        return Question("inclusion", [key(given.key), key(given.value)])
    if given.older is not None:
        require(0 <= given.older < 1 << 64, "there is no such version")
        return Question("append-only", [given.older.to_bytes(8, "big")])
    if given.key is not None:
        return Question("look-up", [key(given.key)])
    if given.keys:
        return Question("keys", sorted({key(text) for text in given.keys}))
    if given.range:
        return Question("range", [key(text) if text else None for text in given.range])
    for name in ("predecessor", "successor"):
        if getattr(given, name) is not None:
            return Question(name, [key(getattr(given, name))])
    if given.id or given.ids:
        require(all(0 <= number < 1 << 64 for number in given.id or given.ids), "there is no such id")
        ids = sorted(set(given.id)) if given.id else given.ids
        return Question("entries" if given.id else "entries of a range", [number.to_bytes(8, "big") for number in ids])
    return Question("first" if given.first else "last", [])


def say_newest(given):
    try:
        public = PublicKey(read(given.public, LONGEST_FILE).decode())
        policy = Policy(read(given.newest, LONGEST_POLICY))
        proof = read(given.proof, LONGEST_TEXT)
    except (OSError, Refused, Unsupported, ValueError) as error:
        print(f"pad_verify: {error}", file=sys.stderr)
        return 2
    try:
        head = verify_newest(proof, policy, public, given.since)
    except Refused as refusal:
        print(f"pad_verify: not proved: {refusal}", file=sys.stderr)
        return 3
    print(f"proved: version {head.version} was the newest, with the root {head.root.hex()}")
    return 0


def main():
    given = arguments()

    def show(text):
        if given.hex:
            return text.hex()
        try:
            return repr(text.decode())
        except UnicodeDecodeError:
            return repr(text)

    if given.newest is not None:
        return say_newest(given)
    try:
        question = question_of(given)
        check_question(question)
        require(0 <= given.at < 1 << 64, "there is no such version")
        public = PublicKey(read(given.public, LONGEST_FILE).decode())
    except (OSError, Refused, Unsupported, ValueError) as error:
        print(f"pad_verify: {error}", file=sys.stderr)
        return 2
    try:
        proof = read(given.proof, LONGEST_OF_LOGS if public.is_log() else longest_file(question))
        entries = proof_files.verify(proof, public, given.at, question)
    except (OSError, Unsupported) as error:
        print(f"pad_verify: {error}", file=sys.stderr)
        return 2
    except Refused as refusal:
        print(f"pad_verify: not proved: {refusal}", file=sys.stderr)
        return 3
    if given.older is not None:
        print(f"proved: version {given.at} contains version {given.older}")
        return 0
    for key, value in entries:
        if public.is_directory():
            gone = value in (DELETED, UNASSIGNED)
            print(f"{int.from_bytes(key, 'big')} is {value.decode() if gone else 'live: ' + value.hex()}")
            continue
        print(f"{show(key)} is absent" if value is None else f"{show(key)} = {show(value)}")
    entries = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
    print(f"proved: {question.name} in version {given.at}, {entries}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
