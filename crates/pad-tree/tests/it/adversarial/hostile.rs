//! Hostile bytes, questions and updates.

use super::*;

/// Length prefixes beyond the end of the message are refused without an allocation of that length.
#[test]
fn hostile_lengths_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let envelope = &codec::encode(&target.prove(&entry_key(3)))[..8];
    let huge: [&[u8]; 4] = [
        &[253, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        &[253, 0, 0, 0, 0, 0, 0, 0, 0x40],
        &[253, 0, 0, 0, 0, 1, 0, 0, 0],
        &[252, 0xff, 0xff, 0xff, 0xff],
    ];
    let positions: [&[u8]; 5] = [
        &[],                    // the shape's length
        &[1, 0],                // the siblings'
        &[1, 0, 0],             // the leaves'
        &[1, 0, 0, 1],          // a key's
        &[1, 0, 0, 1, 1, 7, 1], // a value's
    ];
    for before in positions {
        for length in huge {
            let bytes = [envelope, before, length].concat();
            let refusal = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&bytes, 1 << 30);
            assert_eq!(refusal, Err(DecodeError::Malformed), "{bytes:?}");
        }
    }
    // Overlong encodings of lengths are not canonical.
    let honest = codec::encode(&target.prove(&entry_key(3)));
    let padded = [&honest[..8], &[251, honest[8], 0], &honest[9..]].concat();
    let refusal = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&padded, 1 << 20).err();
    assert_eq!(refusal, Some(DecodeError::NonCanonical));
}

/// Server and client both refuse an inverted range, regardless of the proof.
#[test]
fn inverted_ranges_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    for ends in [[9, 5], [9, 9]] {
        let [start, end] = ends.map(|end| Some(key([end])));
        let gap = [(&entry_key(4), D), (&entry_key(5), D)];
        let refusal = target.refusal(&gap, &KeyRange { start, end });
        assert_eq!(refusal, Some(VerifyError::InvalidQuery));
    }
    assert_eq!(Keys::new(Vec::new()), None, "there is no query for no keys");
}

/// Equal contents have equal roots in set-unique trees, so a proof verifies in both versions. The
/// statement names the version that it was verified for.
#[test]
fn equal_contents_share_proofs_but_not_statements() {
    let mut actions = vec![Action::Put(key("a"), value("1")), Action::Snapshot];
    actions.extend([Action::Put(key("b"), value("2")), Action::Snapshot]);
    actions.extend([Action::Remove(key("b")), Action::Snapshot]);
    let target = Target::<Sha256Ed25519, Treap>::of(&actions);
    let proof = target.played.server.prove(Version::new(1), &key("b"));
    let lookup = target.verify(proof.unwrap(), &key("b")).unwrap();
    assert_eq!(lookup.version, Version::new(3));
    assert_eq!(lookup.answer, Answer::Absent);
}

/// Uses random bytes as the body of a proof. They never cause a panic and never verify.
#[test]
fn garbage_is_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let envelope = codec::encode(&target.prove(&entry_key(3)))[..8].to_vec();
    let mut random = Random::new(pad_conformance::traces::seed());
    for _ in 0..20_000 {
        let length = usize::try_from(random.below(200)).unwrap();
        let mut bytes = envelope.clone();
        // Small numbers are plausible lengths and tags.
        let small = random.below(2) == 0;
        let noise = random.bytes(length).into_iter();
        bytes.extend(noise.map(|byte| if small { byte % 5 } else { byte }));
        if let Ok(proof) = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&bytes, 1 << 20) {
            assert!(proof.verify(&target.head, &entry_key(3)).is_err());
        }
    }
}

/// A repository of another scheme or author refuses updates of this one.
#[test]
fn updates_of_other_dictionaries_are_refused() {
    use pad_core::ApplyError;
    let mut author = tree_author::<Sha256Ed25519, RedBlack>(dictionary(), 7);
    let update = author.snapshot().unwrap();
    let mut treap = TreeRepository::<Sha256Ed25519, Store<Sha256Ed25519, Treap>>::new(
        tree_author::<Sha256Ed25519, Treap>(dictionary(), 7).authority(),
    );
    let (expected, actual) = (1, 2);
    let wrong = VerifyError::WrongScheme { expected, actual };
    assert_eq!(treap.apply(&update), Err(ApplyError::Head(wrong)));
    let strangers = [
        (
            tree_author::<Sha256Ed25519, RedBlack>(dictionary(), 8),
            VerifyError::SignatureInvalid,
        ),
        (
            tree_author(DictionaryId::from_name("another"), 7),
            VerifyError::WrongDictionary,
        ),
    ];
    for (stranger, error) in strangers {
        let mut server =
            TreeRepository::<_, Store<Sha256Ed25519, RedBlack>>::new(stranger.authority());
        assert_eq!(server.apply(&update), Err(ApplyError::Head(error)));
        assert_eq!(server.latest(), Version::EMPTY);
    }
}
