//! Genuine parts of proofs in wrong places.

use super::*;

fn check_spliced<S: Suite, B: BalancingScheme>() {
    let target = Target::<S, B>::new();
    let (server, asked) = (&target.played.server, entry_key(3));
    let proof = target.prove(&asked);

    // The proof of another key, present and absent.
    let other_key = entry_key(9);
    assert_eq!(target.refused(proof.clone(), &other_key), SURPLUS);
    let absence = target.prove(&key([13]));
    assert_eq!(target.refused(absence.clone(), &key([17])), ELIDED);
    assert_eq!(target.refused(absence.clone(), &key([9])), ELIDED);
    assert_eq!(target.refused(absence, &key([14])), MISSING);
    assert_eq!(target.refused(proof.clone(), &key([7])), SURPLUS);

    // The proof of another version.
    let older = server.prove(Version::new(1), &asked).unwrap();
    assert_eq!(target.refused(older, &asked), MISMATCH);
    let first = verified_head(target.played.author.authority(), server, Version::new(1));
    let newer = Untrusted::new(proof).verify(&first, &asked).err();
    assert_eq!(newer, MISMATCH);

    // The proof of another dictionary, with other contents.
    let another = Target::<S, B>::of(&actions("another"));
    assert_eq!(target.refused(another.prove(&asked), &asked), MISMATCH);

    // The proof of another query for the same leaf: the message contains another kind.
    let one = Keys::new(vec![asked.clone()]).unwrap();
    let bytes = codec::encode(&target.prove(&one));
    let refusal = Untrusted::<TreeProof<S, Key>>::decode(&bytes, MESSAGE_LIMIT);
    let (expected, actual) = (16, 17);
    let wrong = DecodeError::WrongKind { expected, actual };
    assert_eq!(refusal.err(), Some(wrong));

    // Opens the leaf with a digest instead of the requested value, and the reverse.
    assert_eq!(target.refusal(&[(&asked, D)], &asked), MISSING);
    let gap = [(&entry_key(6), V), (&entry_key(7), D)];
    assert_eq!(target.refusal(&gap, &key([13])), SURPLUS);
}

#[test]
fn spliced_proofs_are_refused() {
    check_spliced::<Sha256Ed25519, Treap>();
    check_spliced::<Blake3Ed25519, RedBlack>();
    check_spliced::<Paper2010, SkipList>();
}

/// Proofs of other schemes and suites must be refused. Equal contents form another tree in another
/// scheme, and another message under another suite.
#[test]
fn other_schemes_and_suites_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let asked = entry_key(3);
    let treap = Target::<Sha256Ed25519, Treap>::new();
    let skip_list = Target::<Sha256Ed25519, SkipList>::new();
    for other in [treap.prove(&asked), skip_list.prove(&asked)] {
        assert_eq!(target.refused(other, &asked), MISMATCH);
    }
    let blake3 = Target::<Blake3Ed25519, RedBlack>::new();
    let bytes = codec::encode(&blake3.prove(&asked));
    let honest = Honest::new(&target.prove(&asked), &target.head, &asked);
    let (expected, actual) = (1, 2);
    let wrong = DecodeError::WrongSuite { expected, actual };
    assert_eq!(honest.verify(&bytes), Err(Refusal::Decode(wrong)));
    // With another kind in the envelope, the message is a proof of another tree.
    let mut relabelled = bytes;
    relabelled[7] = 1;
    let mismatch = Refusal::Verify(VerifyError::RootMismatch);
    assert_eq!(honest.verify(&relabelled), Err(mismatch));
}

/// A head of another author, dictionary, scheme or version is rejected as a root.
#[test]
fn other_heads_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let authority = target.played.author.authority();
    let version = target.version;
    let signed = target.played.server.head(version).unwrap();
    let refusal =
        |signed, authority, version| Untrusted::new(signed).verify(&authority, &version).err();
    let invalid = Some(VerifyError::SignatureInvalid);
    let mut other = authority;
    other.author = public_key(8);
    assert_eq!(refusal(signed, other, version), invalid);
    let mut other = authority;
    other.dictionary = DictionaryId::from_name("another");
    let wrong = Some(VerifyError::WrongDictionary);
    assert_eq!(refusal(signed, other, version), wrong);
    let mut other = authority;
    other.scheme = SchemeId(1);
    let (expected, actual) = (1, 2);
    let wrong = VerifyError::WrongScheme { expected, actual };
    assert_eq!(refusal(signed, other, version), Some(wrong));
    let (asked, actual) = (Version::new(1), version);
    let expected = asked;
    let wrong = VerifyError::WrongVersion { expected, actual };
    assert_eq!(refusal(signed, authority, asked), Some(wrong));
    // The signature covers every field, so it is invalid for the head of an adjacent version.
    let older = target.played.server.head(asked).unwrap();
    let mut mixed = signed;
    mixed.head.root = older.head.root;
    assert_eq!(refusal(mixed, authority, version), invalid);
    let mut mixed = signed;
    mixed.head.history = older.head.history;
    assert_eq!(refusal(mixed, authority, version), invalid);
}
