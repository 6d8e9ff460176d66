//! Checks proof files of logs: every changed byte, every truncation and every appended byte is
//! refused.

use authdict::{
    DictionaryId, Key, LogParameters, Operation, PublicKey, Question, SchemeName, SecretKey,
    Server, Statement, SuiteName, Value, Version,
    internals::dynamic::client,
    pad_log::{Schedule, Shape},
};

use crate::shop::Shop;

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

fn value(text: &str) -> Value {
    Value::try_from(text).unwrap()
}

/// Returns the public key of a log with versions of 13 and 21 entries, and a server's answers.
fn answers(scheme: SchemeName, questions: &[Question]) -> (PublicKey, Vec<Vec<u8>>) {
    let parameters = LogParameters::generate_insecure(scheme, 4).unwrap();
    let setup = parameters.setup(scheme, Shape::new(4, Schedule::Eager).unwrap());
    let (suite, id) = (SuiteName::Sha256Ed25519, DictionaryId::from_name("log"));
    let secret = SecretKey::from_parts(suite, scheme, id, &[7; 32], setup).unwrap();
    let shop = Shop::of_with(secret, Some(parameters.record()));
    let mut author = shop.author().unwrap();
    for numbers in [0..13, 13..21] {
        let put = |number: u32| {
            let value = if scheme.is_set() {
                Value::default()
            } else {
                value("v")
            };
            let key = if scheme.is_set() { number } else { number % 9 };
            Operation::Put(self::key(&format!("key {key}")), value)
        };
        author.stage(numbers.map(put).collect()).unwrap();
    }
    author.flush(&[]).unwrap();
    let repository: &Server = author.server();
    let answer = |question| repository.answer(LATEST, question).unwrap();
    let answers = questions.iter().map(answer).collect();
    (shop.key.public().clone(), answers)
}

const LATEST: Version = Version::new(2);

fn check(scheme: SchemeName, questions: &[Question], is_right: fn(&Statement) -> bool) {
    let (public, answers) = answers(scheme, questions);
    let client = client(&public).unwrap();
    for (question, answer) in questions.iter().zip(answers) {
        let verify = |answer: &[u8]| client.check_at(LATEST, question, answer);
        let honest = verify(&answer).unwrap();
        assert!(is_right(&honest), "{honest:?}");
        let mut changed = answer.clone();
        for place in 0..answer.len() {
            let mask = [0x01, 0x80, 0xff][place % 3];
            changed[place] ^= mask;
            let verified = verify(&changed);
            assert!(
                verified.is_err(),
                "{question:?}: byte {place} changed by {mask:02x}"
            );
            changed[place] ^= mask;
            assert!(
                verify(&answer[..place]).is_err(),
                "{question:?}: cut at {place}"
            );
        }
        for extra in [1, 32, 48] {
            changed.resize(answer.len() + extra, 0);
            assert!(
                verify(&changed).is_err(),
                "{question:?}: {extra} bytes more"
            );
        }
        for other in questions.iter().filter(|other| *other != question) {
            assert!(
                client.check_at(LATEST, other, &answer).is_err(),
                "{other:?}"
            );
        }
        assert!(client.check_at(Version::new(1), question, &answer).is_err());
    }
}

#[test]
fn no_changed_byte_of_a_look_up_is_accepted() {
    let questions = [Question::Key(key("key 3")), Question::Key(key("absent"))];
    check(SchemeName::AadCounted, &questions, |statement| {
        matches!(statement, Statement::Values(_))
    });
}

#[test]
fn no_changed_byte_of_an_inclusion_is_accepted() {
    let questions = ["key 3", "key 8"].map(|text| Question::Value(key(text), value("v")));
    check(SchemeName::AadCounted, &questions, |statement| {
        matches!(statement, Statement::Included(_))
    });
}

#[test]
fn no_changed_byte_of_an_append_only_proof_is_accepted() {
    let questions = [0, 1, 2].map(|from| Question::Growth(Version::new(from)));
    check(SchemeName::AadCounted, &questions, |statement| {
        matches!(statement, Statement::Grown(_))
    });
}

#[test]
fn no_changed_byte_about_a_member_is_accepted() {
    let scheme = SchemeName::AasCounted;
    check(scheme, &[Question::Key(key("key 3"))], |statement| {
        matches!(statement, Statement::Included(_))
    });
    check(scheme, &[Question::Key(key("absent"))], |statement| {
        matches!(statement, Statement::Absent(_))
    });
}
