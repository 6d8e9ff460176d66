//! Checks proof files of logs: every changed byte, every truncation and every appended byte is
//! refused.

use authdict::{
    Key, Operation, PublicKey, Question, SchemeName, Server, Statement, Value, Version,
    internals::dynamic::client,
};

use crate::{
    log::{key_of_log, small},
    proof_file::check_every_byte,
    shop::Shop,
};

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

fn value(text: &str) -> Value {
    Value::try_from(text).unwrap()
}

/// Returns the public key of a log with versions of 13 and 21 entries, and a server's answers.
fn answers(scheme: SchemeName, questions: &[Question]) -> (PublicKey, Vec<Vec<u8>>) {
    let parameters = small(scheme);
    let shop = Shop::of_with(key_of_log(scheme, &parameters), Some(parameters.record()));
    let mut author = shop.author().unwrap();
    for numbers in [0..13, 13..21] {
        let put = |number: u32| {
            let (number, text) = if scheme.is_set() {
                (number, "")
            } else {
                (number % 9, "v")
            };
            Operation::Put(key(&format!("key {number}")), value(text))
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
        check_every_byte(&public, (LATEST, question), &answer, is_right, (1, 1));
        for other in questions.iter().filter(|other| *other != question) {
            let verified = client.check_at(LATEST, other, &answer);
            assert!(verified.is_err(), "{other:?}");
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
