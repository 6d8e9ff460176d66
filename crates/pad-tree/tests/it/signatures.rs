//! Strict verification of signatures: the verdicts of `docs/vectors/ed25519.json`. Its keys belong
//! to no signer, so the file is fixed.

use pad_conformance::published::{self, decode};
use pad_core::{AuthorKey, HeadSignature};
use serde_json::Value;

fn bytes<const N: usize>(value: &Value) -> [u8; N] {
    decode(value.as_str().unwrap()).try_into().unwrap()
}

#[test]
fn verdicts_on_signatures_are_the_published_ones() {
    let vectors: Value = published::read("ed25519");
    let mut verdicts = [0, 0];
    for case in vectors["signatures"].as_array().unwrap() {
        let message = decode(case["message"].as_str().unwrap());
        let signature = HeadSignature::from_bytes(&bytes(&case["signature"]));
        let key = AuthorKey::from_bytes(&bytes(&case["key"]));
        let verdict = key.and_then(|key| key.verify(&message, &signature));
        let expected = case["accepted"].as_bool().unwrap();
        assert_eq!(verdict.is_ok(), expected, "{case}");
        verdicts[usize::from(verdict.is_ok())] += 1;
    }
    assert!(verdicts[0] >= 20 && verdicts[1] >= 3, "{verdicts:?}");
}
