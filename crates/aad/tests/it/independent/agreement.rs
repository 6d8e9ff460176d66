//! Verdicts on the vectors: of the independent verifier, beside what the vectors say.

use serde_json::Value as Json;

use super::{Log, Setup, messages::Question};
use crate::known_answers::{accepted, bytes, damaged, expected, items, number, text, vectors};

impl Question {
    /// The question of a case.
    pub(super) fn of(case: &Json) -> Self {
        let root = |name: &str| bytes(&case[name]).try_into().unwrap();
        let value = |value: &Json| value.as_str().map_or(Vec::new(), |_| bytes(value));
        match text(case, "check") {
            "lookup" => Self::Lookup {
                root: root("root"),
                key: bytes(&case["key"]),
            },
            "inclusion" => Self::Inclusion {
                root: root("root"),
                key: bytes(&case["key"]),
                value: value(&case["value"]),
            },
            _ => Self::AppendOnly {
                old: root("old_root"),
                new: root("new_root"),
            },
        }
    }
}

impl Log {
    /// The log of a group of a file of vectors.
    pub(super) fn of(file: &Json, group: &Json) -> Self {
        let small = |name: &str| u8::try_from(number(group, name)).unwrap();
        let log = Self::new(&Setup {
            scheme: u16::try_from(number(group, "scheme")).unwrap(),
            dictionary: bytes(&group["dictionary"]).try_into().unwrap(),
            top_level: small("top"),
            deferred: small("deferred"),
            secret_in_g2: &bytes(&file["s_g2"]).try_into().unwrap(),
            purpose: text(file, "purpose").as_bytes(),
        });
        assert_eq!(hex::encode(log.id), text(group, "id"));
        log
    }
}

/// All groups of messages in a file of vectors.
pub(super) fn groups(file: &Json) -> impl Iterator<Item = &Json> {
    let kinds = ["dictionaries", "hidden", "apart"];
    kinds.into_iter().flat_map(|kind| items(file, kind))
}

#[test]
fn the_independent_verifier_agrees_with_the_vectors() {
    let (mut honest, mut dishonest) = (0, 0);
    for file in vectors() {
        for group in groups(&file) {
            let log = Log::of(&file, group);
            let verdict = |case: &Json, message: &[u8]| {
                let verdict = log.verify(&Question::of(case), message);
                verdict.outcome
            };
            for case in accepted(group) {
                let outcome = verdict(case, &bytes(&case["proof"]));
                assert_eq!(outcome, Ok(expected(case)), "{case}");
                honest += 1;
            }
            for case in items(group, "refused") {
                verdict(case, &bytes(&case["proof"])).expect_err(text(case, "why"));
                dishonest += 1;
            }
            for (case, message) in damaged(group) {
                verdict(case, &message).expect_err("damaged");
                dishonest += 1;
            }
        }
    }
    assert!(honest >= 77 && dishonest >= 300, "{honest} {dishonest}");
}
