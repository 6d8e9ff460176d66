//! Forged proofs, each refused with the expected error.

use block_directory::{
    Entries, Entry, EntryProof, EntryQuery, EntryRange,
    internals::{MOST_ENTRIES, entry_digest, root_digest},
};
use pad_core::{
    DecodeError, SnapshotHead, Suite, Untrusted, Verified, VerifyError, codec, internals::Domain,
};

use crate::support::{S, directory, head, head_of, id, ids, object, verify};

type D = <S as Suite>::Digest;

/// The parts of a proof in the order of its encoding.
#[derive(Clone)]
struct Parts {
    registered: u64,
    shown: Vec<Option<D>>,
    siblings: Vec<D>,
}

impl Parts {
    fn new(registered: u64, shown: Vec<Option<D>>, siblings: Vec<D>) -> Self {
        Self {
            registered,
            shown,
            siblings,
        }
    }

    fn of(asked: &[u64], entries: u64) -> Self {
        let (_, server) = directory(entries, 2);
        let proof = codec::encode_body(&server.prove_latest(&ids(asked)).unwrap());
        let (registered, shown, siblings) = codec::decode_body(&proof).unwrap();
        Self::new(registered, shown, siblings)
    }

    fn message(&self, kind: u8) -> Vec<u8> {
        let mut message = codec::envelope(kind, S::ID.0);
        let body = (self.registered, &self.shown, &self.siblings);
        message.extend(codec::encode_body(&body));
        message
    }

    /// Verifies the proof as one of these ids.
    fn verify(
        &self,
        head: &Verified<SnapshotHead<S>>,
        asked: &[u64],
    ) -> Result<Entries<S, EntryQuery>, VerifyError> {
        verify(&self.message(160), head, &ids(asked))
    }
}

/// Returns the error of a changed proof of some of 30 entries.
fn refusal(asked: &[u64], change: impl FnOnce(&mut Parts)) -> VerifyError {
    let (_, server) = directory(30, 2);
    let mut parts = Parts::of(asked, 30);
    assert!(parts.verify(&head(&server), asked).is_ok());
    change(&mut parts);
    parts.verify(&head(&server), asked).unwrap_err()
}

/// Check 3: a wrong number of entries must be refused, because it is hashed into the root.
#[test]
fn another_size_is_another_root() {
    for registered in [9, 10, 11, 29, 31, 32, 33, 1 << 40] {
        let refused = refusal(&[8], |parts| parts.registered = registered);
        let expected = [VerifyError::RootMismatch, VerifyError::MalformedShape];
        assert!(expected.contains(&refused), "{registered}: {refused:?}");
    }
    // An equal tree with another number of entries. Only the number in the root differs.
    let top = object::<S>(1);
    let head = head_of::<S>(root_digest::<S>(30, &top));
    let denied = |registered| {
        let parts = Parts::new(registered, Vec::new(), vec![top]);
        let entries = parts.verify(&head, &[40]);
        entries.map(|entries| entries.of(id(40)))
    };
    assert_eq!(denied(30), Ok(Some(Entry::Unassigned)));
    assert_eq!(denied(29), Err(VerifyError::RootMismatch));
    assert_eq!(denied(31), Err(VerifyError::RootMismatch));
}

/// Check 4: at most `2^48` entries. No arithmetic overflows before this check.
#[test]
fn impossible_sizes_are_refused() {
    for registered in [MOST_ENTRIES + 1, 1 << 63, u64::MAX] {
        for asked in [0, MOST_ENTRIES, u64::MAX] {
            let parts = Parts::new(registered, vec![Some(object::<S>(0))], Vec::new());
            let refused = parts.verify(&head_of(object::<S>(0)), &[asked]);
            assert_eq!(refused, Err(VerifyError::SizeOutOfRange));
        }
    }
    let (shown, siblings) = (vec![Some(object::<S>(0))], vec![object::<S>(1); 48]);
    let parts = Parts::new(MOST_ENTRIES, shown, siblings);
    let refused = parts.verify(&head_of(object::<S>(0)), &[MOST_ENTRIES - 1]);
    assert_eq!(refused, Err(VerifyError::RootMismatch));
}

/// Check 5: a proof must show exactly the requested entries whose ids are below the number of
/// entries.
#[test]
fn as_many_entries_as_ids() {
    let fewer = refusal(&[2, 16], |parts| assert!(parts.shown.pop().is_some()));
    assert_eq!(fewer, VerifyError::CountMismatch);
    let more = refusal(&[2, 16], |parts| parts.shown.push(None));
    assert_eq!(more, VerifyError::CountMismatch);
    let denied = refusal(&[2], |parts| {
        parts.shown.clear();
        parts.siblings = vec![object::<S>(1)];
    });
    assert_eq!(denied, VerifyError::CountMismatch);
}

