//! Evidence made for another author, dictionary, design or suite.

use super::*;

/// Offers proofs of the same contents in another dictionary.
fn check_other_places<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    let elsewhere = Target::<D>::elsewhere();
    for (version, name) in [(3, "b"), (3, "d"), (3, "f"), (8, "zz")] {
        let foreign = elsewhere.prove(version, name);
        assert_eq!(target.refusal(&foreign, version, name), INVALID);
        // Replaces single parts.
        let honest = target.prove(version, name);
        for position in 0..honest.parts.len() {
            let mut mixed = honest.clone();
            mixed.parts[position] = foreign.parts[position].clone();
            assert_eq!(target.refusal(&mixed, version, name), INVALID);
        }
    }
}

#[test]
fn another_dictionary_of_the_same_author() {
    with_each!(check_other_places:
        Base, BaseSuperseding, BaseLightweight, Spec, SpecSuperseding, SpecLightweight,
        SpecLightweight3, SpecLightweightBls
    );
}

#[test]
fn another_author() {
    fn check<D: Design<S, Secret: TestSecret>>() {
        let target = Target::<D>::new();
        let stranger = Target::<D>::of(dictionary(), AUTHOR + 1, &actions());
        for (version, name) in [(3, "b"), (3, "d"), (3, "f"), (8, "zz")] {
            let foreign = stranger.prove(version, name);
            assert_eq!(target.refusal(&foreign, version, name), INVALID);
        }
    }
    with_each!(check: Base, BaseSuperseding, BaseLightweight, SpecLightweight);

    // With BLS, the tuples' key distinguishes authors.
    let target = Target::<SpecLightweightBls>::new();
    let mut expectation = target.expectation(3);
    expectation.key = <SpecLightweightBls as Design<S>>::key(&TestSecret::numbered(AUTHOR + 1));
    let proof = Untrusted::new(target.prove(3, "b"));
    let refusal = proof.verify(&expectation, &key("b")).err();
    assert_eq!(refusal, INVALID);
}

#[test]
fn another_design_is_not_expected() {
    fn check<D: Design<S, Secret: TestSecret>>() {
        let target = Target::<D>::new();
        for scheme in [0, 1, 0x0203, 0x02f1, u16::MAX] {
            let mut expectation = target.expectation(3);
            expectation.authority.scheme = pad_core::SchemeId(scheme);
            for version in [0, 3] {
                expectation.version = Version::new(version);
                let proof = Untrusted::new(target.prove(version, "b"));
                let (expected, actual) = (scheme, D::SCHEME.0);
                let wrong = VerifyError::WrongScheme { expected, actual };
                let refusal = proof.verify(&expectation, &key("b")).err();
                assert_eq!(refusal, Some(wrong));
            }
        }
    }
    with_each!(check: Base, SpecSuperseding, SpecLightweight3, SpecLightweightBls);
}

/// Designs with the same refresh differ only in the number of generations, so evidence of one
/// design decodes in the other.
fn check_generations<R: Refresh<S, Secret: TestSecret>, const FROM: usize, const TO: usize>() {
    let from = Target::<Signed<Ed25519, R, FROM>>::new();
    let to = Target::<Signed<Ed25519, R, TO>>::new();
    for (version, name) in [(3, "b"), (3, "d"), (3, "f"), (1, "d"), (8, "zz")] {
        let (foreign, honest) = (from.prove(version, name), to.prove(version, name));
        let mut moved: Vec<Part<S, Signed<Ed25519, R, TO>>> = Vec::new();
        for Part { tuple, evidence } in foreign.parts {
            moved.push(Part { tuple, evidence });
        }
        for (position, part) in moved.iter().enumerate() {
            for (slot, shown) in honest.parts.iter().enumerate() {
                // The foreign evidence for the honest tuple, then the foreign tuple as well.
                let mut mixed = honest.clone();
                mixed.parts[slot].evidence = part.evidence.clone();
                let refusal = to.refusal(&mixed, version, name);
                assert!(is_not_vouched_for(refusal), "{position} to {slot}");
                if decides(&part.tuple) == decides(&shown.tuple) {
                    let mut mixed = honest.clone();
                    mixed.parts[slot] = part.clone();
                    let refusal = to.refusal(&mixed, version, name);
                    assert!(is_not_vouched_for(refusal), "{position} to {slot}");
                }
            }
        }
    }
}

fn is_not_vouched_for(refusal: Option<VerifyError>) -> bool {
    matches!(
        refusal,
        Some(VerifyError::SignatureInvalid | VerifyError::OutsideValidity { .. })
    )
}

pub(super) fn decides(tuple: &ShownTuple<S>) -> bool {
    match tuple {
        ShownTuple::At { content, .. } => *content != ShownContent::Nothing,
        ShownTuple::Below { .. } => false,
    }
}

#[test]
fn the_same_refresh_with_another_number_of_generations() {
    use pad_tuple::internals::Plain;
    check_generations::<Plain, 1, 2>();
    check_generations::<Plain, 2, 1>();
    check_generations::<Superseding, 1, 2>();
    check_generations::<Superseding, 2, 1>();
    check_generations::<Lightweight, 1, 2>();
    check_generations::<Lightweight, 2, 1>();
    check_generations::<Lightweight, 2, 3>();
    check_generations::<Lightweight, 3, 2>();
}

