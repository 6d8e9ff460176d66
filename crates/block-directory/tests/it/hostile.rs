//! Hostile bytes cause no panic, and need memory in proportion to their length.

use block_directory::{
    DirectoryClient, EntryProof, EntryRange, Hint, LightState, RangeProof,
    internals::{DirectoryAnswer, EntryRequest, RangeRequest, Selection, ShortCircuit},
};
use pad_conformance::encoding::check_one_encoding;
use pad_core::{
    DecodeError, Suite, Untrusted, VerifyError,
    codec::{self, Message},
};
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::support::{S, directory, head, head_of, id, ids, object, verify};

/// Maximum number of allocated bytes for each byte of a long message.
const FACTOR: u64 = 4;
/// Maximum number of allocated bytes for each byte of a short message. A deleted entry has one
/// byte, and 33 in memory. As much is reserved for digests.
const FACTOR_OF_SHORT: u64 = 37;

fn decode_costs<M: Message>(message: &[u8]) {
    let measured = allocation_counter::measure(|| drop(codec::decode::<M>(message, message.len())));
    let length = u64::try_from(message.len()).unwrap();
    assert!(
        measured.bytes_max <= FACTOR_OF_SHORT * length + 4096,
        "{measured:?} for {length}"
    );
}

fn decode_everything(bytes: &[u8]) {
    let body = |kind| {
        let mut message = codec::envelope(kind, S::ID.0);
        message.extend_from_slice(bytes);
        message
    };
    decode_costs::<EntryProof<S>>(&body(160));
    decode_costs::<RangeProof<S>>(&body(161));
    decode_costs::<Hint<S>>(&body(162));
    decode_costs::<ShortCircuit<S>>(&body(163));
    decode_costs::<EntryRequest<S>>(&body(165));
    decode_costs::<DirectoryAnswer<S>>(&body(166));
    decode_costs::<RangeRequest<S>>(&body(167));
    decode_costs::<LightState<S>>(&body(168));
}

#[test]
fn random_bodies_are_decoded_without_harm() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for round in 0..3000 {
        let mut bytes = vec![0; random.random_range(0..300)];
        random.fill_bytes(&mut bytes);
        // Small numbers let the decoder read further into the message.
        if round % 2 == 0 {
            bytes.iter_mut().take(4).for_each(|byte| *byte %= 3);
        }
        decode_everything(&bytes);
    }
}

#[test]
fn lengths_that_lie_cost_nothing() {
    for length in [
        &[0xfc, 0xff, 0xff, 0xff, 0x7f][..],
        &[0xfd, 0, 0, 0, 0, 0, 0, 0, 0x80],
        &[250],
    ] {
        for before in 0..4 {
            let mut bytes = vec![1; before];
            bytes.extend_from_slice(length);
            bytes.resize(2000, 1);
            decode_everything(&bytes);
        }
    }
}

/// The most expensive proofs of their length are verified in proportionate memory and work.
#[test]
fn verifying_takes_memory_in_proportion() {
    let asked: Vec<u64> = (0..1000).map(|place| place << 38).collect();
    let (query, head) = (ids(&asked), head_of(object::<S>(0)));
    let siblings = vec![object::<S>(1); 48_000];
    let body = (1_u64 << 48, vec![Some(object::<S>(2)); 1000], siblings);
    let mut message = codec::envelope(160, S::ID.0);
    message.extend(codec::encode_body(&body));
    let length = u64::try_from(message.len()).unwrap();
    let measured = allocation_counter::measure(|| {
        let refused = verify(&message, &head, &query).map(drop);
        assert_eq!(refused, Err(VerifyError::MalformedShape));
    });
    assert!(
        measured.bytes_max <= FACTOR * length + 65_536,
        "{measured:?}"
    );
}

/// A proof has at most as many entries as a query. Longer ones are not decoded and take no memory.
#[test]
fn more_entries_than_any_question_are_malformed() {
    for (kind, most) in [(160, 1000), (161, 1 << 20)] {
        let decoded = |count: usize| {
            let mut message = codec::envelope(kind, S::ID.0);
            let none: Vec<Option<[u8; 32]>> = vec![None; count];
            message.extend(codec::encode_body(&(5_u64, none, [(); 0])));
            message.push(0);
            match kind {
                160 => codec::decode::<EntryProof<S>>(&message, message.len()).map(drop),
                _ => codec::decode::<RangeProof<S>>(&message, message.len()).map(drop),
            }
        };
        assert_eq!(decoded(most), Ok(()));
        assert_eq!(decoded(most + 1), Err(DecodeError::Malformed));
    }
}

