#!/usr/bin/env python3
"""Checks published vectors: accepts what is to be accepted, with its answer, and refuses everything else.

    python3 check_vectors.py [--every N] [FILE ..]

Without files: all that this verifier knows of docs/vectors, and own cases. With N: one of N cases to be refused, and the
first of each kind and one of N/8 to be accepted where these take long.
"""

import json
import pathlib
import sys

from own_cases import CHECKS, Wrong, all_refused, changed_at, is_refused
from pad_verifier import accumulated, bilinear, bls12_381, directories, ed25519, flexlist, flexlist_updates, head_logs
from pad_verifier import heads, logs, messages, proof_files, rsa, secret_keys, tags, trees, tuples
from pad_verifier.accumulators import HASH
from pad_verifier.keys import LOGS, FilePublic, PublicKey
from pad_verifier.questions import NAMES, Question
from pad_verifier.reader import open_message
from pad_verifier.refusal import Refused, Unsupported, require
from pad_verifier.suites import SUITES

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "vectors"

#: The author's key in all vectors.
AUTHOR = bytes.fromhex("197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61")


#: One of so many cases to be refused is checked, counted over all files: so changed bytes are at all places.
EVERY = 1
COUNTED = 0


def some(refused):
    """One of EVERY."""
    global COUNTED
    first, COUNTED = -COUNTED % EVERY, COUNTED + len(refused)
    return refused[first::EVERY]


