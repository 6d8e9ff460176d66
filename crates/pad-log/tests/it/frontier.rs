//! Frontier logs: a look-up shows that a prefix of an absent element is in a tree's frontier.

use bls12::point::G1_BYTES;
use pad_accumulators::{AccumulateError, wire};
use pad_conformance::{
    aad::{Roles, roles::public},
    soak,
};
use pad_core::{DecodeError, Heads as _, Repository as _, VerifyError, Version, Workers, codec};
use pad_log::{
    AadFrontier, Continuation, Entries, Entry, LONGEST_LOOKUP, LogClient, LogRefusal, LookupProof,
    PastProofs, Schedule,
};

use std::sync::LazyLock;

use crate::{
    forgeries::IDENTITY,
    support::{
        CAPACITY, SIXTEEN, at_size, client_log, distinct, entries, key, log, look_up, pair, put,
        verify,
    },
};

type Scheme = AadFrontier;

/// Offsets in the look-up of an absent key in a log of 16.
mod absent {
    pub(super) const FRONTIER: usize = 100;
    pub(super) const X: usize = 148;
    pub(super) const X_VALUE: usize = 244;
    pub(super) const QUOTIENT: usize = 308;
    pub(super) const LENGTH: usize = 356;
    pub(super) const DEPTH: usize = 358;
    pub(super) const CHILDREN: usize = 359;
    pub(super) const INDEX: usize = 360;
    pub(super) const FIRST_CHILD: usize = 361;
}

/// A log of trees of 16 with the keys `key 0` to `key 4` in turn. The last key has equal values.
fn forest(schedule: Schedule, size: usize) -> (Vec<Entry>, Entries<Scheme>) {
    let all: Vec<Entry> = (0..size)
        .map(|i| match i % 5 {
            4 => pair("key 4", "value"),
            key => pair(&format!("key {key}"), &format!("{i}")),
        })
        .collect();
    let entries = entries(&log::<Scheme>(3, 4, schedule), &all);
    (all, entries)
}

/// Two trees and one more entry.
static EAGER: LazyLock<(Vec<Entry>, Entries<Scheme>)> =
    LazyLock::new(|| forest(Schedule::Eager, 33));

fn check_look_ups((all, entries): &(Vec<Entry>, Entries<Scheme>), sizes: &[usize]) {
    for size in sizes {
        let number = u64::try_from(*size).unwrap();
        let root = at_size(entries, number);
        for asked in (0..6).map(|i| key(&format!("key {i}"))) {
            let of_key = all[..*size].iter().filter(|entry| entry.key == asked);
            let expected: Vec<_> = of_key.map(|entry| entry.value.clone()).collect();
            let proof = wire::encode(&entries.prove_values(number, asked.as_bytes()).unwrap());
            let values = verify::<LookupProof<Scheme>>(&proof, &root, &asked).unwrap();
            assert_eq!(values.values, expected, "{size}");
        }
    }
}

/// Lookups must be complete at sizes that were built, and at older sizes, whose frontiers are
/// computed on request.
#[test]
fn look_ups_are_complete() {
    check_look_ups(&EAGER, &[7, 15, 16, 33]);
}

#[test]
fn look_ups_of_deferred_logs_are_complete() {
    check_look_ups(&forest(Schedule::Deferred, 40), &[16, 31, 32, 40]);
}

#[test]
fn forged_frontiers_are_refused() {
    let (_, entries) = &*EAGER;
    let root = at_size(entries, 16);
    let proof = look_up(entries, 16, "absent");
    // Another tree under the id of this log.
    let [other, _] = &*SIXTEEN;
    assert_eq!(other.log().id(), entries.log().id());
    let other = look_up(other, 16, "absent");
    let refused = |place: usize, bytes: &[u8]| {
        let forged = put(&proof, place, bytes);
        verify::<LookupProof<Scheme>>(&forged, &root, &key("absent")).unwrap_err()
    };
    let mismatch = VerifyError::EquationMismatch;
    // The frontier and coefficients of another tree.
    let disjoint = &other[absent::FRONTIER..absent::LENGTH];
    assert_eq!(refused(absent::FRONTIER, disjoint), mismatch);
    // Each commitment of the equation, the quotient, and a value.
    for place in [
        absent::FRONTIER,
        absent::X,
        absent::X + 48,
        absent::QUOTIENT,
        absent::FIRST_CHILD,
    ] {
        let point = &other[place..place + G1_BYTES];
        assert_eq!(refused(place, point), mismatch, "{place}");
    }
    assert_eq!(refused(absent::X_VALUE, &[0; 32]), mismatch);
    // The identity as coefficient.
    let is_identity = VerifyError::Undecodable(DecodeError::PointIsIdentity);
    assert_eq!(refused(absent::X, &IDENTITY), is_identity);
    // Lengths of prefixes.
    let length = u16::from_be_bytes([proof[absent::LENGTH], proof[absent::LENGTH + 1]]);
    let out_of_range = VerifyError::PrefixLength;
    let shorter = if length == 1 { out_of_range } else { mismatch };
    for (other, expected) in [
        (0_u16, out_of_range),
        (257, out_of_range),
        (u16::MAX, out_of_range),
        (length + 1, mismatch),
        (length - 1, shorter),
    ] {
        assert_eq!(refused(absent::LENGTH, &other.to_be_bytes()), expected);
    }
    // Depths, numbers of children, indices.
    let malformed = VerifyError::Undecodable(DecodeError::Malformed);
    for (place, number) in [
        (absent::DEPTH, 33),
        (absent::DEPTH, 255),
        (absent::CHILDREN, 1),
        (absent::CHILDREN, 5),
        (absent::INDEX, 2),
    ] {
        assert_eq!(refused(place, &[number]), malformed, "{place}");
    }
    let sibling = [1 - proof[absent::INDEX]];
    assert_eq!(refused(absent::INDEX, &sibling), mismatch);
    // A present key's absence, whatever the length.
    for length in (1..=256_u16).step_by(soak::size(15, 1)) {
        let forged = put(&proof, absent::LENGTH, &length.to_be_bytes());
        let refused = verify::<LookupProof<Scheme>>(&forged, &root, &key("key 1"));
        assert_eq!(refused, Err(mismatch));
    }
}

