//! Ed25519 verification vectors of Wycheproof (`tests/external/README.md`).

use pad_core::{AuthorKey, HeadSignature};
use serde::Deserialize;

const VECTORS: &str = include_str!("../external/ed25519_test.json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vectors {
    number_of_tests: usize,
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    public_key: PublicKey,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct PublicKey {
    pk: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    msg: String,
    sig: String,
    result: String,
}

/// The vector that only a batch accepts, as [`AuthorKey::verify_batch`] documents. Its `R` is of
/// small order and in an encoding that is not canonical.
const TAKEN_BY_BATCHES: u32 = 151;

/// Every published verdict equals the verdict of [`AuthorKey::verify`].
///
/// `verify` is stricter than RFC 8032 requires: it checks the equation without the cofactor and
/// refuses points of small order. No valid vector depends on either. A signature that is not 64
/// bytes long is refused when it is decoded.
#[test]
fn ed25519_verdicts_are_those_published() {
    let vectors: Vectors = serde_json::from_str(VECTORS).unwrap();
    let (mut valid, mut invalid, mut undecodable) = (0, 0, 0);
    for group in &vectors.test_groups {
        let key: AuthorKey = group.public_key.pk.parse().unwrap();
        for test in &group.tests {
            let message = hex::decode(&test.msg).unwrap();
            let signature = HeadSignature::from_slice(&hex::decode(&test.sig).unwrap());
            let verdict = signature.is_ok_and(|signature| {
                let single = key.verify(&message, &signature).is_ok();
                let twice = [(message.as_slice(), &signature); 2];
                let batch = key.verify_batch(&twice).is_ok();
                let is_taken = single || test.tc_id == TAKEN_BY_BATCHES;
                assert_eq!(batch, is_taken, "vector {} in a batch", test.tc_id);
                single
            });
            undecodable += usize::from(test.sig.len() != 128);
            match test.result.as_str() {
                "valid" => valid += 1,
                "invalid" => invalid += 1,
                other => panic!("vector {} has the result {other}", test.tc_id),
            }
            assert_eq!(verdict, test.result == "valid", "vector {}", test.tc_id);
        }
    }
    assert_eq!((valid, invalid), (88, 63));
    assert_eq!(valid + invalid, vectors.number_of_tests);
    assert_eq!(undecodable, 12, "signatures of another length");
}
