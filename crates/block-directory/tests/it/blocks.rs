//! Opened blocks: an oracle over all strategies, and forgeries for the checks that only they have.

use block_directory::{
    Entry,
    internals::{
        BlockError, BlockRoot, BlockTree, MOST_ENTRIES, OpenedProof,
        strategy::{
            AdHash1600, BlockDigest, Contents, Flat, LtHash, MuHash1024, MuHash3072, Place,
            SlotChange, block_root,
        },
    },
};
use pad_core::{
    ApplyError, Blake3Ed25519, DecodeError, InputError, Paper2010, Suite, Untrusted, VerifyError,
    codec,
};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::support::{S, head_of, id, object};

fn root_of<S: Suite, B: BlockDigest<S>>(tree: &BlockTree<S, B>, capacity: u32) -> BlockRoot<S> {
    BlockRoot::new(&head_of::<S>(tree.root()), capacity).unwrap()
}

/// A tree of the given number of entries, one of them deleted.
fn tree<B: BlockDigest<S>>(capacity: u32, entries: u64) -> BlockTree<S, B> {
    let mut tree = BlockTree::new(capacity).unwrap();
    for number in 0..entries {
        tree.append(object::<S>(number)).unwrap();
    }
    tree.delete(id(5)).unwrap();
    tree
}

/// Compares random changes with a list of entries, and checks answers after every few changes.
fn oracle<S: Suite, B: BlockDigest<S>>(capacity: u32, changes: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(capacity));
    let mut tree = BlockTree::<S, B>::new(capacity).unwrap();
    let mut oracle: Vec<Option<S::Digest>> = Vec::new();
    assert_eq!(tree.root(), S::empty_tree());
    for change in 0..changes {
        let fresh = object::<S>(change);
        let place = random.random_range(0..oracle.len() * 2 + 1);
        let at = id(u64::try_from(place).unwrap());
        match oracle.get(place).copied() {
            Some(None) => {
                let refused = Err(BlockError::Rule(ApplyError::DeletedForGood(at.number())));
                assert_eq!(tree.update(at, fresh), refused);
            }
            Some(Some(_)) => {
                let shown = (random.random_range(0..4) > 0).then_some(fresh);
                match shown {
                    Some(object) => tree.update(at, object).unwrap(),
                    None => tree.delete(at).unwrap(),
                }
                oracle[place] = shown;
            }
            None => {
                assert!(tree.append(fresh).is_ok());
                oracle.push(Some(fresh));
            }
        }
        let root = root_of(&tree, capacity);
        let end = tree.registered() + 2;
        let step = usize::try_from(end / 4 + 1).unwrap();
        for asked in (change % 3..end).step_by(step) {
            let proof = Untrusted::new(tree.prove(id(asked)));
            let entries = proof.verify(&root, &id(asked)).unwrap();
            let expected = match oracle.get(usize::try_from(asked).unwrap()) {
                Some(Some(object)) => Entry::Live(*object),
                Some(None) => Entry::Deleted,
                None => Entry::Unassigned,
            };
            assert_eq!(entries.get().of(id(asked)), Some(expected));
        }
    }
    // The stored summaries agree with the slots: a new tree of the same contents has the same root.
    let mut anew = BlockTree::<S, B>::new(capacity).unwrap();
    for object in &oracle {
        anew.append(object.unwrap_or(self::object::<S>(0))).unwrap();
    }
    for (place, object) in oracle.iter().enumerate() {
        if object.is_none() {
            anew.delete(id(u64::try_from(place).unwrap())).unwrap();
        }
    }
    assert_eq!(anew.root(), tree.root());
}

#[test]
fn all_strategies_match_a_list_of_entries() {
    for capacity in [2, 3, 5] {
        oracle::<S, Flat>(capacity, 60);
        oracle::<S, AdHash1600>(capacity, 60);
        oracle::<S, LtHash>(capacity, 60);
        oracle::<S, MuHash1024>(capacity, 30);
    }
    oracle::<S, MuHash3072>(4, 12);
    oracle::<Blake3Ed25519, AdHash1600>(4, 20);
    oracle::<Paper2010, LtHash>(4, 20);
}

type Parts = (u64, u32, Vec<u8>);

/// Returns the error of a changed proof of an entry.
fn refusal<B: BlockDigest<S>>(asked: u64, change: impl FnOnce(&mut Parts)) -> VerifyError {
    let tree = tree::<B>(4, 21);
    let honest = codec::encode_body(&tree.prove(id(asked)));
    let mut parts: Parts = codec::decode_body(&honest).unwrap();
    change(&mut parts);
    let proof: OpenedProof<S, B> = codec::decode_body(&codec::encode_body(&parts)).unwrap();
    let refused = Untrusted::new(proof).verify(&root_of(&tree, 4), &id(asked));
    refused.unwrap_err()
}

