//! Tests of `pad inspect`: the reported steps must agree with independently computed hashes.

use authdict::{Sha256Ed25519, pad_core::Digest};
use pad_conformance::soak;
use pad_core::{Suite, internals::Domain};
use serde_json::{Value as Json, json};

use crate::bench::{Bench, Outcome as _, assert_has, text};

fn digest(line: &Json) -> Digest<32> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(line["shown"].as_str().unwrap(), &mut bytes).unwrap();
    Digest(bytes)
}

/// Computes the hashes in the reported lines independently. The result must be the signed root.
#[test]
fn the_steps_of_a_tree_come_to_the_root() {
    let rows = (0..40).map(|row| format!("a,put,key {row:02},value {row}\n"));
    let bench = Bench::with_rows(rows);
    for key in ["key 07", "key 075", "zebra", "a"] {
        let mut prove = bench.command();
        prove.args(["prove", "--store", "s", "--force", "--out", "p", key]);
        prove.output().unwrap().succeeds();
        let lines = bench.json("inspect --public k.pub p");
        let root = lines.iter().find(|line| line["what"] == "root").unwrap();
        let mut stack: Vec<Digest<32>> = Vec::new();
        let (mut leaf, mut value, mut sibling, mut parts) = (None, None, None, 0);
        for line in &lines {
            match line["what"].as_str().unwrap_or_default() {
                "leaf" => leaf = Some(line["shown"].as_str().unwrap().to_owned()),
                "value" => {
                    let shown = line["shown"].as_str().unwrap();
                    value = Some(Sha256Ed25519::value(shown.as_bytes()));
                }
                "value digest" => {
                    assert!(value.is_none_or(|value| value == digest(line)));
                    value = Some(digest(line));
                }
                "left sibling" => sibling = Some((true, digest(line))),
                "right sibling" => sibling = Some((false, digest(line))),
                "left part" | "right part" => parts += 1,
                "digest" => {
                    let node = |left, right| Sha256Ed25519::node(Domain::TreeNode, left, right);
                    let made = if let Some(leaf) = leaf.take() {
                        Sha256Ed25519::leaf(leaf.as_bytes(), &value.take().unwrap())
                    } else if let Some((is_left, sibling)) = sibling.take() {
                        let own = stack.pop().unwrap();
                        if is_left {
                            node(&sibling, &own)
                        } else {
                            node(&own, &sibling)
                        }
                    } else {
                        assert_eq!(parts, 2);
                        parts = 0;
                        let (left, right) = (stack.pop().unwrap(), stack.pop().unwrap());
                        node(&left, &right)
                    };
                    assert_eq!(made, digest(line), "{line}");
                    stack.push(made);
                }
                _ => {}
            }
        }
        assert_eq!(stack, [digest(root)], "{key}");
        let end = lines.last().unwrap();
        let expected =
            json!({ "root_computed": true, "signature_checked": true, "verified": false });
        assert_has(end, &expected, key);
    }
}

#[test]
fn with_a_key_it_verifies() {
    let bench = Bench::with_trace();
    bench.ok("prove --store s apple --at 2 --out p");
    let (steps, end) = bench.list("inspect --public k.pub p apple");
    let expected = json!({
        "end": true, "items": steps.len(),
        "key": "apple", "present": true, "value": "4", "verified": true, "version": 2,
    });
    assert_eq!(end, expected);
    // The proof is about another key.
    bench.fails("inspect --public k.pub p plum", 3, "verification failed");
    bench.steps(&[
        "inspect p => 0 not checked, no public key is given",
        "inspect p => 0 the steps lead to the root in the head",
        "keygen --out other",
        "inspect --public other.pub p => 3 another dictionary",
        "inspect --public k.pub k.pub => 3 not a message",
        "inspect none => 4 none",
        "export --store s --at 2 --out u",
        "prove --store s nobody --at 1 --out absent",
    ]);
    // The steps of updates, and of proofs that a key is absent, are reported too.
    let lines = bench.json("inspect --public k.pub u");
    let changes = lines.iter().find(|line| line["what"] == "changes").unwrap();
    assert_eq!(changes["shown"], 2);
    assert_eq!(lines.last().unwrap()["signature_checked"], true);
    let lines = bench.json("inspect --public k.pub absent nobody");
    assert_eq!(lines.last().unwrap()["present"], false);
}

/// After any change to a proof, the steps must not produce the head's root, or the signature must
/// be invalid.
#[test]
fn changed_proofs_are_refused() {
    let bench = Bench::with_trace();
    for (key, at) in [("apple", 2), ("fig", 3)] {
        bench.ok(&format!("prove --store s {key} --at {at} --out p --force"));
        let proof = bench.read("p");
        for place in (0..proof.len()).step_by(soak::size(23, 1)) {
            let mut forged = proof.clone();
            forged[place] ^= 1;
            bench.write("forged", &forged);
            let output = bench.run(&format!("--json inspect --public k.pub forged {key}"));
            let is_refused = matches!(output.status.code(), Some(2 | 3));
            assert!(is_refused, "{place}: {}", text(&output.stdout));
        }
        for end in (0..proof.len()).step_by(soak::size(23, 1)) {
            bench.write("cut", &proof[..end]);
            let code = bench.run("inspect --public k.pub cut").status.code();
            assert_eq!(code, Some(3), "{end}");
        }
        bench.write("longer", &[&proof[..], &[0]].concat());
        bench.fails("inspect --public k.pub longer", 3, "verification failed");
    }
}

#[test]
fn the_tuples_of_a_proof_are_shown() {
    for scheme in [
        "tuple-spec-lightweight",
        "tuple-base-superseding",
        "tuple-base",
    ] {
        let bench = Bench::with_trace_of(scheme);
        bench.ok("prove --store s plum --at 2 --out p");
        let lines = bench.json("inspect --public k.pub p plum");
        let shown = |what: &str| -> Vec<&Json> {
            let found = lines.iter().filter(|line| line["what"] == what);
            found.map(|line| &line["shown"]).collect()
        };
        assert_eq!(shown("generation")[0], &json!(0), "{scheme}");
        for limit in ["from", "up to"] {
            assert!(!shown(limit).is_empty(), "{scheme}");
        }
        assert_eq!(shown("value"), [&json!("7")], "{scheme}");
        assert_eq!(shown("digest").len(), shown("generation").len(), "{scheme}");
        if scheme == "tuple-base" {
            assert_eq!(shown("at"), [&json!(2)]);
        } else {
            let (since, until) = (shown("since"), shown("until"));
            assert_eq!(since.len(), shown("generation").len(), "{scheme}");
            for (since, until) in since.iter().zip(until) {
                assert!(since.as_u64() <= until.as_u64());
            }
        }
        assert_eq!(lines.last().unwrap()["verified"], true);
        bench.ok("inspect p");
        bench.fails("inspect --public k.pub p apple", 3, "verification failed");
    }
}