def some_accepted(cases, kind_of):
    """The first case of each kind, and one of EVERY/8."""
    seen, chosen = set(), []
    for number, case in enumerate(cases):
        kind = kind_of(case)
        if kind not in seen or number % max(EVERY // 8, 1) == 0:
            chosen.append(case)
        seen.add(kind)
    return chosen


def optional(digits):
    return None if digits is None else bytes.fromhex(digits)


def shown(text):
    """An answer's value; of an entry of a directory, its digest or what there is in its place."""
    return text.encode() if text in ("deleted", "unassigned") else optional(text)


def question_of(case):
    return Question(case["question"], [optional(key) for key in case["keys"]])


def check_proof_files(vectors):
    """How many are accepted and refused."""
    public = PublicKey(vectors["public"])

    def verified(case):
        return proof_files.verify(bytes.fromhex(case["file"]), public, case["version"], question_of(case))

    accepted = some_accepted(vectors["accepted"], lambda case: (case["question"], None in [value for _, value in case["answer"]]))
    for case in accepted:
        expected = [(bytes.fromhex(key), shown(value)) for key, value in case["answer"]]
        try:
            found = verified(case)
        except Refused as refusal:
            raise Wrong(f"refused ({refusal}): {case}") from refusal
        if found != expected:
            raise Wrong(f"{found} instead of the answer of {case}")
    return len(accepted), refusals("", verified, [(case,) for case in vectors["refused"]])


def check_hashes(vectors):
    """Both functions of each suite."""
    for case in vectors["hashes"]:
        if SUITES[case["suite"]].hash(case["tag"], bytes.fromhex(case["data"])).hex() != case["digest"]:
            raise Wrong(f"another digest: {case}")
    for case in vectors["nodes"]:
        pair = bytes.fromhex(case["left"]), bytes.fromhex(case["right"])
        if SUITES[case["suite"]].node(case["tag"], *pair).hex() != case["digest"]:
            raise Wrong(f"another digest: {case}")
    return len(vectors["hashes"]) + len(vectors["nodes"]), 0


def check_signatures(vectors):
    counts = [0, 0]
    for case in vectors["signatures"]:
        parts = [bytes.fromhex(case[name]) for name in ("key", "message", "signature")]
        if ed25519.verify(*parts) != case["accepted"]:
            raise Wrong(case["why"])
        counts[0 if case["accepted"] else 1] += 1
    return counts


def check_heads(vectors, public):
    """The heads of all versions, that of the empty one first, and how many are refused: every fifth byte changed."""
    known, refused = [heads.empty_head(public.suite)], 0
    for number, version in enumerate(vectors["versions"], 1):
        message = bytes.fromhex(version["signed_head"])
        known.append(heads.verify_head(message, public, number))
        changed = changed_at(message, range(number % 5, len(message), 5))
        refused += refusals("head: ", heads.verify_head, [(bad, public, number) for bad in changed])
    return known, refused


def check_tree_proofs(vectors, public, known):
    """Proofs without proof files (kinds 16 to 22): every third byte changed is refused."""
    counts = [0, 0]
    for number, case in enumerate(vectors["proofs"]):
        question, message = Question(case["name"], [optional(key) for key in case["query"]]), bytes.fromhex(case["proof"])
        kind, root = 16 + NAMES.index(case["name"]), known[case["version"]].root

        def found(changed):
            reader = open_message(changed, kind, public.suite.number, len(message))
            return trees.conclude(trees.open_tree(reader, public.suite, root), question)

        if found(message) != [(optional(key), optional(value)) for key, value in case["answer"]]:
            raise Wrong(f"another answer: {case}")
        changed = changed_at(message, range(number % 3, len(message), 3))
        counts = [counts[0] + 1, counts[1] + refusals(f"{case}: ", found, [(bad,) for bad in changed])]
    return counts


def check_trees(vectors):
    """The heads, proofs, history proofs and evidence of trees."""
    suite, scheme = vectors["suite"], vectors["scheme"]
    public = PublicKey(
        f"pad-public-key v1\nsuite {suite}\nscheme {scheme}\n"
        f"dictionary {vectors['dictionary_id']}\nauthor {vectors['author_key']}\n"
    )
    known, refused_heads = check_heads(vectors, public)
    accepted, refused = check_tree_proofs(vectors, public, known)
    refused += refused_heads
    for case in vectors["history"]:
        message = bytes.fromhex(case["proof"])
        check_history(case, message, public, known)
        accepted += 1
        changed = changed_at(message, range(0, len(message), 9))
        refused += refusals("history: ", check_history, [(case, bad, public, known) for bad in changed])
    bad = [(case, bytes.fromhex(case["proof"]), public, known) for case in vectors["refused_history"]]
    refused += all_refused("history: ", check_history, bad)
    others = {name: bytes.fromhex(message) for name, message in vectors["messages"].items()}
    prefix = others["prefix proof of version 3 under version 6"]
    if heads.verify_prefix(prefix, public, 3, known[6]) != known[3].history:
        raise Wrong("the prefix proof shows another history")
    for name in ("equivocation", "contradiction"):
        check_evidence(others[name], public)
    bad = [(bytes.fromhex(case["message"]), public) for case in vectors["refused_evidence"]]
    refused += all_refused("evidence: ", check_evidence, bad)
    return accepted + len(known) + 2, refused


def check_evidence(message, public):
    check = {5: heads.verify_equivocation, 9: heads.verify_contradiction}[message[5]]
    return check(message, public)


def check_key_files(vectors):
    """Public key files, and those of outsourced files: of schemes that are not known here they are neither good nor bad."""
    counts = [0, 0]
    for case in vectors["accepted_keys"]:
        try:
            public = PublicKey(case["text"])
        except Unsupported:
            continue
        found = (public.suite.number, public.scheme, public.dictionary.hex(), public.author.hex())
        if found != (SUITES[case["suite"]].number, case["scheme"], case["dictionary"], case["author"]):
            raise Wrong(f"{found} instead of {case}")
        counts[0] += 1
    for case in vectors["accepted_files"]:
        try:
            public = FilePublic(case["text"])
        except Refused as refusal:
            raise Wrong(f"refused ({refusal}): {case}") from refusal
        found = {
            "owner": public.owner.hex(),
            "tags": public.tags,
            "can_audit": public.verifier is not None,
            "file": public.file.hex(),
            "version": public.version,
            "bytes": public.bytes,
            "root": public.root.hex(),
            "server": public.server,
        }
        if {**found, "text": case["text"]} != case:
            raise Wrong(f"{found} instead of {case}")
        counts[0] += 1
    for name, read in (("refused_keys", PublicKey), ("refused_files", FilePublic)):
        for case in vectors[name]:
            try:
                read(case["text"])
            except (Refused, Unsupported):
                counts[1] += 1
                continue
            raise Wrong(f"accepted: {case}")
    return counts


def check_secret_keys(vectors):
    """Secret key files, but for the secrets of schemes and of tags: what is wrong with those alone is not counted."""
    counts = [0, 0]
    for case in vectors["accepted_secrets"]:
        if f"\nauthor {secret_keys.author_of(case['text']).hex()}\n" not in case["public"]:
            raise Wrong(f"another author: {case}")
        counts[0] += 1
    for case in vectors["accepted_owners"]:
        if secret_keys.owner_of(case["text"])[0].hex() != case["owner"]:
            raise Wrong(f"another owner: {case}")
        counts[0] += 1
    for name, read in (("refused_secrets", secret_keys.author_of), ("refused_owners", secret_keys.owner_of)):
        counts[1] += sum(is_refused(read, case["text"]) for case in vectors[name])
    return counts


def check_encrypted_keys(vectors):
    for case in vectors["accepted"]:
        if secret_keys.decrypt(bytes.fromhex(case["file"]), case["passphrase"]) != case["text"]:
            raise Wrong(f"another text: {case}")
    bad = [(bytes.fromhex(case["file"]), case["passphrase"]) for case in vectors["refused"]]
    return len(vectors["accepted"]), all_refused("", secret_keys.decrypt, bad)


def check_head_log(vectors):
    """Proofs of the newest head."""
    public, policy = PublicKey(vectors["public"]), head_logs.Policy(vectors["policy"].encode())
    for case in vectors["accepted"]:
        if head_logs.verify_newest(case["proof"].encode(), policy, public, case["since"]).version != case["version"]:
            raise Wrong(f"another head: {case}")
    bad = [(case["proof"].encode(), policy, public, case["since"]) for case in vectors["refused"]]
    return len(vectors["accepted"]), all_refused("", head_logs.verify_newest, bad)


def check_directories(vectors):
    """Proofs of entries, of ranges and of opened blocks (kinds 160, 161 and 164); every ninth byte changed is refused."""
    suites, counts = {suite.number: suite for suite in SUITES.values()}, [0, 0]

    def found(suite, root, message, ids):
        kind, look_up = (160, directories.look_up) if isinstance(ids, list) else (161, directories.look_up_range)
        reader = open_message(message, kind, suite.number, len(message))
        arguments = [ids] if kind == 160 else ids
        return [[number, entry] for number, entry in look_up(reader, suite, root, *arguments)]

    def opened(suite, root, message, capacity, number):
        reader = open_message(message, 164, suite.number, len(message))
        return directories.look_up_opened(reader, suite, root, capacity, number)

    def check_message(look_up, suite, root, message, *question):
        """What the message shows, once what is changed in it or cut off it is refused."""
        for place in some(range(0, len(message), 9)):
            changed = bytearray(message)
            changed[place] ^= 1 << place % 8
            for damaged in (bytes(changed), message[:place]):
                if not is_refused(look_up, suite, root, damaged, *question):
                    raise Wrong(f"accepted with byte {place} changed, or cut off there: {message.hex()}")
                counts[1] += 1
        counts[0] += 1
        return look_up(suite, root, message, *question)

    for group in vectors["dense"]:
        suite, root = suites[group["suite"]], bytes.fromhex(group["versions"][-1]["root"])
        cases = [(case, case["ids"]) for case in group["proofs"]]
        cases += [(case, (case["start"], case["end"])) for case in group["ranges"]]
        for case, ids in cases:
            answers = [[number, shown(entry)] for number, entry in case["answers"]]
            if check_message(found, suite, root, bytes.fromhex(case["proof"]), ids) != answers:
                raise Wrong(f"another answer: {case}")
    for tree in vectors["strategies"]:
        suite, root = suites[tree["suite"]], bytes.fromhex(tree["steps"][-1]["root"])
        for case in tree["proofs"] if tree["strategy"] == 2 else []:
            if check_message(opened, suite, root, bytes.fromhex(case["proof"]), tree["b"], case["id"]) != shown(case["answer"]):
                raise Wrong(f"another answer: {case}")
    bad = [[bytes.fromhex(case[name]) for name in ("root", "message")] + [case["ids"]] for case in vectors["refused"]]
    return counts[0], counts[1] + all_refused("", found, [(suites[1], *case) for case in bad])


def check_tags(vectors):
    """Tags of one block, and proofs of them: every third byte changed is refused, with pairings every eleventh."""
    counts = [0, 0]
    for case in vectors["tags"]:
        owner, block = bytes.fromhex(case["owner_key"]), bytes.fromhex(case["block"])
        kind = int.from_bytes(owner[6:8], "big")
        if case["verifier_key"]:
            of = tags.read_verifier(kind, open_message(bytes.fromhex(case["verifier_key"]), 100, kind, 1 << 10).body)
        else:
            of = tags.OwnedBls(open_message(owner, 98, kind, 1 << 10), (len(block) + 30) // 31)
        committed, proof = bytes.fromhex(case["committed"]), bytes.fromhex(case["proof"])
        write = b"" if case["kind"] == "hash-only" else bytes.fromhex(case["write"])
        held = of.held(committed, block) if write else b""
        if committed != tags.root_of(block) + write or held.hex() != case["held"]:
            raise Wrong(f"another tag: {case}")
        hits = [(offset, int(coefficient, 16)) for offset, coefficient in case["hits"]]
        challenged = [tags.Block(committed, len(block), hits)]
        of.check(challenged, proof)
        of.check([], b"")
        bad = [(challenged, proof[:-1]), (challenged, proof + b"\0"), ([], proof)]
        changed = changed_at(proof, range(0, len(proof), 11 if kind == tags.PUBLIC_BLS else 3))
        bad += [(challenged, other) for other in changed]
        if write:
            bad += [([challenged[0]._replace(committed=committed[:-1] + b"\0")], proof)]
        counts = [counts[0] + 1, counts[1] + refusals(f"{case['kind']}: ", of.check, bad)]
    return counts


def check_messages(vectors):
    """Questions, histories, lists and keys for tags: that they are read, or not. Of other kinds nothing is checked."""
    read = {10: messages.read_question, 11: messages.read_history, 12: messages.read_list, 100: tags.read_key}
    counts = check_tags(vectors) if "tags" in vectors else [0, 0]
    for name in ("accepted", "refused"):
        for case in vectors[name]:
            message = bytes.fromhex(case["message"])
            if case["kind"] not in read:
                continue
            good = not is_refused(read[case["kind"]], message, len(message))
            if good != (name == "accepted"):
                raise Wrong(f"not {name}: {case}")
            counts[0 if good else 1] += 1
    return counts


def check_accumulators(vectors):
    """RSA accumulators under both rules of representatives, or all messages of bilinear ones."""
    by_name, counts = {name: bytes.fromhex(text) for name, text in vectors["messages"].items()}, [0, 0]
    if int.from_bytes(by_name["parameters"][6:8], "big") == bilinear.SCHEME:
        return check_bilinear(by_name)
    for rule, value in (("", "value"), ("rule 2: ", "value of apple and banana")):
        of = rsa.Accumulator(by_name[f"{rule}parameters"], b"vectors")
        if of.id != by_name[f"{rule}id"]:
            raise Wrong(f"{rule}id")
        value = open_message(by_name[rule + value], 49, rsa.SCHEME, 1 << 12).body
        witness = open_message(by_name[f"{rule}witness apple"], 51, rsa.SCHEME, 1 << 12).body
        of.check_member(b"apple", witness, value)
        counts[0] += 1
        other = witness[:9] + bytes([witness[9] ^ 1]) + witness[10:]
        bad = ((b"banana", witness), (b"apple", witness[:-1]), (b"apple", other))
        counts[1] += all_refused(rule, of.check_member, [(*case, value) for case in bad])
    return counts


def check_bilinear(by_name):
    of, counts = bilinear.Accumulator(by_name["parameters"], b"vectors"), [0, 0]
    digest = HASH("pad/v1/accumulator-element", of.id + b"apple")
    steps = (of.id, by_name["id"]), (digest, by_name["element digest apple"]), (digest, by_name["element apple"][8:])
    scalar = of.scalar_of(b"apple").to_bytes(32, "big")
    # The value once more, from the secret of the vectors.
    exponent, secret = 1, int.from_bytes(bytes([0x5A]) * 32, "big")
    for element in (b"apple", b"banana", b"cherry"):
        exponent = exponent * (of.scalar_of(element) + secret) % bls12_381.ORDER
    recomputed = bls12_381.encode_g1(bls12_381.combine([(exponent, bls12_381.GENERATOR_1)]))
    value = open_message(by_name["value"], 49, bilinear.SCHEME, 1 << 12).body
    signed = open_message(by_name["signed value"], 50, bilinear.SCHEME, 1 << 12).body
    message = of.signed_bytes(int.from_bytes(signed[:8], "big"), signed[72:])
    for found, expected in (
        *steps,
        (scalar, by_name["scalar apple"]),
        (message, by_name["signed bytes"]),
        (signed[72:], value),
        (recomputed, value),
    ):
        if found != expected:
            raise Wrong(f"{found.hex()} instead of {expected.hex()}")
    if not ed25519.verify(AUTHOR, message, signed[8:72]):
        raise Wrong("the signed value")
    for name, kind, check, elements in (
        ("witness apple", 51, of.check_member, [b"apple", b"banana"]),
        ("witness of absence damson", 52, of.check_absent, [b"damson", b"apple"]),
        ("witness of apple and cherry", 53, of.check_subset, [[b"apple", b"cherry"], [b"apple", b"banana"]]),
    ):
        witness = open_message(by_name[name], kind, bilinear.SCHEME, 1 << 12).body
        good, other = elements
        check(good, witness, value)
        counts[0] += 1
        changed = changed_at(witness, range(len(witness)))
        cases = [(other, witness), (good, witness[:-1]), *((good, bad) for bad in changed)]
        counts[1] += refusals(f"{name}: ", check, [(element, bad, value) for element, bad in cases])
    name = next(name for name in by_name if name.startswith("change"))
    change = by_name[name]
    before, after, removed, added = of.check_change(change)
    if (before, after) == (value, value) or len(removed) + len(added) != 3:
        raise Wrong(name)
    changed = changed_at(change, range(0, len(change), 3))
    return counts[0] + 1, counts[1] + refusals(f"{name}: ", of.check_change, [(bad,) for bad in changed])


def refusals(name, check, cases):
    """How many of some cases are refused, which are all."""
    return all_refused(name, check, some(cases))


def check_logs(vectors):
    """Look-ups, inclusions and append-only proofs (kinds 129 to 131), but for the scheme of tests."""
    counts = [0, 0]
    purpose = vectors["purpose"].encode()

    def found(log, case, message):
        if case["check"] == "append_only":
            roots = [bytes.fromhex(case[name]) for name in ("old_root", "new_root")]
            return dict(zip(("old", "new"), logs.check_append_only(log, logs.open_log(message, 131, log), *roots)))
        root, key = bytes.fromhex(case["root"]), bytes.fromhex(case["key"])
        if case["check"] == "lookup":
            values = logs.look_up(log, logs.open_log(message, 129, log), root, key)
            return {"values": [value.hex() for value in values]}
        value = bytes.fromhex(case["value"] or "")
        position, occurrence = logs.look_up_one(log, logs.open_log(message, 130, log), root, key, value)
        return {"position": position, "occurrence": occurrence or 0}

    for group in vectors["dictionaries"] + vectors["hidden"] + vectors["apart"]:
        if group["scheme"] not in LOGS.values():
            continue
        setup = bytes([logs.BLOCK, group["top"], group["deferred"]]) + bytes.fromhex(vectors["s_g2"])
        log = logs.Log(group["scheme"], bytes.fromhex(group["dictionary"]), setup + bytes([len(purpose)]) + purpose)
        if log.id.hex() != group["id"]:
            raise Wrong(f"another id: {group['name']}")
        cases = [*group.get("cases", []), *([group["accepted"]] if "accepted" in group else [])]
        for case in some_accepted(cases, lambda case: case["check"]):
            answer = found(log, case, bytes.fromhex(case["proof"]))
            if {**case, **answer} != case:
                raise Wrong(f"{answer}: {case}")
            counts[0] += 1
        bad = [(case, bytes.fromhex(case["proof"])) for case in group["refused"]]
        damage = group.get("damage", {"list": []})
        for item in damage["list"]:
            case = cases[damage["of"][item["of"]]]
            message = bytearray.fromhex(case["proof"])
            if item["what"] == "byte":
                message[item["at"]] = item["to"]
            elif item["what"] == "cut":
                message.pop()
            else:
                message.append(0)
            bad.append((case, bytes(message)))
        counts[1] += refusals(f"{group['name']}: ", lambda *of: found(log, *of), bad)
    for case in vectors["shapes"]:
        log.setup = log.setup._replace(top=case["top"], deferred=case["deferred"])
        for size, forest in case["forests"].items() if case["block_level"] == logs.BLOCK else []:
            if [list(node) for node in log.forest(int(size))] != forest:
                raise Wrong(f"another forest of {size}: {case}")
    return counts


def check_lists(vectors):
    """Lists of blocks, proofs about them, updates, challenges; no tags."""
    counts = [0, 0]
    for case in vectors["structure"]:
        tags = (flexlist.tag_digest(b"tag-%d" % number) for number in range(len(case["lens"])))
        if flexlist.root_of(zip(case["lens"], case["levels"], tags)) != (case["rank"], bytes.fromhex(case["root"])):
            raise Wrong(f"another root: {case}")
        counts[0] += 1
    for case in vectors["multiproof"]:
        proof, root = bytes.fromhex(case["proof"]), bytes.fromhex(case["root"])
        expected = {(leaf["start"], leaf["length"], bytes.fromhex(leaf["td"])) for leaf in case["leaves"]}
        if set(flexlist.prove_indices(proof, root, case["rank"], case["indices"])) != expected:
            raise Wrong(f"other blocks: {case}")
        changed = changed_at(proof, range(0, len(proof), 7))
        bad = [(message, root, case["rank"], case["indices"]) for message in changed]
        counts = [counts[0] + 1, counts[1] + refusals("multiproof: ", flexlist.prove_indices, bad)]
    for case in vectors["updates"]:
        witness, after = bytes.fromhex(case["witness"]), bytes.fromhex(case["root_after_each"][-1])
        if updated(case, witness) != (case["new_rank"], after):
            raise Wrong(f"another root: {case}")
        changed = changed_at(witness, range(0, len(witness), 7))
        counts = [counts[0] + 1, counts[1] + refusals("update: ", updated, [(case, bad) for bad in changed])]
    case = vectors["dpdp"]
    about = [bytes.fromhex(case["seed"]), bytes.fromhex(case["file_id"]), case["version"], bytes.fromhex(case["root"])]
    challenge = flexlist.Challenge.of_samples(*about, case["total"], case["c"])
    samples = [[challenge.place(q, case["total"]), hex(challenge.coefficient(q))] for q in range(case["c"])]
    if challenge.context.hex() != case["ctx"] or samples != case["challenge"]:
        raise Wrong("another challenge")
    places = [place for place, _ in samples]
    blocks = flexlist.prove_indices(bytes.fromhex(case["proof"]), about[3], case["total"], places)
    return counts[0] + 3, counts[1] + check_sum(case, challenge, samples, blocks)


def check_sum(case, challenge, samples, blocks):
    """The proof of RSA tags in `dpdp`, whose modulus is a short one."""
    of = tags.Rsa.__new__(tags.Rsa)
    of.width, of.modulus, of.base = 64, int(case["N"], 16), int(case["g"], 16)
    by_digest = {flexlist.tag_digest(tag): tag for tag in map(bytes.fromhex, case["proof_tags"])}
    challenged = []
    for start, length, digest in sorted(set(blocks)):
        hits = [(place - start, int(a, 16)) for place, a in samples if start <= place < start + length]
        challenged.append(tags.Block(bytes(32) + by_digest[digest], length, hits))
    total = int(case["M"], 16)
    proof = total.to_bytes(of.proof_width(challenged), "big")
    of.check(challenged, proof)
    bad = [(challenged, (total + 1).to_bytes(len(proof), "big")), (challenged, proof + b"\0"), (challenged[1:], proof)]
    return refusals("dpdp: ", of.check, bad)


def updated(case, witness):
    """The total and the root after the operations of a case."""
    blocks = flexlist_updates.List(witness, bytes.fromhex(case["old_root"]), case["old_rank"])
    for step in case["ops"]:
        if step["op"] == "rem":
            blocks.remove(step["index"])
        elif step["op"] == "mod":
            blocks.modify(step["index"], step["length"], bytes.fromhex(step["td"]))
        else:
            blocks.insert(step["index"], step["length"], bytes.fromhex(step["td"]), step["level"])
    return blocks.finish()


def public_of(vectors):
    """The public key of a dictionary of tuples."""
    own = vectors.get("tuple_key")
    for scheme in ("rsa", "bilinear"):
        if vectors["design"].endswith(f"-{scheme}"):
            accumulator = json.loads((VECTORS / "accumulators" / f"{scheme}.json").read_text())
            own = accumulator["messages"]["parameters"]
    return PublicKey(
        f"pad-public-key v1\nsuite {vectors.get('suite', 'sha256-ed25519')}\nscheme tuple-{vectors['design']}\n"
        f"dictionary {vectors['dictionary_id']}\nauthor {vectors['author_key']}\n"
        + (f"scheme-key {own}\n" if own else "")
    )


def check_many_and_range(vectors):
    """Several keys and ranges (kinds 66 and 67) without proof files: every seventeenth byte changed is refused."""
    counts = [0, 0]
    cases = [(case, 66, Question("keys", [optional(key) for key, _ in case["answers"]])) for case in vectors["many"]]
    cases += [
        (case, 67, Question("range", [optional(case["start"]), optional(case["end"])])) for case in vectors["ranges"]
    ]
    for case, kind, question in cases:
        public = public_of(json.loads((VECTORS / "tuples" / f"{case['design']}.json").read_text()))
        message, check = bytes.fromhex(case["proof"]), {66: tuples.look_up_several, 67: tuples.look_up_range}[kind]

        def found(changed):
            reader = open_message(changed, kind, public.suite.number, len(message))
            return check(reader, public, case["version"], question, None)

        expected = [(optional(key), optional(value)) for key, value in case["answers" if kind == 66 else "entries"]]
        if found(message) != expected:
            raise Wrong(f"another answer: {case}")
        changed = changed_at(message, range(0, len(message), 17))
        counts = [counts[0] + 1, counts[1] + refusals(f"{case}: ", found, [(bad,) for bad in changed])]
    return counts


def check_tuples(vectors):
    """Heads, updates (kind 64) of signed tuples, and look-ups (kind 65) without proof files: every seventeenth byte changed is
    refused, of the plain example every one."""
    public = public_of(vectors)
    known, refused = check_heads(vectors, public)
    counts = [len(known), refused]
    numbered = list(enumerate([] if public.is_accumulated() else vectors["versions"], 1))
    for number, version in some_accepted(numbered, lambda _: None):
        message = bytes.fromhex(version["update"])
        if tuples.verify_update(message, public, number) != known[number]:
            raise Wrong(f"another head: {version}")
        changed = changed_at(message, range(number % 5, len(message), 5))
        counts[0] += 1
        counts[1] += refusals(f"{version}: ", tuples.verify_update, [(bad, public, number) for bad in changed])
    check_look_up = accumulated.look_up if public.is_accumulated() else tuples.look_up
    step = 1 if (vectors["design"], public.suite.number) == ("spec-lightweight", 1) else 17

    def found(case, message):
        version, question = case["version"], Question("look-up", [bytes.fromhex(case["key"])])
        require(version < len(known), "there is no such version")
        reader = open_message(message, 65, public.suite.number, len(message))
        return check_look_up(reader, public, version, question, known[version])

    for case in some_accepted(vectors["proofs"], lambda case: case["answer"] is None):
        message = bytes.fromhex(case["proof"])
        if found(case, message) != [(bytes.fromhex(case["key"]), optional(case["answer"]))]:
            raise Wrong(f"another answer: {case}")
        changed = changed_at(message, range(0, len(message), step))
        counts = [counts[0] + 1, counts[1] + refusals("look-up: ", found, [(case, bad) for bad in changed])]
    bad = [(case, bytes.fromhex(case["proof"])) for case in vectors.get("refused", [])]
    return counts[0], counts[1] + refusals("look-up: ", found, bad)


def check_history(case, message, public, known):
    older, newer = known[case["older"]], known[case["newer"]]
    if case["kind"] == "prefix":
        if heads.verify_prefix(message, public, older.version, newer) != older.history:
            raise Refused("another history")
        return
    if case["kind"] == "consistency":
        heads.verify_consistency(message, public, older, newer)
    elif heads.verify_inclusion(message, public, older.version, newer) != older.root:
        raise Refused("another root")


def check(path):
    vectors = json.loads(path.read_text())
    if path.parent.name == "accumulators":
        return check_accumulators(vectors)
    if "hidden" in vectors:
        return check_logs(vectors)
    if "multiproof" in vectors:
        return check_lists(vectors)
    if "dense" in vectors:
        return check_directories(vectors)
    if "accepted_keys" in vectors:
        return check_key_files(vectors)
    if "accepted_secrets" in vectors:
        return check_secret_keys(vectors)
    if "policy" in vectors:
        return check_head_log(vectors)
    if path.stem == "encrypted-keys":
        return check_encrypted_keys(vectors)
    if "accepted" in vectors and "public" not in vectors:
        return check_messages(vectors)
    if "accepted" in vectors:
        return check_proof_files(vectors)
    if "nodes" in vectors:
        return check_hashes(vectors)
    if "signatures" in vectors:
        return check_signatures(vectors)
    if "ranges" in vectors:
        return check_many_and_range(vectors)
    if "design" in vectors:
        return check_tuples(vectors)
    return check_trees(vectors)


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--every"]:
        global EVERY
        EVERY, arguments = int(arguments[1]), arguments[2:]
    given = [pathlib.Path(path) for path in arguments]
    files = given or [
        *sorted(VECTORS.glob("proof-files/*.json")),
        VECTORS / "hashes.json",
        VECTORS / "ed25519.json",
        VECTORS / "key-files.json",
        VECTORS / "secret-keys.json",
        VECTORS / "encrypted-keys.json",
        VECTORS / "messages.json",
        VECTORS / "files" / "flexlist.json",
        VECTORS / "files" / "messages.json",
        VECTORS / "logs" / "heads.json",
        *sorted(VECTORS.glob("accumulators/*.json")),
        VECTORS / "directories" / "block_directory.json",
        VECTORS / "logs" / "logs.json",
        *sorted(path for path in VECTORS.glob("trees/*.json") if path.stem != "accumulated"),
        *sorted(VECTORS.glob("tuples/*.json")),
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
    for check_own in [] if given else CHECKS:
        try:
            accepted, refused = check_own(VECTORS, some)
        except Wrong as wrong:
            print(wrong, file=sys.stderr)
            return 1
        print(f"{check_own.__name__}: {accepted} accepted, {refused} refused")
    print(f"as published: {total[0]} accepted, {total[1]} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
