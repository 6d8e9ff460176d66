//! Damaged messages. Each is refused, whatever is changed.

use block_directory::{AnswerError, DirectoryClient, Entry, EntryRange, internals::Selection};
use pad_core::codec;

use crate::support::{S, accepted, directory, head, id, ids, object, verify};

/// Changes every bit, cuts to every length, and adds bytes.
fn check_refusals(message: &[u8], is_refused: &dyn Fn(&[u8]) -> bool) {
    assert!(!is_refused(message), "the message itself is fine");
    for place in 0..message.len() {
        for bit in 0..8 {
            let mut damaged = message.to_vec();
            damaged[place] ^= 1 << bit;
            assert!(is_refused(&damaged), "byte {place}, bit {bit}");
        }
        assert!(is_refused(&message[..place]), "cut to {place}");
    }
    for extra in [1, 32] {
        let mut longer = message.to_vec();
        longer.resize(message.len() + extra, 0);
        assert!(is_refused(&longer), "{extra} bytes more");
    }
}

fn check_query<Q: Selection>(query: &Q) {
    let (mut author, mut server) = directory(21, 2);
    author.delete(id(5)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let (head, proof) = (head(&server), server.prove_latest(query).unwrap());
    let message = codec::encode(&proof);
    check_refusals(&message, &|damaged| verify(damaged, &head, query).is_err());
}

#[test]
fn damaged_proofs_are_refused() {
    for asked in [&[0][..], &[5], &[20], &[21], &[3, 4, 17, 30], &[40, 50]] {
        check_query(&ids(asked));
    }
    check_query(&EntryRange::new(id(3), id(9)).unwrap());
    check_query(&EntryRange::new(id(18), id(99)).unwrap());
    check_query(&EntryRange::new(id(90), id(99)).unwrap());
}

/// A damaged answer is refused. The client's view then still accepts an honest answer.
#[test]
fn damaged_answers_are_refused() {
    let (mut author, mut server) = directory(21, 2);
    let client = DirectoryClient::<S>::new(*author.authority(), 2);
    let mut knows = client.clone();
    accepted(knows.ask(ids(&[3])), &server, &mut knows);
    author.delete(id(5)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    for client in [client, knows] {
        let (pending, request) = client.ask(ids(&[3, 5]));
        let answer = server.answer(&request).unwrap();
        check_refusals(&answer, &|damaged| {
            client.clone().accept(&pending, damaged).is_err()
        });
        let range = EntryRange::new(id(3), id(6)).unwrap();
        let (pending, request) = client.ask_range(range);
        let answer = server.answer(&request).unwrap();
        check_refusals(&answer, &|damaged| {
            client.clone().accept_range(&pending, damaged).is_err()
        });
    }
}

/// Damage to a hint, or to the answer to its chain, leads to no wrong statement. Honest answers
/// still verify.
#[test]
fn damaged_hints_cost_a_look_up_and_nothing_else() {
    let (author, server) = directory(40, 2);
    let mut client = DirectoryClient::<S>::new(*author.authority(), 2);
    let (asked, held) = (id(9), object::<S>(9));
    let found = accepted(client.ask(ids(&[9])), &server, &mut client);
    let hint = codec::encode(&found.refreshed.unwrap());
    let mut without = 0;
    for place in 0..hint.len() {
        let mut damaged = hint.clone();
        damaged[place] ^= 1;
        let (pending, request) = client.ask_with_hint(asked, &held, &damaged);
        let answer = server.answer(&request).unwrap();
        // The matched subtree is closed under the root, so damage above it does no harm.
        match client.clone().accept(&pending, &answer) {
            Ok(found) => {
                let entry = found.entries.get().of(asked);
                assert_eq!(entry, Some(Entry::Live(held)));
            }
            Err(AnswerError::HintFailed(_)) => without += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(
        without, 0,
        "nothing that does not match is taken for a match"
    );
    let (pending, request) = client.ask_with_hint(asked, &held, &hint);
    let answer = server.answer(&request).unwrap();
    let longer = server.answer(&client.ask(ids(&[9])).1).unwrap();
    assert!(answer.len() < longer.len());
    check_refusals(&answer, &|damaged| {
        client.clone().accept(&pending, damaged).is_err()
    });
}
