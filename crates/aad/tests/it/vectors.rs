//! Known answers: `tests/vectors/logs.json`, and in the same format the file that the environment variable
//! `AAD_VECTORS` names, of which schemes that are not built here are left out.

use std::{env, fs, path::Path};

use aad::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, AbsenceProof, Absent, AppendOnlyProof,
    Entries, Entry, Growth, Included, InclusionProof, Log, LookupProof, Schedule, Scheme, Shape,
    element, hash, prefix, shape::Address,
};
use accumulators::wire;
use bls12::{point::G1_BYTES, scalar};
use pad_core::{DecodeError, Digest, Key, Sha256Ed25519, Suite as _, Value, VerifyError, Workers};
use serde_json::Value as Json;

use crate::{
    independent::Statement,
    support::{at, client_log, log, verify},
};

pub(crate) fn vectors() -> Vec<Json> {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/logs.json");
    let mut files = vec![bundled];
    files.extend(env::var_os("AAD_VECTORS").map(Into::into));
    let read = |file| serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    files.into_iter().map(read).collect()
}

pub(crate) fn items<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    value
        .get(name)
        .and_then(Json::as_array)
        .map_or(&[], |list| list)
}

pub(crate) fn text<'a>(value: &'a Json, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} is a text in {value}"))
}

pub(crate) fn number(value: &Json, name: &str) -> u64 {
    value[name]
        .as_u64()
        .unwrap_or_else(|| panic!("{name} is a number in {value}"))
}

pub(crate) fn bytes(value: &Json) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

fn digest(value: &Json) -> Digest<32> {
    Digest(bytes(value).try_into().unwrap())
}

pub(crate) fn key(value: &Json) -> Key {
    Key::new(bytes(value)).unwrap()
}

/// A value; a member's is empty.
pub(crate) fn value(value: &Json) -> Value {
    value.as_str().map_or_else(Value::default, |text| {
        Value::new(hex::decode(text).unwrap()).unwrap()
    })
}

fn shape(group: &Json) -> Shape {
    let deferred = u8::try_from(number(group, "deferred")).unwrap();
    let top_level = u8::try_from(number(group, "top")).unwrap();
    Shape::new(top_level, Schedule::from_number(deferred).unwrap()).unwrap()
}

pub(crate) fn log_of<S: Scheme>(group: &Json) -> Log<S> {
    let log = log::<S>(
        bytes(&group["dictionary"]).try_into().unwrap(),
        shape(group),
    );
    assert_eq!(log.id().to_string(), text(group, "id"));
    log
}

