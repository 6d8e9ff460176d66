#!/usr/bin/env python3
"""Checks published vectors: accepts what is to be accepted, with its answer, and refuses everything else.

    python3 check_vectors.py [FILE ..]        all that this verifier knows of docs/vectors, without arguments
"""

import json
import pathlib
import sys

from pad_verifier import accumulated, ed25519, heads, proof_files, tuples
from pad_verifier.keys import PublicKey
from pad_verifier.questions import Question
from pad_verifier.reader import open_message
from pad_verifier.refusal import Refused, Unsupported

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "vectors"


class Wrong(Exception):
    """A verdict is not the published one."""


def optional(digits):
    return None if digits is None else bytes.fromhex(digits)


def question_of(case):
    return Question(case["question"], [optional(key) for key in case["keys"]])


def check_proof_files(vectors):
    """How many are accepted and refused."""
    public = PublicKey(vectors["public"])
    for case in vectors["accepted"]:
        expected = [(bytes.fromhex(key), optional(value)) for key, value in case["answer"]]
        file = bytes.fromhex(case["file"])
        try:
            found = proof_files.verify(file, public, case["version"], question_of(case))
        except Refused as refusal:
            raise Wrong(f"refused ({refusal}): {case}") from refusal
        if found != expected:
            raise Wrong(f"{found} instead of the answer of {case}")
    for case in vectors["refused"]:
        file = bytes.fromhex(case["file"])
        try:
            found = proof_files.verify(file, public, case["version"], question_of(case))
        except Refused:
            continue
        raise Wrong(f"accepted as {found}: {case}")
    return len(vectors["accepted"]), len(vectors["refused"])


def check_signatures(vectors):
    counts = [0, 0]
    for case in vectors["signatures"]:
        parts = [bytes.fromhex(case[name]) for name in ("key", "message", "signature")]
        if ed25519.verify(*parts) != case["accepted"]:
            raise Wrong(case["why"])
        counts[0 if case["accepted"] else 1] += 1
    return counts


def check_trees(vectors):
    """The heads and history proofs of trees."""
    suite, scheme = vectors["suite"], vectors["scheme"]
    public = PublicKey(
        f"pad-public-key v1\nsuite {suite}\nscheme {scheme}\n"
        f"dictionary {vectors['dictionary_id']}\nauthor {vectors['author_key']}\n"
    )
    known, accepted, refused = [heads.empty_head(public.suite)], 0, 0
    for version in vectors["versions"]:
        message = bytes.fromhex(version["signed_head"])
        known.append(heads.verify_head(message, public, version["version"]))
    for case in vectors["history"]:
        message = bytes.fromhex(case["proof"])
        for place in [None, *range(0, len(message), 5)]:
            changed = bytearray(message)
            if place is not None:
                changed[place] ^= 1
            try:
                check_history(case, bytes(changed), public, known)
                good = True
            except Refused:
                good = False
            if good != (place is None):
                raise Wrong(f"byte {place} of {case}")
            accepted, refused = accepted + good, refused + (not good)
    return accepted + len(known) - 1, refused


def check_tuples(vectors):
    """Look-ups (kind 65) without proof files: every seventeenth byte changed is refused."""
    own = ""
    if vectors["design"].endswith("-rsa"):
        accumulator = json.loads((VECTORS / "accumulators" / "rsa.json").read_text())
        own = f"scheme-key {accumulator['messages']['parameters']}\n"
    public = PublicKey(
        f"pad-public-key v1\nsuite {vectors.get('suite', 'sha256-ed25519')}\nscheme tuple-{vectors['design']}\n"
        f"dictionary {vectors['dictionary_id']}\nauthor {vectors['author_key']}\n{own}"
    )
    known, counts = [heads.empty_head(public.suite)], [0, 0]
    for version in vectors["versions"]:
        message = bytes.fromhex(version["signed_head"])
        known.append(heads.verify_head(message, public, version["version"]))
    check_look_up = accumulated.look_up if public.is_accumulated() else tuples.look_up
    for case in vectors["proofs"]:
        message, version = bytes.fromhex(case["proof"]), case["version"]
        question = Question("look-up", [bytes.fromhex(case["key"])])
        for place in [None, *range(0, len(message), 17)]:
            changed = bytearray(message)
            if place is not None:
                changed[place] ^= 1
            try:
                reader = open_message(bytes(changed), 65, public.suite.number, len(message))
                found = check_look_up(reader, public, version, question, known[version])
            except Refused:
                found = None
            expected = [(question.keys[0], optional(case["answer"]))] if place is None else None
            if found != expected:
                raise Wrong(f"{found} with byte {place} changed: {case}")
            counts[0 if place is None else 1] += 1
    return counts


def check_history(case, message, public, known):
    older, newer = known[case["older"]], known[case["newer"]]
    if case["kind"] == "consistency":
        heads.verify_consistency(message, public, older, newer)
    elif heads.verify_inclusion(message, public, older.version, newer) != older.root:
        raise Refused("another root")


def check(path):
    vectors = json.loads(path.read_text())
    if "accepted" in vectors:
        return check_proof_files(vectors)
    if "signatures" in vectors:
        return check_signatures(vectors)
    if "design" in vectors:
        return check_tuples(vectors)
    return check_trees(vectors)


def main():
    given = [pathlib.Path(path) for path in sys.argv[1:]]
    files = given or [
        *sorted(VECTORS.glob("proof-files/*.json")),
        VECTORS / "ed25519.json",
        *sorted(path for path in VECTORS.glob("trees/*.json") if path.stem != "accumulated"),
        *sorted(path for path in VECTORS.glob("tuples/*.json") if path.stem != "many-and-range"),
    ]
    total = [0, 0]
    for path in files:
        try:
            accepted, refused = check(path)
        except Unsupported as unsupported:
            print(f"{path.name}: skipped, {unsupported}")
            continue
        except Wrong as wrong:
            print(f"{path.name}: {wrong}", file=sys.stderr)
            return 1
        print(f"{path.name}: {accepted} accepted, {refused} refused")
        total = [total[0] + accepted, total[1] + refused]
    print(f"as published: {total[0]} accepted, {total[1]} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
