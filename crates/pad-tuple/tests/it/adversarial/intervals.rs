//! Intervals and ranges of instants that are stretched, shrunk, or genuine at another time.

use super::*;

/// Checks that the interval before a new key cannot be extended over it. The key "e" is new in
/// version 6. Until version 5 the tuple of "d" extends beyond "e".
fn check_overlap<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    let wide = target.prove_at(5, 5, "e");
    assert_eq!(target.refusal(&wide, 5, "e"), None);
    let refusal = target.refusal(&wide, 6, "e");
    let plain = matches!(D::NAME, "base" | "spec");
    assert_eq!(refusal, if plain { INVALID } else { outside(6, 5, 5) });
    // Widens the narrow tuple that replaced it.
    let mut narrow = target.prove(6, "dd");
    if let ShownTuple::Below { upper, .. } = &mut narrow.parts[0].tuple {
        assert_eq!(upper.replace(key("g")), Some(key("e")));
    }
    assert_eq!(target.refusal(&narrow, 6, "e"), INVALID);
    if let ShownTuple::Below { upper, .. } = &mut narrow.parts[0].tuple {
        *upper = None;
    }
    assert_eq!(target.refusal(&narrow, 6, "e"), INVALID);
    // The tuple of "e" itself, with a later start, or at another key.
    let honest = target.prove(6, "e");
    for lower in ["ee", "g"] {
        let refusal = target.refusal(&honest, 6, lower);
        assert_eq!(refusal, INVALID, "shown as a tuple at {lower}");
    }
}

#[test]
fn the_wider_tuple_of_an_earlier_version_hides_no_new_key() {
    with_each!(check_overlap:
        Base, BaseSuperseding, BaseLightweight, Spec, SpecSuperseding, SpecLightweight
    );
}

/// Checks that a tuple has one form for each query: with the value if it starts at the key, else
/// with the digest.
fn check_forms<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    let at = target.prove(6, "d");
    let ShownTuple::At {
        upper,
        content: ShownContent::Value(content),
    } = &at.parts[0].tuple
    else {
        panic!("\"d\" is present");
    };
    let digest = S::value(content.as_bytes());
    let with = |tuple: ShownTuple<S>| {
        let mut proof = at.clone();
        proof.parts[0].tuple = tuple;
        proof
    };
    // The key's own tuple in the form `Below`, which would not decide.
    let below = |lower: &str, content| ShownTuple::Below {
        lower: key(lower),
        upper: upper.clone(),
        content,
    };
    for lower in ["d", "e"] {
        let proof = with(below(lower, Content::Value(digest)));
        assert_eq!(target.refusal(&proof, 6, "d"), BEYOND);
    }
    // The tuple is genuine for keys after it, with its own content only.
    let honest = target.prove(6, "dd");
    let tuple = below("d", Content::Value(digest));
    assert_eq!(honest.parts[0].tuple, tuple, "one tuple");
    let other = Content::Value(S::value(b"other"));
    for content in [Content::Nothing, Content::Removed, other] {
        let mut proof = honest.clone();
        proof.parts[0].tuple = below("d", content);
        assert_eq!(target.refusal(&proof, 6, "dd"), INVALID);
    }
    for content in [ShownContent::Removed, ShownContent::Value(value("other"))] {
        let upper = upper.clone();
        let proof = with(ShownTuple::At { upper, content });
        assert_eq!(target.refusal(&proof, 6, "d"), INVALID);
    }
    // An interval that is empty or reversed.
    for upper in ["", "b", "d"] {
        let upper = Some(key(upper));
        let content = ShownContent::Removed;
        let proof = with(ShownTuple::At { upper, content });
        assert_eq!(target.refusal(&proof, 6, "d"), BEYOND);
    }
}

#[test]
fn a_tuple_is_shown_in_one_way_only() {
    with_each!(check_forms: Base, BaseLightweight, SpecSuperseding, SpecLightweight);
}