/// Check 6: a query must have 1 to 1 000 ids in strictly ascending order.
#[test]
fn questions_that_make_no_sense_are_none() {
    let many = |count| EntryQuery::new((0..count).collect());
    assert!(many(1000).is_ok());
    for refused in [
        EntryQuery::new(Vec::new()),
        EntryQuery::new(vec![3, 3]),
        EntryQuery::new(vec![4, 3]),
        many(1001),
    ] {
        assert_eq!(refused, Err(VerifyError::InvalidQuery));
    }
}

/// Check 7: an entry must be refused under another id, and a live one as deleted. Id and kind are
/// hashed with the entry.
#[test]
fn an_entry_is_worth_nothing_elsewhere() {
    let exchanged = refusal(&[2, 16], |parts| parts.shown.swap(0, 1));
    assert_eq!(exchanged, VerifyError::RootMismatch);
    let deleted = refusal(&[2], |parts| parts.shown[0] = None);
    assert_eq!(deleted, VerifyError::RootMismatch);
    let neighbour = refusal(&[2], |parts| {
        parts.shown[0] = Some(object::<S>(3));
        let last = parts.siblings.len() - 1;
        parts.siblings[last] = entry_digest::<S>(id(2), Some(&object::<S>(2)));
    });
    assert_eq!(neighbour, VerifyError::RootMismatch);
    let tombstone = entry_digest::<S>(id(4), None);
    assert_ne!(tombstone, entry_digest::<S>(id(4), Some(&D::default())));
}

/// Check 8: a live entry with the reserved digest, whose hash differs from a deleted entry's.
#[test]
fn the_reserved_digest_is_no_object() {
    let zero = D::default();
    let head = head_of::<S>(root_digest::<S>(1, &entry_digest::<S>(id(0), Some(&zero))));
    let refused = Parts::new(1, vec![Some(zero)], Vec::new()).verify(&head, &[0]);
    assert_eq!(refused, Err(VerifyError::ReservedDigest));
}

/// Checks 9 and 10: the shape follows from the query. Every sibling is used and none is missing.
#[test]
fn every_sibling_is_needed() {
    let fewer = refusal(&[2, 16], |parts| assert!(parts.siblings.pop().is_some()));
    assert_eq!(fewer, VerifyError::MalformedShape);
    let more = refusal(&[2, 16], |parts| parts.siblings.push(D::default()));
    assert_eq!(more, VerifyError::MalformedShape);
    let exchanged = refusal(&[2, 16], |parts| parts.siblings.swap(0, 1));
    assert_eq!(exchanged, VerifyError::RootMismatch);
    let surplus = refusal(&[40], |parts| parts.siblings.push(D::default()));
    assert_eq!(surplus, VerifyError::MalformedShape);
    let none = refusal(&[40], |parts| parts.siblings.clear());
    assert_eq!(none, VerifyError::MalformedShape);
}

/// Version 0 is empty. Every id is unassigned, and proofs have no siblings.
#[test]
fn nothing_is_registered_in_the_empty_directory() {
    let head = head_of::<S>(S::empty_tree());
    let mut parts = Parts::new(0, Vec::new(), Vec::new());
    let entries = parts.verify(&head, &[7]).unwrap();
    assert_eq!(entries.of(id(7)), Some(Entry::Unassigned));
    assert_eq!(entries.of(id(8)), None);
    parts.siblings.push(D::default());
    let refused = parts.verify(&head, &[7]);
    assert_eq!(refused, Err(VerifyError::MalformedShape));
}

/// Check 11: an inner node must be refused as an entry and as a root, whatever its bytes are.
#[test]
fn entry_node_and_root_have_tags_of_their_own() {
    let (left, right) = (object::<S>(1), object::<S>(2));
    let node = S::node(Domain::DirectoryNode, &left, &right);
    assert_ne!(node, S::node(Domain::DirectoryEntry, &left, &right));
    for tag in Domain::ALL {
        assert!(
            tag == Domain::DirectoryRoot
                || S::hash(tag, &[&[1], &2_u64.to_be_bytes(), node.as_ref()])
                    != root_digest::<S>(2, &node)
        );
    }
    // An inner node shown as the only entry gives another root.
    let head = head_of::<S>(root_digest::<S>(1, &node));
    let refused = Parts::new(1, vec![Some(left)], Vec::new()).verify(&head, &[0]);
    assert_eq!(refused, Err(VerifyError::RootMismatch));
}

