//! Servers that lie about what they have.

use super::*;

/// The tags do not prove what they should.
fn tags(error: AuditError) -> AuditFault {
    AuditFault::Answer(audit::AuditFailure::Tags(error))
}

/// What an audit of 20 samples finds when this changes each answer.
fn lied_audit(
    kind: TagKind,
    mut tamper: impl FnMut(&mut Bytes, &mut Vec<Bytes>, &mut Bytes) + Send + 'static,
) -> AuditFailure {
    let world = World::new(kind);
    let mut client = world.uploaded(&contents(1_000));
    world.wire.tamper(move |_, response| {
        if let Response::Audited {
            list_proof,
            committed,
            tag_proof,
        } = response
        {
            tamper(list_proof, committed, tag_proof);
        }
    });
    match client.audit(Extent::Sample(20), &mut |_| ()) {
        Err(ClientError::Audit(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lies_about_what_is_there() {
    let kind = TagKind::PrivateMac;
    // Whoever lies every time has, as far as can be known, lost what was asked for.
    let flipped = lied_audit(kind, |_, _, proof| proof.0[0] ^= 1);
    assert_eq!(flipped.reason, tags(AuditError::EquationFails));
    assert!(!flipped.damaged.is_empty());

    let shortened = lied_audit(kind, |_, _, proof| shorten(&mut proof.0));
    assert_eq!(shortened.reason, tags(AuditError::MalformedTagProof));
    let lost = lied_audit(kind, |_, committed, _| drop(committed.pop()));
    assert!(matches!(
        lost.reason,
        AuditFault::Answer(audit::AuditFailure::Tags(AuditError::TagCountMismatch { expected, actual }))
            if actual + 1 == expected
    ));
    let doubled = lied_audit(kind, |_, committed, _| committed.push(committed[0].clone()));
    assert!(matches!(
        doubled.reason,
        AuditFault::Answer(audit::AuditFailure::Tags(AuditError::TagCountMismatch { expected, actual }))
            if actual == expected + 1
    ));
    let changed = lied_audit(kind, |_, committed, _| committed[0].0[0] ^= 1);
    assert!(matches!(
        changed.reason,
        AuditFault::Answer(audit::AuditFailure::Tags(
            AuditError::TagDigestMismatch { .. }
        ))
    ));
    let swapped = lied_audit(kind, |_, committed, _| committed.reverse());
    assert!(matches!(
        swapped.reason,
        AuditFault::Answer(audit::AuditFailure::Tags(
            AuditError::TagDigestMismatch { .. }
        ))
    ));
    let truncated = lied_audit(kind, |proof, _, _| shorten(&mut proof.0));
    assert_eq!(
        truncated.reason,
        AuditFault::Answer(audit::AuditFailure::List(ProofError::Truncated))
    );
    let hash_only = lied_audit(TagKind::HashOnly, |_, _, proof| proof.0[0] ^= 1);
    assert!(matches!(
        hash_only.reason,
        AuditFault::Answer(audit::AuditFailure::Tags(AuditError::BlockMismatch { .. }))
    ));
}

#[test]
fn answers_to_other_challenges() {
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.uploaded(&contents(6_400));
    // The answer to the first challenge, to every later one.
    let mut first = None;
    world.wire.tamper(move |request, response| {
        if matches!(request, Request::Audit { .. }) {
            *response = first.get_or_insert_with(|| response.clone()).clone();
        }
    });
    client.audit(Extent::Sample(40), &mut |_| ()).unwrap();
    let failure = client.audit(Extent::Sample(40), &mut |_| ()).unwrap_err();
    assert!(matches!(
        failure,
        ClientError::Audit(AuditFailure {
            reason: AuditFault::Answer(audit::AuditFailure::List(
                ProofError::Elided | ProofError::SurplusNode
            )),
            ..
        })
    ));

    // The same blocks, other coefficients: only the seed differs.
    let mut first = None;
    world.wire.tamper(move |request, response| {
        if matches!(request, Request::Audit { .. }) {
            *response = first.get_or_insert_with(|| response.clone()).clone();
        }
    });
    client.audit(Extent::Everything, &mut |_| ()).unwrap();
    let failure = client.audit(Extent::Everything, &mut |_| ()).unwrap_err();
    assert!(matches!(
        failure,
        ClientError::Audit(AuditFailure {
            reason: AuditFault::Answer(audit::AuditFailure::Tags(AuditError::EquationFails)),
            ref damaged,
        }) if damaged.as_slice() == std::slice::from_ref(&(0..6_400))
    ));

    world.wire.tamper(|request, response| {
        if matches!(request, Request::Audit { .. }) {
            *response = Response::Refused(Refusal::Unavailable);
        }
    });
    // This says nothing about the file.
    assert!(matches!(
        client.audit(Extent::Everything, &mut |_| ()),
        Err(ClientError::Refused(Refusal::Unavailable))
    ));
}

/// Whether a challenge asks for a byte of the block `64 * number..64 * (number + 1)`.
fn asks_for(challenge: &Challenge, state: &FileState, number: u64) -> bool {
    let context = Context::from(state);
    match challenge.questions(&context).unwrap() {
        Questions::Samples(samples) => samples.iter().any(|sample| sample.index / 64 == number),
        Questions::Blocks(blocks) => {
            let range = blocks.range();
            range.start / 64 <= number && (range.end - 1) / 64 >= number
        }
    }
}

#[test]
fn damaged_blocks_are_named() {
    // Lost silently: the aggregate is wrong. Lost noisily: there is no answer.
    let silently: fn(&mut Response) = |response| {
        if let Response::Audited { tag_proof, .. } = response {
            tag_proof.0[3] ^= 1;
        }
    };
    let noisily: fn(&mut Response) =
        |response| *response = Response::Refused(Refusal::StoreFailed("bad".into()));
    for (lose, lost) in [(silently, "silently"), (noisily, "noisily")] {
        for blocks in [
            vec![0],
            vec![3],
            vec![99],
            vec![0, 1, 50],
            vec![20, 40, 41, 99],
        ] {
            let world = World::new(TagKind::PrivateMac);
            let mut client = world.uploaded(&contents(6_400));
            let state = client.version().unwrap();
            let bad = blocks.clone();
            world.wire.tamper(move |request, response| {
                if let Request::Audit { challenge, .. } = request
                    && bad.iter().any(|block| asks_for(challenge, &state, *block))
                {
                    lose(response);
                }
            });
            let mut expected: Vec<Range<u64>> = Vec::new();
            for block in &blocks {
                match expected.last_mut() {
                    Some(last) if last.end == block * 64 => last.end += 64,
                    _ => expected.push(block * 64..(block + 1) * 64),
                }
            }
            // Enough samples to meet every block.
            for extent in [Extent::Everything, Extent::Sample(2_000)] {
                let failure = match client.audit(extent, &mut |_| ()) {
                    Err(ClientError::Audit(failure)) => failure,
                    other => panic!("{lost} {blocks:?} {extent:?}: {other:?}"),
                };
                assert_eq!(failure.damaged, expected, "{lost} {extent:?}");
                match lost {
                    "silently" => assert_eq!(failure.reason, tags(AuditError::EquationFails)),
                    _ => assert_eq!(failure.reason, AuditFault::StoreFailed("bad".into())),
                }
            }
        }
    }
}