/// A log refuses the answer of a log without one of the values. Parts of an answer cannot be
/// exchanged.
#[test]
fn chunks_are_those_of_the_values_shown() {
    let [one, _] = &*SIXTEEN;
    let mut all = distinct(16);
    all[12] = pair("key 3", "another value");
    let both = entries(&log::<Scheme>(3, 4, Schedule::Eager), &all);
    let answer = look_up(one, 16, "key 3");
    let asked = key("key 3");
    verify::<LookupProof<Scheme>>(&answer, &at_size(one, 16), &asked).unwrap();
    let refused = verify::<LookupProof<Scheme>>(&answer, &at_size(&both, 16), &asked);
    assert_eq!(refused, Err(VerifyError::RootMismatch));
    // The honest answer with the quotients of its last chunk exchanged, and damaged ones.
    let answer = look_up(&both, 16, "key 3");
    let root = at_size(&both, 16);
    let values = 4 + (4 + 5) + (4 + 13);
    let last_quotient = answer.len() - values - G1_BYTES;
    let rest = last_quotient - G1_BYTES;
    let mut forged = answer.clone();
    let (left, right) = forged.split_at_mut(last_quotient);
    left[rest..].swap_with_slice(&mut right[..G1_BYTES]);
    let refused = verify::<LookupProof<Scheme>>(&forged, &root, &asked);
    assert_eq!(refused, Err(VerifyError::EquationMismatch));
    for place in (20..answer.len()).step_by(soak::size(601, 97)) {
        let mut damaged = answer.clone();
        damaged[place] ^= 1;
        assert!(verify::<LookupProof<Scheme>>(&damaged, &root, &asked).is_err());
        assert!(verify::<LookupProof<Scheme>>(&answer[..place], &root, &asked).is_err());
    }
}

#[test]
fn a_log_takes_as_many_entries_as_its_parameters_serve() {
    let log = log::<Scheme>(3, 10, Schedule::Eager);
    let refused = Entries::bounded(log.clone(), Workers::sequential(), 32).unwrap_err();
    let capacity = CAPACITY;
    assert_eq!(refused, AccumulateError::CapacityExceeded { capacity });
    let mut entries = Entries::bounded(log, Workers::sequential(), 2).unwrap();
    for i in 0..2 {
        entries.push(pair("key", &format!("{i}"))).unwrap();
    }
    assert!(entries.push(pair("key", "2")).is_err());
}

/// A client must advance from the version of 9 entries to that of 17. Resumed from its stored view,
/// it must verify lookups in that version and in the version of 16.
#[test]
fn a_client_follows_a_frontier_log() {
    let log = log::<Scheme>(5, 4, Schedule::Eager);
    let mut roles = Roles::new(&log);
    // The server takes over the author's frontier.
    for batch in [0..9, 9..16, 16..17] {
        for i in batch {
            roles.append(pair(&format!("key {}", i % 3), &format!("{i}")));
        }
        roles.publish_built();
    }
    let server = roles.server;
    let [one, two, three] = [1, 2, 3].map(Version::new);
    let head = |version| codec::encode(&server.head(version).unwrap());
    let append_only = |from, to| wire::encode(&server.prove_append_only(from, to).unwrap());
    let mut client = LogClient::new(client_log(server.entries().log()), public());
    client.advance(&head(one), None).unwrap();
    let consistency = codec::encode(&server.heads().prove_consistency(one, three).unwrap());
    let continuation = |append_only| Continuation {
        consistency: &consistency,
        append_only,
    };
    let other = append_only(two, three);
    let refused = client.advance(&head(three), Some(continuation(&other)));
    assert!(matches!(refused, Err(LogRefusal::NotGrown { .. })));
    let grown = append_only(one, three);
    let accepted = client.advance(&head(three), Some(continuation(&grown)));
    assert_eq!(accepted, Ok(three));

    let stored = codec::encode(client.view());
    let view = codec::decode(&stored, stored.len()).unwrap();
    let client = LogClient::resume(client.log().clone(), public(), view).unwrap();
    let inclusion = codec::encode(&server.heads().prove_inclusion(two, three).unwrap());
    let proofs = PastProofs {
        inclusion: &inclusion,
        append_only: &other,
    };
    let (past, newest) = (client.past(two, proofs).unwrap(), client.newest().unwrap());
    let asked = key("key 1");
    let look_up = |version| wire::encode(&server.prove(version, &asked).unwrap());
    let check = |proof: &[u8], at| {
        let values = client.check::<LookupProof<Scheme>>(proof, LONGEST_LOOKUP, at, &asked);
        values.map(|values| values.get().values.len())
    };
    assert_eq!(check(&look_up(two), &past), Ok(5));
    assert_eq!(check(&look_up(three), &newest), Ok(6));
    // An answer at one version is refused at another.
    let mismatch = Err(LogRefusal::Proof(VerifyError::RootMismatch));
    assert_eq!(check(&look_up(two), &newest), mismatch);
    assert!(check(&look_up(three), &past).is_err());
}