/// Check 12: a proof of a range must be refused as a proof of ids, and the other way round. Empty
/// ranges must be refused.
#[test]
fn ranges_have_a_kind_of_their_own() {
    let (_, server) = directory(30, 2);
    let (head, range) = (head(&server), EntryRange::new(id(3), id(5)).unwrap());
    let same = Parts::of(&[3, 4], 30);
    let (asked, actual) = (ids(&[3, 4]), 161);
    let wrong = |expected, actual| {
        Err(VerifyError::Undecodable(DecodeError::WrongKind {
            expected,
            actual,
        }))
    };
    assert!(verify(&same.message(161), &head, &range).is_ok());
    let refused = verify(&same.message(161), &head, &asked).map(drop);
    assert_eq!(refused, wrong(160, actual));
    let refused = verify(&same.message(160), &head, &range).map(drop);
    assert_eq!(refused, wrong(161, 160));
    for (start, end) in [(3, 3), (4, 3)] {
        let refused = EntryRange::new(id(start), id(end));
        assert_eq!(refused, Err(VerifyError::InvalidQuery));
    }
}

/// A range shows at most `2^20` entries. This is checked before anything is hashed.
#[test]
fn ranges_are_bounded() {
    let parts = Parts::new(1 << 30, Vec::new(), Vec::new());
    let range = EntryRange::new(id(5), id(u64::MAX)).unwrap();
    let refused = verify(&parts.message(161), &head_of(object::<S>(0)), &range).map(drop);
    let limit = 1 << 20;
    assert_eq!(refused, Err(VerifyError::TooManyElements { limit }));
}

/// A proof verifies for no other version and no other directory.
#[test]
fn a_proof_is_of_one_root() {
    let (mut author, mut server) = directory(30, 2);
    let proof = codec::encode(&server.prove_latest(&ids(&[3])).unwrap());
    author.delete(id(17)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let refused = verify(&proof, &head(&server), &ids(&[3]));
    assert_eq!(refused, Err(VerifyError::RootMismatch));
}

/// Random changes to several parts at once. Only the unchanged message is accepted.
#[test]
fn random_mixtures_are_refused() {
    use rand::{RngExt as _, SeedableRng as _};
    let mut random = rand::rngs::ChaCha8Rng::seed_from_u64(3);
    let (_, server) = directory(30, 2);
    let proofs: Vec<Parts> = (0..30).map(|number| Parts::of(&[number], 30)).collect();
    for _ in 0..2000 {
        let [first, second] = [0, 1].map(|_| &proofs[random.random_range(0..30)]);
        let mut mixed = first.clone();
        let place = random.random_range(0..mixed.siblings.len());
        let from = random.random_range(0..second.siblings.len());
        match random.random_range(0..3) {
            0 => mixed.shown.clone_from(&second.shown),
            1 => mixed.siblings[place] = second.siblings[from],
            _ => mixed.siblings.clone_from(&second.siblings),
        }
        let asked = random.random_range(0..30);
        let message = mixed.message(160);
        let honest = codec::encode(&server.prove_latest(&ids(&[asked])).unwrap());
        let accepted = verify(&message, &head(&server), &ids(&[asked])).is_ok();
        assert_eq!(accepted, message == honest);
    }
}

/// Lengths of proofs at `10^6`, `10^8` and `10^9` entries. Their paths have the right form and the
/// wrong root.
#[test]
fn proofs_have_exactly_the_lengths_of_their_trees() {
    for (registered, siblings, bytes) in [
        (1_000_000, 20, 688),
        (100_000_000, 27, 912),
        (1_000_000_000, 30, 1008),
        (10_000_000_000, 34, 1140),
    ] {
        let (shown, siblings) = (vec![Some(object::<S>(0))], vec![object::<S>(1); siblings]);
        let mut parts = Parts::new(registered, shown, siblings);
        assert_eq!(parts.message(160).len(), bytes);
        let head = head_of(object::<S>(0));
        let refused = parts.verify(&head, &[0]);
        assert_eq!(refused, Err(VerifyError::RootMismatch));
        parts.siblings.pop();
        let refused = parts.verify(&head, &[0]);
        assert_eq!(refused, Err(VerifyError::MalformedShape));
    }
    let unassigned = Parts::of(&[40], 30).message(160);
    assert!(Untrusted::<EntryProof<S>>::decode(&unassigned, 51).is_ok());
}

/// The proof of a single entry is a path. In a tree of any size, it must have exactly the siblings
/// on this path.
#[test]
fn a_single_entry_has_exactly_its_path() {
    for entries in 1..20 {
        let (_, server) = directory(entries, 2);
        let head = head(&server);
        for asked in 0..entries {
            let honest = Parts::of(&[asked], entries);
            let entry = honest.verify(&head, &[asked]).unwrap().of(id(asked));
            assert_eq!(entry, Some(Entry::Live(object::<S>(asked))));
            let mut longer = honest.clone();
            longer.siblings.push(object::<S>(0));
            let mut shorter = honest.clone();
            let is_path = shorter.siblings.pop().is_some();
            let changed = [Some(longer), is_path.then_some(shorter)];
            for changed in changed.into_iter().flatten() {
                let refused = changed.verify(&head, &[asked]).unwrap_err();
                let expected = VerifyError::MalformedShape;
                assert_eq!(refused, expected, "{asked} of {entries}");
            }
        }
    }
}
