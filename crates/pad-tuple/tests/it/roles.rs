//! Refusals of authors and servers beyond the shared checks.

use pad_conformance::{
    Action, Pad, TuplePad,
    operation::{key, value},
    pad::{client_at, dictionary, look_up, public_key, signing_key},
    repository::play,
};
use pad_core::{ApplyError, Dictionary, Operation, Repository, Sha256Ed25519, Update};
use pad_tuple::{
    AuthorError, BlsSecretKey, ChainSecret, TupleAuthor, TupleRepository,
    designs::{BaseSuperseding, BaseSupersedingBls, SpecLightweight},
};

type S = Sha256Ed25519;

fn one_entry() -> [Action; 2] {
    [Action::Put(key(b"k"), value(b"v")), Action::Snapshot]
}

#[test]
fn a_key_removed_more_often_than_there_are_entries_is_refused() {
    let mut played = play::<TuplePad<S, BaseSuperseding>>(&one_entry());
    played.author.put(key(b"l"), value(b"w"));
    let good = played.author.snapshot().unwrap();
    for removals in [2, 3, 100] {
        let operations = vec![Operation::Remove(key(b"k")); removals];
        let bad = Update {
            operations,
            ..good.clone()
        };
        let refused = played.server.apply(&bad);
        assert_eq!(refused, Err(ApplyError::UnorderedOperations));
    }
    assert!(played.server.apply(&good).is_ok());
    assert_eq!(played.server.len(), 2);
}

#[test]
fn an_author_does_not_go_on_with_another_signing_key() {
    let played = play::<TuplePad<S, SpecLightweight>>(&one_entry());
    let secret = || ((), ChainSecret::from_bytes([7; 32]));
    let resumed = TupleAuthor::resume(&played.server, signing_key(8), secret());
    assert!(matches!(resumed, Err(AuthorError::WrongKey)));
    assert!(TupleAuthor::resume(&played.server, signing_key(7), secret()).is_ok());
}

#[test]
fn an_author_does_not_go_on_with_another_bls_key() {
    let played = play::<TuplePad<S, BaseSupersedingBls>>(&one_entry());
    let resume = |number| {
        let secret = (BlsSecretKey::from_seed(&[number; 32]), ());
        TupleAuthor::resume(&played.server, signing_key(7), secret)
    };
    assert!(matches!(resume(8), Err(AuthorError::WrongKey)));
    assert!(resume(7).is_ok());
}

/// Resumes with chain lengths below, at and above the number of revealed links. The author signs
/// again where it cannot continue a chain, and clients accept both.
#[test]
fn an_author_goes_on_with_another_chain_secret_or_length() {
    for (byte, length) in [(7, 1), (7, 2), (7, 50), (8, 3)] {
        let secret = ((), ChainSecret::from_bytes([7; 32]).with_length(3));
        let mut author = TupleAuthor::<S, SpecLightweight, _>::new(
            dictionary(),
            public_key(7),
            signing_key(7),
            secret,
        );
        let mut server = TupleRepository::new(author.authority(), ());
        for number in 0..3_u8 {
            author.put(key([number]), value([number]));
            server.apply(&author.snapshot().unwrap()).unwrap();
        }
        let secret = ((), ChainSecret::from_bytes([byte; 32]).with_length(length));
        let mut author = TupleAuthor::resume(&server, signing_key(7), secret).unwrap();
        for number in 3..9_u8 {
            author.put(key([number]), value([number]));
            server.apply(&author.snapshot().unwrap()).unwrap();
            let public = TuplePad::<S, SpecLightweight>::public(&author.authority());
            let client = client_at(public, &server, server.latest());
            for asked in 0..=number {
                let answer =
                    look_up::<TuplePad<S, SpecLightweight>>(&client, &server, &key([asked]));
                assert_eq!(answer, Some(value([asked])));
            }
        }
    }
}
