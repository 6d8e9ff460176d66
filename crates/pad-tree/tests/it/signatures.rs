//! Strict verification of signatures: the verdicts of `docs/vectors/ed25519.json`, which is made of numbers that
//! nobody signs with, and so written once and for all.

use conformance::published;
use pad_core::{AuthorKey, HeadSignature};
use serde_json::Value;

fn bytes<const N: usize>(value: &Value) -> [u8; N] {
    hex::decode(value.as_str().unwrap())
        .unwrap()
        .try_into()
        .unwrap()
}

#[test]
fn verdicts_on_signatures_are_the_published_ones() {
    let text = std::fs::read_to_string(published::path("ed25519")).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let mut verdicts = [0, 0];
    for case in vectors["signatures"].as_array().unwrap() {
        let message = hex::decode(case["message"].as_str().unwrap()).unwrap();
        let signature = HeadSignature::from_bytes(&bytes(&case["signature"]));
        let key = AuthorKey::from_bytes(&bytes(&case["key"]));
        let verdict = key.and_then(|key| key.verify(&message, &signature));
        assert_eq!(
            verdict.is_ok(),
            case["accepted"].as_bool().unwrap(),
            "{case}"
        );
        verdicts[usize::from(verdict.is_ok())] += 1;
    }
    assert!(verdicts[0] >= 20 && verdicts[1] >= 3, "{verdicts:?}");
}
