//! Checks proof files: every single changed byte, every truncation and every appended byte is
//! refused.

use authdict::{
    DictionaryId, Key, Operation, PublicKey, Question, SchemeName, SecretKey, Statement, SuiteName,
    Value, Version,
    internals::{SchemeFamily, dynamic::client},
    pad_core::Lookup,
};
use pad_conformance::soak;

use crate::shop::Shop;

/// Returns a new key. For accumulators, returns a published key, because generating one takes
/// minutes.
fn secret_key(suite: SuiteName, scheme: SchemeName) -> SecretKey {
    let text = match scheme.name().rsplit('-').next() {
        Some("rsa") => include_str!("../../../../data/keys-for-tests/rsa-2048.txt"),
        Some("bilinear") => include_str!("../../../../data/keys-for-tests/bilinear-16.txt"),
        _ => return SecretKey::generate(suite, scheme, None).unwrap(),
    };
    let digits = text.lines().find(|line| !line.starts_with('#')).unwrap();
    let secret = hex::decode(digits).unwrap().into();
    let dictionary = DictionaryId::from_name("test");
    SecretKey::from_parts(suite, scheme, dictionary, &[7; 32], Some(secret)).unwrap()
}

/// Returns the number of entries. For accumulators, it is within the capacity of their parameters.
fn entries(scheme: SchemeName) -> u32 {
    if scheme.name().contains("accumulators") {
        12
    } else {
        100
    }
}

/// Returns the public key of a small dictionary, with answers for a present key and for absent
/// keys.
fn answers(suite: SuiteName, scheme: SchemeName) -> (PublicKey, Vec<(Question, Vec<u8>)>) {
    let shop = Shop::of(secret_key(suite, scheme));
    let entry = |number: u32| {
        let value = Value::try_from(number.to_string().as_str()).unwrap();
        Operation::Put(Key::new(number.to_be_bytes().to_vec()).unwrap(), value)
    };
    let even = (0..entries(scheme)).map(|number| entry(2 * number));
    let (version, repository) = (shop.publish(even.collect()), shop.repository());
    let asked = [14, 15, 2 * entries(scheme) - 1].map(|number| {
        let question = Question::Key(Key::new(number.to_be_bytes().to_vec()).unwrap());
        let answer = repository.answer(version, &question).unwrap();
        (question, answer)
    });
    (shop.key.public().clone(), asked.to_vec())
}

#[test]
fn no_changed_byte_is_accepted() {
    for suite in SuiteName::ALL {
        // Proofs of logs and of block directories have their own tests. Keys of logs also need
        // parameters.
        let all = SchemeName::ALL.iter();
        let has_keys = |scheme: &&SchemeName| scheme.family() != SchemeFamily::Directory;
        let all = all.filter(has_keys);
        for scheme in all.filter(|scheme| !scheme.family().is_append_only()) {
            let (public, answers) = answers(*suite, *scheme);
            for (question, answer) in answers {
                let about = (Version::new(1), &question);
                let is_look_up = |found: &_| matches!(found, Statement::Lookup(Lookup { .. }));
                let changes = (soak::size(23, 1), 3);
                check_every_byte(&public, about, &answer, is_look_up, changes);
            }
        }
    }
}

/// Asserts that a client with this key accepts an answer as `is_right`. It must refuse the answer
/// with a changed byte, cut off, or longer. Every `step`-th byte is changed in `ways` ways.
pub(crate) fn check_every_byte(
    public: &PublicKey,
    (version, question): (Version, &Question),
    answer: &[u8],
    is_right: impl Fn(&Statement) -> bool,
    (step, ways): (usize, usize),
) {
    let client = client(public).unwrap();
    let verify = |answer: &[u8]| client.check_at(version, question, answer);
    let honest = verify(answer).unwrap();
    assert!(is_right(&honest), "{honest:?}");
    let refused = |answer: &[u8], what: &str| {
        assert!(verify(answer).is_err(), "{question:?}: {what}");
    };
    let mut changed = answer.to_vec();
    for place in (0..answer.len()).step_by(step) {
        for mask in [0x01, 0x80, 0xff]
            .into_iter()
            .cycle()
            .skip(place % 3)
            .take(ways)
        {
            changed[place] ^= mask;
            refused(&changed, &format!("byte {place} changed by {mask:02x}"));
            changed[place] ^= mask;
        }
        refused(&answer[..place], &format!("cut at {place}"));
    }
    for extra in [1, 32, 48] {
        changed.resize(answer.len() + extra, 0);
        refused(&changed, &format!("{extra} bytes more"));
    }
}