/// Uses equal tuple, instant and author: only the number of the design distinguishes the messages.
#[test]
fn superseding_evidence_in_a_design_with_speculation() {
    let base = Target::<BaseSuperseding>::new();
    let spec = Target::<SpecSuperseding>::new();
    // In version 1, both have the tuple [d, f) with value 2, signed only for instant 1: the
    // epoch.
    let evidence = base.prove_at(1, 1, "d").parts[0].evidence.clone();
    let mut proof = spec.prove_at(1, 1, "d");
    assert_eq!(proof.parts[1].evidence.shown, evidence.shown);
    let of_base = base.prove_at(1, 1, "d");
    assert_eq!(proof.parts[1].tuple, of_base.parts[0].tuple);
    proof.parts[1].evidence = evidence;
    assert_eq!(spec.refusal(&proof, 1, "d"), INVALID);
}

#[test]
fn another_suite() {
    type D = SpecLightweight;
    let played = pad_conformance::repository::play::<TuplePad<Blake3Ed25519, D>>(&actions());
    let (version, asked) = (Version::new(8), key("zz"));
    let message = codec::encode(&played.server.prove(version, &asked).unwrap());
    let refusal = Untrusted::<TupleProof<S, D>>::decode(&message, MESSAGE_LIMIT).err();
    let (expected, actual) = (1, 2);
    let wrong = DecodeError::WrongSuite { expected, actual };
    assert_eq!(refusal, Some(wrong));
    // With another kind in the envelope, the message is an unsigned proof.
    let mut relabelled = message;
    relabelled[7] = 1;
    let target = Target::<D>::new();
    let proof = Untrusted::<TupleProof<S, D>>::decode(&relabelled, MESSAGE_LIMIT).unwrap();
    let refusal = proof.verify(&target.expectation(8), &asked).err();
    assert_eq!(refusal, INVALID);
}

/// Updates are not accepted as tuple proofs, and the reverse.
#[test]
fn other_kinds_of_messages() {
    type Attachment = TupleAttachment<<SpecLightweight as Design<S>>::Extension>;
    let target = Target::<SpecLightweight>::new();
    let update = codec::encode(&target.updates[2]);
    let refusal = Untrusted::<TupleProof<S, SpecLightweight>>::decode(&update, MESSAGE_LIMIT).err();
    let wrong_kind = |expected, actual| Some(DecodeError::WrongKind { expected, actual });
    assert_eq!(refusal, wrong_kind(65, 64));
    let proof = codec::encode(&target.prove(3, "b"));
    let refusal = codec::decode::<Update<S, Attachment>>(&proof, MESSAGE_LIMIT).err();
    assert_eq!(refusal, wrong_kind(64, 65));
}

/// Version 0 is empty by definition: clients reject an entry in it even if the author signed it.
#[test]
fn nothing_is_in_version_0_whatever_the_author_signs() {
    let target = Target::<Base>::new();
    let asked = key("b");
    let mut lookup = target.prove(1, "b");
    let ShownTuple::At {
        upper,
        content: ShownContent::Value(content),
    } = &lookup.parts[0].tuple
    else {
        panic!("\"b\" is present");
    };
    let view = TupleView {
        generation: 0,
        epochs: &[],
        lower: asked.as_bytes(),
        upper: upper.as_ref().map(Key::as_bytes),
        content: Content::Value(S::value(content.as_bytes())),
    };
    let signed = |instant| {
        let statement = TupleStatement::<S> {
            generation: 0,
            since: instant,
            until: instant,
            tuple: view.digest::<S>(),
            anchor: None,
        };
        let bytes = statement.signed_bytes(Context::of(&target.authority));
        <Ed25519 as TupleSignature>::sign(&(), &signing_key(AUTHOR), &bytes).unwrap()
    };
    let (honest, forged) = (signed(1), signed(0));
    // The author's signing is reproduced exactly.
    assert_eq!(lookup.parts[0].evidence.signature, honest);
    let surplus = Some(VerifyError::GenerationSurplus);
    lookup.parts[0].evidence.signature = forged;
    assert_eq!(target.refusal(&lookup, 0, "b"), surplus);

    let server = &target.servers[1];
    let keys = Keys::new(vec![asked.clone()]).unwrap();
    let mut together = server.prove_keys(Version::new(1), &keys).unwrap();
    together.aggregate = Some(vec![forged]);
    let refusal = Untrusted::new(together).verify(&target.expectation(0), &keys);
    assert_eq!(refusal.err(), surplus);
    let range = KeyRange {
        start: Some(asked),
        end: Some(key("bb")),
    };
    let mut all = server.prove_range(Version::new(1), &range).unwrap();
    all.aggregate = Some(vec![forged]);
    let refusal = Untrusted::new(all).verify(&target.expectation(0), &range);
    assert_eq!(refusal.err(), surplus);
}
