//! Checks proof files: every single changed byte, every truncation and every appended byte is
//! refused.

use authdict::{
    DictionaryId, Key, Operation, PublicKey, Question, SchemeName, SecretKey, Statement, SuiteName,
    Value, Version,
    internals::{SchemeFamily, dynamic::client},
    pad_core::Lookup,
};

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
                check_every_byte(&public, &question, &answer);
            }
        }
    }
}

fn check_every_byte(public: &PublicKey, question: &Question, answer: &[u8]) {
    let version = Version::new(1);
    let client = client(public).unwrap();
    let verify = |answer: &[u8]| client.check_at(version, question, answer);
    let honest = verify(answer).unwrap();
    assert!(matches!(honest, Statement::Lookup(Lookup { .. })));
    let mut changed = answer.to_vec();
    for place in (0..answer.len()).step_by(pad_conformance::soak::size(23, 1)) {
        for mask in [0x01, 0x80, 0xff] {
            changed[place] ^= mask;
            let verified = verify(&changed);
            assert!(verified.is_err(), "byte {place} changed by {mask:02x}");
            changed[place] ^= mask;
        }
        assert!(verify(&answer[..place]).is_err(), "cut at {place}");
    }
    changed.push(0);
    assert!(verify(&changed).is_err());
}