/// Forgeries for every check, under one strategy.
fn forgeries<B: BlockDigest<S>>() {
    let refuses = |asked: u64, change: &dyn Fn(&mut Parts), expected: VerifyError| {
        assert_eq!(refusal::<B>(asked, change), expected);
    };
    // Check 17: the capacity is the known one and is hashed into the root.
    let (expected, actual) = (4, 5);
    let wrong_capacity = VerifyError::WrongCapacity { expected, actual };
    refuses(3, &|parts| parts.1 = actual, wrong_capacity);
    let tree = tree::<B>(4, 21);
    let regrouped = BlockTree::<S, B>::root(&self::tree(5, 21));
    assert_ne!(regrouped, tree.root());
    // Checks 3 and 4: the number of entries is hashed into the root and bounded.
    refuses(3, &|parts| parts.0 = 22, VerifyError::RootMismatch);
    let too_many = |parts: &mut Parts| parts.0 = MOST_ENTRIES + 1;
    refuses(3, &too_many, VerifyError::SizeOutOfRange);
    // Check 18: exactly the slots that follow from the question.
    let length = VerifyError::BlockLength;
    refuses(3, &|parts| assert!(parts.2.pop().is_some()), length);
    refuses(3, &|parts| parts.2.push(0), length);
    refuses(3, &|parts| parts.2.extend_from_slice(&[1; 33]), length);
    refuses(3, &|parts| parts.2.clear(), length);
    // Check 19: slots are recomputed, below the top against the slot above, at the top against the
    // root.
    let level_0 = |parts: &Parts| parts.2.len() - 4 * 33;
    let below = |parts: &mut Parts| {
        let at = level_0(parts) + 1;
        parts.2[at] ^= 1;
    };
    refuses(3, &below, VerifyError::SummaryMismatch);
    let above = |parts: &mut Parts| parts.2[B::summary_bytes() - 1] ^= 2;
    refuses(3, &above, VerifyError::RootMismatch);
    // Check 20: blocks of another place.
    let moved = |parts: &mut Parts| {
        let other: Parts = codec::decode_body(&codec::encode_body(&tree.prove(id(9)))).unwrap();
        let at = level_0(parts);
        parts.2[at..].copy_from_slice(&other.2[at..]);
    };
    refuses(3, &moved, VerifyError::SummaryMismatch);
    let exchanged = |parts: &mut Parts| {
        let at = level_0(parts);
        let (first, second) = parts.2[at..].split_at_mut(33);
        first.swap_with_slice(&mut second[..33]);
    };
    refuses(3, &exchanged, VerifyError::SummaryMismatch);
    // Check 8, and slots that are neither live nor deleted.
    for (kind, object, expected) in [
        (1, 0, VerifyError::ReservedDigest),
        (2, 1, VerifyError::MalformedEntry),
        (0, 0, VerifyError::MalformedEntry),
        (3, 7, VerifyError::MalformedEntry),
    ] {
        let change = |parts: &mut Parts| {
            let at = level_0(parts);
            parts.2[at] = kind;
            parts.2[at + 1..at + 33].fill(object);
        };
        refuses(3, &change, expected);
    }
    // A proof of an unassigned id is exactly the summary of the topmost block.
    refuses(21, &|parts| parts.2.push(0), length);
    refuses(21, &|parts| parts.2[9] ^= 1, VerifyError::RootMismatch);
    let smaller = |parts: &mut Parts| {
        parts.0 = 20;
        parts.2 = tree.top();
    };
    refuses(20, &smaller, VerifyError::RootMismatch);
}

#[test]
fn forged_blocks_are_refused() {
    forgeries::<Flat>();
    forgeries::<AdHash1600>();
    forgeries::<MuHash1024>();
    forgeries::<MuHash3072>();
    forgeries::<LtHash>();
}

/// Check 21: summaries outside the group must be refused. Zero would make every product zero.
#[test]
fn zero_is_no_product() {
    fn check<B: BlockDigest<S>>() {
        let zero = |parts: &mut Parts| parts.2[..B::summary_bytes()].fill(0);
        let refused = refusal::<B>(3, zero);
        assert_eq!(refused, VerifyError::SummaryOutOfRange);
        assert_eq!(refusal::<B>(21, zero), VerifyError::SummaryOutOfRange);
        let above = |parts: &mut Parts| parts.2[..B::summary_bytes()].fill(0xff);
        assert_eq!(refusal::<B>(3, above), VerifyError::SummaryOutOfRange);
    }
    check::<MuHash1024>();
    check::<MuHash3072>();
}

/// Check 22: blocks must have at least 2 and at most 1 024 slots.
#[test]
fn capacities_are_bounded() {
    for capacity in [0, 1, 1025, u32::MAX] {
        let tree = BlockTree::<S, Flat>::new(capacity).map(drop);
        assert_eq!(tree, Err(VerifyError::SizeOutOfRange));
        let root = BlockRoot::new(&head_of::<S>(object::<S>(0)), capacity).map(drop);
        assert_eq!(root, Err(VerifyError::SizeOutOfRange));
    }
    let head = head_of::<S>(object::<S>(0));
    assert!(BlockRoot::new(&head, 1024).is_ok() && BlockRoot::new(&head, 2).is_ok());
}