#[test]
fn hashes_are_those_of_the_specification() {
    for vectors in vectors() {
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
        assert_eq!(
            hex::encode(scalar::encode(&scalar)),
            hashes["full_key_prefix"]
        );
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
}

#[test]
fn shapes_are_those_of_the_specification() {
    for vectors in vectors() {
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
}

/// What a proof of either scheme establishes, for comparison.
pub(crate) trait Look: Scheme + Sized {
    fn look_up(log: &Log<Self>, case: &Json, proof: &[u8]) -> Result<Vec<Value>, VerifyError>;
    fn answer(entries: &Entries<Self>, size: u64, key: &Key) -> Vec<u8>;
}

macro_rules! looks {
    ($($dictionary:ty, $set:ty;)+) => { $(
        impl Look for $dictionary {
    fn look_up(log: &Log<$dictionary>, case: &Json, proof: &[u8]) -> Result<Vec<Value>, VerifyError> {
        let (at, key) = (at(log, 1, digest(&case["root"])), key(&case["key"]));
        let values = verify::<LookupProof<$dictionary>>(proof, &at, &key)?;
        assert_eq!(values.key, key);
        assert_eq!(values.dictionary, log.dictionary());
        Ok(values.values)
    }

    fn answer(entries: &Entries<$dictionary>, size: u64, key: &Key) -> Vec<u8> {
        wire::encode(&entries.prove_values(size, key.as_bytes()).unwrap())
    }
}

        impl Look for $set {
    fn look_up(log: &Log<$set>, case: &Json, proof: &[u8]) -> Result<Vec<Value>, VerifyError> {
        let (at, member) = (at(log, 1, digest(&case["root"])), key(&case["key"]));
        let absent = verify::<AbsenceProof<$set>>(proof, &at, &member)?;
        let (dictionary, version) = (log.dictionary(), at.version());
        let expected = Absent {
            dictionary,
            version,
            member,
        };
        assert_eq!(absent, expected);
        Ok(Vec::new())
    }

    fn answer(entries: &Entries<$set>, size: u64, key: &Key) -> Vec<u8> {
        let proof = entries.prove_absence(size, key.as_bytes()).unwrap();
        wire::encode(&proof.unwrap())
    }
}
    )+ };
}

looks! {
    AadCounted, AasCounted;
    AadFrontier, AasFrontier;
}

/// What a message establishes about a case's question.
pub(crate) fn established<S: Look>(
    log: &Log<S>,
    case: &Json,
    proof: &[u8],
) -> Result<Statement, VerifyError> {
    match text(case, "check") {
        "lookup" => {
            let values = S::look_up(log, case, proof)?;
            let values = values.iter().map(|value| value.as_bytes().to_vec());
            Ok(Statement::Values(values.collect()))
        }
        "inclusion" => {
            let entry = Entry {
                key: key(&case["key"]),
                value: value(&case["value"]),
            };
            let at = at(log, 1, digest(&case["root"]));
            let included = verify::<InclusionProof<S>>(proof, &at, &entry)?;
            let Included {
                position,
                occurrence,
                ..
            } = included;
            let expected = Included {
                dictionary: log.dictionary(),
                version: at.version(),
                entry,
                position,
                occurrence,
            };
            assert_eq!(included, expected);
            Ok(Statement::Included(position, occurrence))
        }
        "append_only" => {
            let old = at(log, 1, digest(&case["old_root"]));
            let growth = Growth::new(old, at(log, 2, digest(&case["new_root"]))).unwrap();
            let grown = verify::<AppendOnlyProof<S>>(proof, &growth, &())?;
            Ok(Statement::Grown(grown.from_size, grown.to_size))
        }
        other => panic!("{other} is no proof"),
    }
}

/// What an accepted case's message establishes.
pub(crate) fn expected(case: &Json) -> Statement {
    match text(case, "check") {
        "lookup" => Statement::Values(items(case, "values").iter().map(bytes).collect()),
        "inclusion" => Statement::Included(number(case, "position"), number(case, "occurrence")),
        _ => Statement::Grown(number(case, "old"), number(case, "new")),
    }
}

/// The damaged messages of a group, with the case that each is of.
pub(crate) fn damaged(group: &Json) -> Vec<(&Json, Vec<u8>)> {
    let damage = &group["damage"];
    let of_item = |item: &Json| {
        let of = usize::try_from(number(item, "of")).unwrap();
        let place = usize::try_from(damage["of"][of].as_u64().unwrap()).unwrap();
        let case = &items(group, "cases")[place];
        let mut proof = bytes(&case["proof"]);
        match text(item, "what") {
            "byte" => {
                let at = usize::try_from(number(item, "at")).unwrap();
                proof[at] = u8::try_from(number(item, "to")).unwrap();
            }
            "cut" => drop(proof.pop()),
            _ => proof.push(0),
        }
        (case, proof)
    };
    items(damage, "list").iter().map(of_item).collect()
}

/// What an honest server answers.
pub(crate) fn answer<S: Look>(entries: &Entries<S>, case: &Json) -> Vec<u8> {
    match text(case, "check") {
        "lookup" => S::answer(entries, number(case, "n"), &key(&case["key"])),
        "inclusion" => {
            let (size, position) = (number(case, "n"), number(case, "position"));
            wire::encode(&entries.prove_inclusion(size, position))
        }
        _ => wire::encode(&entries.prove_append_only(number(case, "old"), number(case, "new"))),
    }
}

/// The cases of a group that are accepted.
pub(crate) fn accepted(group: &Json) -> impl Iterator<Item = &Json> {
    items(group, "cases").iter().chain(group.get("accepted"))
}

/// Accepted, refused and damaged messages of a group; how many there were.
fn check_messages<S: Look>(log: &Log<S>, group: &Json) -> usize {
    for case in accepted(group) {
        let proof = bytes(&case["proof"]);
        assert_eq!(established(log, case, &proof), Ok(expected(case)), "{case}");
        if let Some(length) = case["bytes"].as_u64() {
            assert_eq!(u64::try_from(proof.len()), Ok(length));
        }
    }
    for case in items(group, "refused") {
        let refused = established(log, case, &bytes(&case["proof"])).unwrap_err();
        assert_refusal(refused, text(case, "refused"), text(case, "why"));
    }
    let damaged = damaged(group);
    for (case, proof) in &damaged {
        assert!(established(log, case, proof).is_err(), "{case}");
    }
    items(group, "cases").len() + items(group, "refused").len() + damaged.len()
}

/// Layout, values and digests are checked before points, so a message that has several faults may be refused for
/// another one than the model's.
fn assert_refusal(refused: VerifyError, reason: &str, why: &str) {
    let undecodable = VerifyError::Undecodable;
    let expected: &[VerifyError] = match reason {
        "equation" => &[VerifyError::EquationMismatch],
        "root" => &[VerifyError::RootMismatch],
        "old-root" => &[VerifyError::OldRootMismatch],
        "size" => &[VerifyError::SizeOutOfRange],
        // A value that is left out may leave a gap in the occurrences of those that are shown.
        "zero" => &[VerifyError::ZeroOpening, VerifyError::ValueMismatch],
        "value" | "occurrence" => &[VerifyError::ValueMismatch],
        "values-count" => &[VerifyError::CountMismatch],
        "present" => &[VerifyError::ElementPresent],
        "block-without-key" => &[VerifyError::Extraneous],
        "prefix-length" => &[VerifyError::PrefixLength],
        "malformed" => &[undecodable(DecodeError::Malformed)],
        "trailing" => &[undecodable(DecodeError::TrailingBytes)],
        "scalar" => &[undecodable(DecodeError::ScalarOutOfRange)],
        "envelope" => &[undecodable(DecodeError::WrongKind {
            expected: 129,
            actual: 130,
        })],
        // The accumulators of roots are hashed before they are decoded.
        "identity" => &[
            undecodable(DecodeError::PointIsIdentity),
            VerifyError::RootMismatch,
        ],
        "subgroup" => &[
            undecodable(DecodeError::PointOutsideSubgroup),
            VerifyError::RootMismatch,
        ],
        other => panic!("{other} is no known reason"),
    };
    assert!(
        expected.contains(&refused),
        "{why}: {refused:?}, expected {reason}"
    );
}

/// An honest log gives these digests, roots and messages, whether it is built at once or entry by entry.
fn check_log<S: Look>(group: &Json) -> usize {
    let log = log_of::<S>(group);
    let size = u64::try_from(items(group, "entries").len()).unwrap();
    let mut slowly = Entries::bounded(log.clone(), Workers::sequential(), size).unwrap();
    let mut at_once = Entries::bounded(log.clone(), Workers::all_cores(), size).unwrap();
    let roots: Vec<Digest<32>> = items(group, "roots").iter().map(digest).collect();
    assert_eq!(slowly.digest(0), roots[0]);
    for (entry, root) in items(group, "entries").iter().zip(&roots[1..]) {
        let entry = Entry {
            key: key(&entry[0]),
            value: value(&entry[1]),
        };
        slowly.push(entry.clone()).unwrap();
        slowly.build().unwrap();
        assert_eq!(slowly.digest(slowly.size()), *root);
        at_once.push(entry).unwrap();
    }
    at_once.build().unwrap();
    for (size, expected) in group["forests"].as_object().unwrap() {
        let forest = at_once.roots(size.parse().unwrap());
        assert_eq!(forest.len(), expected.as_array().unwrap().len());
        for ((Address { level, index }, hash, accumulator), expected) in
            forest.iter().zip(expected.as_array().unwrap())
        {
            assert_eq!(
                (u64::from(*level), *index),
                (number(expected, "level"), number(expected, "index"))
            );
            assert_eq!(hash.to_string(), text(expected, "hash"));
            assert_eq!(
                accumulator.map(hex::encode).as_deref(),
                expected["accumulator"].as_str()
            );
        }
    }
    for case in items(group, "cases") {
        for entries in [&slowly, &at_once] {
            assert_eq!(
                hex::encode(answer(entries, case)),
                text(case, "proof"),
                "{case}"
            );
        }
    }
    check_messages(&client_log(&log), group)
}

fn check_group(group: &Json, with_entries: bool) -> usize {
    match (group["scheme"].as_u64(), with_entries) {
        (Some(0x0301), true) => check_log::<AadFrontier>(group),
        (Some(0x0302), true) => check_log::<AadCounted>(group),
        (Some(0x0311), true) => check_log::<AasFrontier>(group),
        (Some(0x0312), true) => check_log::<AasCounted>(group),
        (Some(0x0301), false) => check_messages(&client_log(&log_of::<AadFrontier>(group)), group),
        (Some(0x0302), false) => check_messages(&client_log(&log_of::<AadCounted>(group)), group),
        (Some(0x0311), false) => check_messages(&client_log(&log_of::<AasFrontier>(group)), group),
        (Some(0x0312), false) => check_messages(&client_log(&log_of::<AasCounted>(group)), group),
        _ => 0,
    }
}

#[test]
fn honest_logs_answer_with_these_bytes() {
    let all = vectors();
    let groups = all
        .iter()
        .flat_map(|vectors| items(vectors, "dictionaries"));
    let messages: usize = groups.map(|group| check_group(group, true)).sum();
    assert!(messages >= 410, "{messages}");
}

#[test]
fn messages_of_dishonest_logs_are_refused() {
    let all = vectors();
    let groups = all.iter().flat_map(|vectors| {
        items(vectors, "hidden")
            .iter()
            .chain(items(vectors, "apart"))
    });
    let messages: usize = groups.map(|group| check_group(group, false)).sum();
    assert!(messages >= 42, "{messages}");
}