/// Checks proofs at the ends of the key space: about the empty key, the longest key, and keys above
/// the last one. The empty key is at the start of every generation.
fn check_ends<D: Design<S, Secret: TestSecret>>() {
    let longest = "\u{7f}".repeat(pad_core::MAX_KEY_LENGTH);
    let actions = [
        put("", "first"),
        put(&longest, "last"),
        Action::Snapshot,
        remove(""),
        Action::Snapshot,
        remove(&longest),
        Action::Snapshot,
        put("", "again"),
        put(&longest, "again"),
        Action::Snapshot,
    ];
    let target = Target::<D>::of(dictionary(), AUTHOR, &actions);
    let names = ["", "\0", &longest[1..], &*longest, "\u{80}"];
    let mut accepted = 0;
    for made_for in 0..=4 {
        for about in names {
            let proof = target.prove(made_for, about);
            for version in 0..=5 {
                for asked in names {
                    accepted += usize::from(target.refusal(&proof, version, asked).is_none());
                }
            }
        }
    }
    assert!(accepted >= 5 * names.len());
    for name in names {
        let proof = target.prove(4, name);
        assert_eq!(target.refusal(&proof, 4, name), None);
    }
    // The start of the key space before the empty key is present, and the reverse.
    let before = target.prove_at(2, 2, "");
    let after = target.prove(4, "");
    assert!(target.refusal(&before, 4, "").is_some());
    assert!(target.refusal(&after, 2, "").is_some());
    // Above the last key there is no end, and no key is longer.
    let above = target.prove(4, "\u{80}");
    assert_eq!(target.refusal(&above, 4, &longest), BEYOND);
    let long = vec![0x7f; pad_core::MAX_KEY_LENGTH + 1];
    let mut body = codec::encode_body(&above);
    let place = body.windows(2).position(|pair| pair == [0x7f, 0x7f]);
    let place = place.expect("the longest key is the lower end");
    assert_eq!(body[place - 3..place], [0xfb, 0, 0x10], "its length");
    body[place - 2..place].copy_from_slice(&[1, 0x10]);
    body.insert(place, long[0]);
    let message = [&codec::encode(&above)[..codec::ENVELOPE_LENGTH], &body].concat();
    let refusal = Untrusted::<TupleProof<S, D>>::decode(&message, MESSAGE_LIMIT).err();
    assert_eq!(refusal, Some(DecodeError::Malformed));
}

#[test]
fn the_ends_of_the_key_space_hide_nothing() {
    with_each!(check_ends:
        Base, BaseSuperseding, BaseLightweight, Spec, SpecSuperseding, SpecLightweight,
        SpecLightweight3
    );
}

/// Checks that the signature covers the bounds of a superseding tuple.
fn check_stretched<const GENERATIONS: usize>() {
    let target = Target::<Signed<Ed25519, Superseding, GENERATIONS>>::new();
    // ["", d) exists in versions 5 and 6 under speculation; "" to "b" in 1 to 6 without.
    let honest = target.prove(6, "a");
    let Validity { since, until } = honest.parts[0].evidence.shown;
    assert_eq!(until, 6);
    let refusal = |since, until, version| {
        let mut changed = honest.clone();
        changed.parts[0].evidence.shown = Validity { since, until };
        target.refusal(&changed, version, "a")
    };
    for version in (0..since).chain([7, 8, 9, u64::MAX - 1, u64::MAX]) {
        // Honest bounds, another version.
        let refused = refusal(since, until, version);
        assert_eq!(refused, outside(version, since, until));
        // Bounds widened to contain the version.
        let (low, high) = (since.min(version), until.max(version));
        assert_eq!(refusal(low, high, version), INVALID);
        assert_eq!(refusal(0, u64::MAX, version), INVALID);
        // Reversed bounds contain no version.
        assert_eq!(refusal(u64::MAX, 0, version), outside(version, u64::MAX, 0));
    }
    for version in since..=until {
        assert_eq!(refusal(since, until, version), None);
        for (low, high) in [
            (since - 1, until),
            (since, until + 1),
            (version, version),
            (since + 1, until),
        ] {
            if (low, high) != (since, until) && low <= version && version <= high {
                assert_eq!(refusal(low, high, version), INVALID);
            }
        }
    }
    // An earlier signature of the tuple is genuine up to its own end.
    let earlier = target.prove_at(5, 5, "a");
    assert_eq!(target.refusal(&earlier, 5, "a"), None);
    assert_eq!(target.refusal(&earlier, 6, "a"), outside(6, since, 5));
    // Its bounds with the newer signature, and the reverse.
    let mut mixed = honest.clone();
    mixed.parts[0].evidence.signature = earlier.parts[0].evidence.signature;
    assert_eq!(target.refusal(&mixed, 6, "a"), INVALID);
    let mut mixed = earlier;
    mixed.parts[0].evidence.signature = honest.parts[0].evidence.signature;
    assert_eq!(target.refusal(&mixed, 5, "a"), INVALID);
}

#[test]
fn a_superseding_signature_covers_its_instants_only() {
    check_stretched::<1>();
    check_stretched::<2>();
}
