//! Known answers of every scheme except that of figure 4 of the paper: see
//! [`super::known_answers`]. The crate's unit test `author::figure4` covers that scheme, because
//! its logs cannot be made outside the crate.

use bls12::{point::G1_BYTES, scalar};
use pad_core::{DictionaryId, Sha256Ed25519, Suite as _};
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, DictionaryScheme, Log, Schedule, Scheme,
    SetScheme, Setup, Shape,
    internals::{element, hash, prefix},
};
use serde_json::Value as Json;

use crate::{
    known_answers::{Subject, bytes, digest, items, number, text, vectors},
    support::{client_log, parameters},
};

fn shape(group: &Json) -> Shape {
    let deferred = u8::try_from(number(group, "deferred")).unwrap();
    let top_level = u8::try_from(number(group, "top")).unwrap();
    Shape::new(top_level, Schedule::from_number(deferred).unwrap()).unwrap()
}

fn log_of<S: Scheme>(group: &Json) -> Log<S> {
    let dictionary = DictionaryId::from_bytes(bytes(&group["dictionary"]).try_into().unwrap());
    let log = Log::<S>::new(dictionary, Setup::new(parameters(), shape(group)));
    assert_eq!(log.id().to_string(), text(group, "id"));
    log
}

#[test]
fn hashes_are_those_of_the_specification() {
    let vectors = vectors();
    let hashes = &vectors["hashes"];
    for prefix in items(hashes, "prefixes") {
        let length = u16::try_from(prefix[0].as_u64().unwrap()).unwrap();
        let bits = prefix[1].as_u64().unwrap() << (64 - u32::from(length));
        let scalar = prefix::scalar_of_prefix(&bits.to_be_bytes(), length);
        assert_eq!(hex::encode(scalar::encode(&scalar)), prefix[2]);
    }
    let half = element::key_half(&bytes(&hashes["key"][0]));
    assert_eq!(half.to_string(), hashes["key"][1]);
    let scalar = prefix::scalar_of_half(&half.0);
    let found = hex::encode(scalar::encode(&scalar));
    assert_eq!(found, hashes["full_key_prefix"]);
    for case in items(hashes, "values") {
        let value = Sha256Ed25519::value(&bytes(&case[0]));
        let half = element::value_half(&value, case[1].as_u64().unwrap());
        assert_eq!(half.to_string(), case[2]);
    }
    let member = element::of_member(&bytes(&hashes["element"][0]));
    assert_eq!(member.to_string(), hashes["element"][1]);
    let leaf = &hashes["leaf"];
    let hashed = hash::leaf(leaf[0].as_u64().unwrap(), &bytes(&leaf[1]));
    assert_eq!(hashed.to_string(), leaf[2]);
    let pair = [0, 1, 2, 3].map(|place| digest(&hashes["pair"][place]));
    assert_eq!(hash::pair(&pair[0], &pair[1]), pair[2]);
    assert_eq!(hash::bag(&pair[..2]), Some(pair[3]));
    let sealed = &hashes["sealed"];
    let accumulator: [u8; G1_BYTES] = bytes(&sealed[1]).try_into().unwrap();
    let level = u8::try_from(sealed[0].as_u64().unwrap()).unwrap();
    let hashed = hash::sealed(level, &accumulator, &digest(&sealed[2]));
    assert_eq!(hashed.to_string(), sealed[3]);
}

#[test]
fn shapes_are_those_of_the_specification() {
    let vectors = vectors();
    for case in items(&vectors, "shapes") {
        if case["block_level"] != Shape::BLOCK_LEVEL {
            continue;
        }
        let shape = shape(case);
        for (size, expected) in case["forests"].as_object().unwrap() {
            let forest: Vec<(u64, u64)> = shape
                .forest(size.parse().unwrap())
                .map(|root| (root.level.into(), root.index))
                .collect();
            let expected: Vec<(u64, u64)> = serde_json::from_value(expected.clone()).unwrap();
            assert_eq!(forest, expected, "{shape:?} {size}");
        }
    }
}

/// The two ways to check a group.
#[derive(Clone, Copy)]
enum Check {
    /// Checks the answers of an honest log, and the results of its client.
    Log,
    /// Checks the results of a client only.
    Messages,
}

impl Check {
    fn dictionary<S: DictionaryScheme>(self, group: &Json) -> usize {
        let log = log_of::<S>(group);
        let client = client_log(&log);
        self.run(&Subject::dictionary(log, client), group)
    }

    fn set<S: SetScheme>(self, group: &Json) -> usize {
        let log = log_of::<S>(group);
        let client = client_log(&log);
        self.run(&Subject::set(log, client), group)
    }

    fn run<S: Scheme>(self, subject: &Subject<S>, group: &Json) -> usize {
        match self {
            Self::Log => subject.check_log(group),
            Self::Messages => subject.check_messages(group),
        }
    }

    fn group(self, group: &Json) -> usize {
        match number(group, "scheme") {
            0x0301 => self.dictionary::<AadFrontier>(group),
            0x0302 => self.dictionary::<AadCounted>(group),
            0x0311 => self.set::<AasFrontier>(group),
            0x0312 => self.set::<AasCounted>(group),
            FIGURE_4 => 0,
            other => panic!("scheme {other:04x} is not known here"),
        }
    }
}

/// The scheme that this module leaves out.
const FIGURE_4: u64 = 0x03f1;

#[test]
fn honest_logs_answer_with_these_bytes() {
    let vectors = vectors();
    let groups = items(&vectors, "dictionaries").iter();
    let messages: usize = groups.map(|group| Check::Log.group(group)).sum();
    assert!(messages >= 410, "{messages}");
}

#[test]
fn messages_of_dishonest_logs_are_refused() {
    let vectors = vectors();
    let groups = items(&vectors, "hidden").iter();
    let groups = groups.chain(items(&vectors, "apart"));
    let messages: usize = groups.map(|group| Check::Messages.group(group)).sum();
    assert!(messages >= 42, "{messages}");
}
