//! Versions, errors, text forms and workers.

use std::num::NonZeroUsize;

use pad_core::{
    ApplyError, DecodeError, Digest, InputError, Key, LookupError, Operation, Value, VerifyError,
    Version, Workers,
};
use serde::{Deserialize, de::value};

use crate::support::version;

#[test]
fn versions_end_on_both_sides() {
    let (first, last) = (Version::EMPTY, version(u64::MAX));
    assert_eq!((first.previous(), last.next()), (None, None));
    assert_eq!(first.next(), Some(version(1)));
    assert_eq!(last.previous(), Some(version(u64::MAX - 1)));
    assert_eq!(last.to_string(), u64::MAX.to_string());
}

#[test]
fn an_operation_names_its_key() {
    let key = Key::try_from("key").unwrap();
    assert_eq!(Operation::Put(key.clone(), Value::default()).key(), &key);
    assert_eq!(Operation::Remove(key.clone()).key(), &key);
}

/// Checks that errors are clauses without capital and full stop, because callers embed them in
/// their own sentences.
#[test]
fn errors_are_clauses() {
    let (limit, length) = (1, 2);
    let (expected, actual) = (1, 2);
    let wrong_kind = DecodeError::WrongKind { expected, actual };
    let (expected, actual) = (1, 2);
    let wrong_suite = DecodeError::WrongSuite { expected, actual };
    let wrong_scheme = VerifyError::WrongScheme { expected, actual };
    let [expected, actual, seen, offered] = [1, 2, 3, 4].map(version);
    let (version, latest, oldest) = (expected, actual, actual);
    let texts = [
        InputError::KeyTooLong { length, limit }.to_string(),
        InputError::ValueTooLong { length, limit }.to_string(),
        InputError::CapacityExceeded.to_string(),
        DecodeError::TooLarge { limit }.to_string(),
        DecodeError::NotThisFormat.to_string(),
        DecodeError::UnknownFormatVersion(9).to_string(),
        wrong_kind.to_string(),
        wrong_suite.to_string(),
        DecodeError::Malformed.to_string(),
        DecodeError::TrailingBytes.to_string(),
        DecodeError::NonCanonical.to_string(),
        VerifyError::SignatureInvalid.to_string(),
        VerifyError::AuthorKeyInvalid.to_string(),
        VerifyError::WrongDictionary.to_string(),
        wrong_scheme.to_string(),
        VerifyError::WrongVersion { expected, actual }.to_string(),
        VerifyError::EmptyVersionSigned.to_string(),
        VerifyError::Rollback { seen, offered }.to_string(),
        VerifyError::Fork(seen).to_string(),
        VerifyError::NoContradiction.to_string(),
        VerifyError::RootMismatch.to_string(),
        VerifyError::MalformedShape.to_string(),
        VerifyError::HistoryMismatch.to_string(),
        VerifyError::MalformedHistoryProof.to_string(),
        ApplyError::VersionGap { expected, actual }.to_string(),
        LookupError::UnknownVersion { version, latest }.to_string(),
        LookupError::Pruned { version, oldest }.to_string(),
        LookupError::InvalidQuery.to_string(),
    ];
    for (i, text) in texts.iter().enumerate() {
        let is_clause = text.starts_with(char::is_lowercase) && !text.ends_with('.');
        assert!(is_clause, "{text}");
        assert!(!texts[..i].contains(text), "{text}");
    }
    // A refused update reports the error of its cause.
    let fork = ApplyError::Head(VerifyError::Fork(seen));
    assert_eq!(fork.to_string(), texts[18]);
    let full = ApplyError::from(InputError::CapacityExceeded);
    assert_eq!(full.to_string(), texts[2]);
}

/// In human-readable formats, bytes are lower-case hexadecimal text of exactly their length.
#[test]
fn digests_are_texts_for_people() {
    let read = |text: &'static str| {
        let text = value::StrDeserializer::<value::Error>::new(text);
        Digest::<3>::deserialize(text).ok()
    };
    assert_eq!(read("00ff7a"), Some(Digest([0, 0xff, 0x7a])));
    for text in [
        "", "00ff7", "00ff7a0", "00ff7a00", "00FF7A", "00ff7g", "+0ff7a",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn results_do_not_depend_on_workers() {
    let two = Workers::new(NonZeroUsize::new(2).unwrap()).unwrap();
    let one = Workers::new(NonZeroUsize::MIN).unwrap();
    let alone = Workers::sequential().threads();
    assert_eq!([alone, one.threads(), two.threads()], [1, 1, 2]);
    assert!(Workers::all_cores().threads() >= 1);
    assert_eq!(format!("{two:?}"), "Workers(2)");
    let sum = |workers: &Workers| workers.run(|| (0..1000_u64).sum::<u64>());
    assert_eq!(sum(&Workers::default()), sum(&two));
}
