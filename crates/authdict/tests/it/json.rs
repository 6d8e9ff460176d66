//! Tests of what a program stores or logs as JSON: questions, statements and public keys.

use authdict::{Key, Operation, Question, SchemeName, SuiteName, Value, Version};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use crate::shop::{Shop, TREES, put, questions};

fn assert_survives<T: Serialize + DeserializeOwned + PartialEq + core::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{text}");
}

#[test]
fn questions_and_statements_survive() {
    let shop = Shop::new(TREES[0]);
    let binary = Operation::Put(Key::from(b"\xff"), Value::from(b"\xfe"));
    let version = shop.publish((0..70).map(|key| put(key, key)).chain([binary]).collect());
    let server = shop.repository();
    let all = questions().chain([Question::Key(Key::from(b"\xff"))]);
    let all = all.chain([Question::First, Question::Last]);
    for question in all {
        assert_survives(&question);
        assert_survives(&shop.ask(&server, version, &question));
    }
    assert_survives(&Question::Growth(Version::new(3)));
    assert_survives(&server.head_text(version).unwrap());
    assert_survives(shop.key.public());
    assert!(serde_json::from_value::<Question>(json!({ "Keys": [] })).is_err());
}

#[test]
fn keys_and_names_are_readable() {
    let question = Question::Key(Key::from(b"apple"));
    let expected = json!({ "Key": "apple" });
    assert_eq!(serde_json::to_value(&question).unwrap(), expected);
    for suite in SuiteName::ALL {
        assert_eq!(serde_json::to_value(suite).unwrap(), suite.name());
        assert_survives(suite);
    }
    for scheme in SchemeName::ALL {
        assert_eq!(serde_json::to_value(scheme).unwrap(), scheme.name());
        assert_survives(scheme);
    }
    assert!(serde_json::from_value::<SchemeName>(json!("tree")).is_err());
}