/// Every message has a limit, which is checked before anything is read.
#[test]
fn limits_hold_first() {
    let (one, range) = (ids(&[3]), EntryRange::new(id(0), id(u64::MAX)).unwrap());
    assert_eq!(one.longest_proof(), 64 + 1569);
    assert_eq!(range.longest_proof(), 64 + 33 * (1 << 20) + 3072);
    let long = vec![0; one.longest_proof() + 1];
    let limit = one.longest_proof();
    let refused = verify(&long, &head_of(object::<S>(0)), &one).map(drop);
    let expected = VerifyError::Undecodable(DecodeError::TooLarge { limit });
    assert_eq!(refused, Err(expected));
    let refused = Untrusted::<Hint<S>>::decode(&[0; 2049], 2048).map(drop);
    assert_eq!(refused, Err(DecodeError::TooLarge { limit: 2048 }));
}

/// Requests that break a bound are malformed: several ids with a chain, a chain that is too long,
/// unordered ids.
#[test]
fn requests_keep_their_bounds() {
    let request = |asked: &[u64], chain: Option<(u32, usize)>| {
        let chain = chain.map(|(step, length)| (step, vec![object::<S>(0); length]));
        let mut message = codec::envelope(165, S::ID.0);
        message.extend(codec::encode_body(&(0_u64, asked, chain)));
        codec::decode::<EntryRequest<S>>(&message, 16_384).map(drop)
    };
    assert_eq!(request(&[3], Some((7, 48))), Ok(()));
    assert_eq!(request(&[3, 4], None), Ok(()));
    for (asked, chain) in [
        (&[3, 4][..], Some((7, 1))),
        (&[3], Some((7, 49))),
        (&[3], Some((0, 1))),
        (&[3], Some((13, 1))),
        (&[4, 3], None),
        (&[], None),
    ] {
        assert_eq!(request(asked, chain), Err(DecodeError::Malformed));
    }
    let suites = codec::encode(&RangeRequest::<S>::new(
        pad_core::Version::EMPTY,
        EntryRange::new(id(0), id(9)).unwrap(),
    ));
    let other = codec::decode::<RangeRequest<pad_core::Blake3Ed25519>>(&suites, 64).map(drop);
    let (expected, actual) = (2, S::ID.0);
    assert_eq!(other, Err(DecodeError::WrongSuite { expected, actual }));
}

/// Proofs and answers are decoded without encoding them again, so no other bytes may decode to
/// them.
#[test]
fn proofs_and_answers_have_one_encoding() {
    let (mut author, mut server) = directory(300, 2);
    author.delete(id(290)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let proof = server.prove_latest(&ids(&[3, 290, 299, 301])).unwrap();
    check_one_encoding(&proof);
    let range = EntryRange::new(id(288), id(292)).unwrap();
    check_one_encoding(&server.prove_latest(&range).unwrap());

    let mut client = DirectoryClient::<S>::new(*author.authority(), 2);
    let (pending, request) = client.ask(ids(&[290]));
    let answer = server.answer(&request).unwrap();
    check_one_encoding(&codec::decode::<DirectoryAnswer<S>>(&answer, 4096).unwrap());
    client.accept(&pending, &answer).unwrap();
    author.append(object::<S>(300)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    for request in [client.ask(ids(&[3])).1, client.ask_range(range).1] {
        let answer = server.answer(&request).unwrap();
        check_one_encoding(&codec::decode::<DirectoryAnswer<S>>(&answer, 4096).unwrap());
    }
    let short = codec::encode_body(&(300_u64, 70_000_u32, vec![object::<S>(1); 2]));
    check_one_encoding(&codec::decode_body::<ShortCircuit<S>>(&short).unwrap());
}

/// Counts the allocations of an honest answer about one entry.
#[test]
fn a_proof_of_one_entry_is_allocated_once() {
    let (_, server) = directory(300, 2);
    let (query, head) = (ids(&[3]), head(&server));
    let message = codec::encode(&server.prove_latest(&query).unwrap());
    let mut verified = None;
    let measured = allocation_counter::measure(|| verified = verify(&message, &head, &query).ok());
    // The entries and the siblings of the proof, and the query in the statement.
    assert_eq!(measured.count_total, 3);
    assert!(verified.is_some());
}