/// Check 20: level and position are in every element. Incremental updates agree with recomputation.
#[test]
fn elements_have_level_and_position() {
    fn summary<B: BlockDigest<S>>(place: Place, first: u64, bytes: &[u8]) -> Vec<u8> {
        let contents = Contents {
            place,
            first,
            bytes,
            width: 33,
        };
        B::summary(&B::of(contents).unwrap(), contents)
    }
    fn check<B: BlockDigest<S>>() {
        let (level, block) = (0, 3);
        let (place, bytes) = (Place { level, block }, [7; 66]);
        let here = summary::<B>(place, 12, &bytes);
        let level = summary::<B>(Place { level: 1, block }, 12, &bytes);
        assert_ne!(here, level);
        let elsewhere = summary::<B>(Place { level: 0, block: 4 }, 16, &bytes);
        assert_ne!(here, elsewhere);
        let contents = Contents {
            place,
            first: 12,
            bytes: &bytes,
            width: 33,
        };
        let mut state = B::of(contents).unwrap();
        let new = [8; 33];
        let change = SlotChange {
            position: 13,
            old: Some(&bytes[33..]),
            new: &new,
        };
        B::write(&mut state, place, change).unwrap();
        let written = [&bytes[..33], &new].concat();
        let contents = Contents {
            bytes: &written,
            ..contents
        };
        assert_eq!(state, B::of(contents).unwrap());
    }
    check::<Flat>();
    check::<AdHash1600>();
    check::<MuHash1024>();
    check::<MuHash3072>();
    check::<LtHash>();
}

/// Small proofs must be refused if a bit of any byte is flipped, or if they are cut to any length.
#[test]
fn damaged_blocks_are_refused() {
    fn check<B: BlockDigest<S>>(asked: u64) {
        let tree = tree::<B>(3, 7);
        let root = root_of(&tree, 3);
        let message = codec::encode(&tree.prove(id(asked)));
        let is_refused = |message: &[u8]| {
            let longest = OpenedProof::<S, B>::longest(3);
            let proof = Untrusted::<OpenedProof<S, B>>::decode(message, longest);
            proof.is_err() || proof.unwrap().verify(&root, &id(asked)).is_err()
        };
        assert!(!is_refused(&message));
        for place in 0..message.len() {
            let mut damaged = message.clone();
            damaged[place] ^= 1 << (place % 8);
            assert!(is_refused(&damaged), "byte {place}");
            assert!(is_refused(&message[..place]));
        }
    }
    for asked in [0, 5, 6, 7] {
        check::<Flat>(asked);
        check::<AdHash1600>(asked);
        check::<LtHash>(asked);
    }
    check::<MuHash1024>(5);
}

/// Trees of blocks must refuse changes that directories do not allow, and messages that are too
/// long. Different strategies, sizes and capacities must have different roots.
#[test]
fn limits_and_rules() {
    let mut tree = tree::<Flat>(68, 70);
    let zero = <S as Suite>::Digest::default();
    let rule = |error| Err(BlockError::Rule(error));
    let reserved = ApplyError::from(InputError::ReservedDigest);
    assert_eq!(tree.append(zero).map(drop), rule(reserved));
    assert_eq!(tree.update(id(3), zero), rule(reserved));
    let unknown = tree.update(id(70), object::<S>(1));
    assert_eq!(unknown, rule(ApplyError::UnknownId(70)));
    assert_eq!(tree.delete(id(5)), rule(ApplyError::DeletedForGood(5)));
    // `2^48` entries in blocks of 68 have 8 levels.
    let longest = OpenedProof::<S, AdHash1600>::longest(68);
    assert_eq!(longest, 64 + 68 * (7 * 200 + 33));
    let refused = Untrusted::<OpenedProof<S, Flat>>::decode(&[0; 100], 99).map(drop);
    assert_eq!(refused, Err(DecodeError::TooLarge { limit: 99 }));
    let summary = tree.top();
    let roots = [
        block_root::<S, Flat>(70, 68, &summary),
        block_root::<S, LtHash>(70, 68, &summary),
        block_root::<S, Flat>(71, 68, &summary),
        block_root::<S, Flat>(70, 69, &summary),
    ];
    assert_eq!(roots[0], tree.root());
    assert!(roots[1..].iter().all(|root| *root != roots[0]));
    let schemes = [
        <Flat as BlockDigest<S>>::SCHEME,
        <AdHash1600 as BlockDigest<S>>::SCHEME,
        <MuHash1024 as BlockDigest<S>>::SCHEME,
        <MuHash3072 as BlockDigest<S>>::SCHEME,
        <LtHash as BlockDigest<S>>::SCHEME,
    ];
    assert_eq!(
        schemes.map(|scheme| scheme.0),
        [0x0402, 0x0403, 0x0404, 0x0405, 0x0406]
    );
}
