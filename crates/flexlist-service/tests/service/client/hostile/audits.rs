//! Servers that lie about the blocks that they have.

use super::*;

/// Returns the fault that a client reports for a proof by tags that fails with `error`.
fn tags(error: AuditError) -> AuditFault {
    AuditFault::Answer(audit::AuditFailure::Tags(error))
}

/// Returns the error of the proof by tags for which an audit failed.
#[track_caller]
fn tag_error(failure: AuditFailure) -> AuditError {
    match failure.reason {
        AuditFault::Answer(audit::AuditFailure::Tags(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Audits 20 samples while `tamper` changes each answer. Returns the failure.
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
    audit_failure(run_audit(&mut client, Extent::Sample(20)))
}

#[test]
fn lies_about_what_is_there() {
    let kind = TagKind::PrivateMac;
    // If every answer is wrong, all requested blocks count as lost.
    let flipped = lied_audit(kind, |_, _, proof| proof.0[0] ^= 1);
    assert_eq!(flipped.reason, tags(AuditError::EquationFails));
    assert!(!flipped.damaged.is_empty());

    let shortened = lied_audit(kind, |_, _, proof| shorten(&mut proof.0));
    assert_eq!(shortened.reason, tags(AuditError::MalformedTagProof));
    let truncated = lied_audit(kind, |proof, _, _| shorten(&mut proof.0));
    let no_list = audit::AuditFailure::List(ProofError::Truncated);
    assert_eq!(truncated.reason, AuditFault::Answer(no_list));
    let lost = lied_audit(kind, |_, committed, _| drop(committed.pop()));
    assert!(matches!(
        tag_error(lost),
        AuditError::TagCountMismatch { expected, actual } if actual + 1 == expected
    ));
    let doubled = lied_audit(kind, |_, committed, _| committed.push(committed[0].clone()));
    assert!(matches!(
        tag_error(doubled),
        AuditError::TagCountMismatch { expected, actual } if actual == expected + 1
    ));
    let changes: [fn(&mut Vec<Bytes>); 2] = [
        |committed| committed[0].0[0] ^= 1,
        |committed| committed.reverse(),
    ];
    for change in changes {
        let error = tag_error(lied_audit(kind, move |_, committed, _| change(committed)));
        assert!(matches!(error, AuditError::TagDigestMismatch { .. }));
    }
    let hash_only = lied_audit(TagKind::HashOnly, |_, _, proof| proof.0[0] ^= 1);
    let error = tag_error(hash_only);
    assert!(matches!(error, AuditError::BlockMismatch { .. }));
}

/// Repeats the answer to the first challenge for every later one.
fn repeat_first_audit(wire: &Wire) {
    let mut first = None;
    wire.answer(is_audit, move |request, server| {
        first
            .get_or_insert_with(|| server.exchange(request))
            .clone()
    });
}

#[test]
fn answers_to_other_challenges() {
    let (world, mut client) = uploaded(6_400);
    repeat_first_audit(&world.wire);
    run_audit(&mut client, Extent::Sample(40)).unwrap();
    let failure = audit_failure(run_audit(&mut client, Extent::Sample(40)));
    assert!(matches!(
        failure.reason,
        AuditFault::Answer(audit::AuditFailure::List(
            ProofError::Elided | ProofError::SurplusNode
        ))
    ));

    // Challenges of the same blocks with other coefficients: only the seed differs.
    repeat_first_audit(&world.wire);
    run_audit(&mut client, Extent::Everything).unwrap();
    let expected = AuditFailure {
        version: 1,
        asked: AuditSubject::Range(0..6_400),
        damaged: core::iter::once(0..6_400).collect(),
        search: SearchEnd::Complete,
        reason: tags(AuditError::EquationFails),
    };
    assert_eq!(full_audit(&mut client), expected);

    world.wire.refuse(is_audit, Refusal::Unavailable);
    // The result is not a verdict on the file.
    let unanswered = ClientError::Unanswered(UnansweredAudit {
        version: 1,
        asked: AuditSubject::Range(0..6_400),
        reason: Silence::Refused(Refusal::Unavailable),
    });
    assert_fails(run_audit(&mut client, Extent::Everything), &unanswered);
}

/// Returns whether a challenge asks for a byte of the block `64 * number..64 * (number + 1)`.
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
    // A silent loss makes the aggregate wrong. A noisy loss gets no answer.
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
            let (world, mut client) = uploaded(6_400);
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
            for extent in [Extent::Everything, Extent::Sample(2_000)] {
                let failure = audit_failure(run_audit(&mut client, extent));
                if extent == Extent::Everything {
                    assert_eq!(failure.damaged, expected, "{lost}");
                }
                // A sample hits most blocks, and reports no other block.
                assert!(!failure.damaged.is_empty(), "{lost} {extent:?}");
                for named in &failure.damaged {
                    let lost_whole =
                        |whole: &Range<u64>| whole.start <= named.start && named.end <= whole.end;
                    assert!(expected.iter().any(lost_whole), "{lost} {named:?}");
                }
                match lost {
                    "silently" => assert_eq!(failure.reason, tags(AuditError::EquationFails)),
                    _ => assert_eq!(
                        failure.reason,
                        AuditFault::Refused(Refusal::StoreFailed("bad".into()))
                    ),
                }
            }
        }
    }
}

/// Audits the whole file, which must fail. Returns the failure.
#[track_caller]
fn full_audit(client: &mut Client) -> AuditFailure {
    audit_failure(run_audit(client, Extent::Everything))
}

#[test]
fn a_proven_fault_is_not_forgotten_when_the_server_falls_silent() {
    // Falls silent at the next request or a later one, by transport error or refusal.
    for (answers, refusal) in [
        (1, None),
        (1, Some(Refusal::Unavailable)),
        (6, None),
        (6, Some(Refusal::Unavailable)),
        (6, Some(Refusal::UnknownFile)),
    ] {
        for extent in [Extent::Everything, Extent::Sample(50)] {
            let (world, mut client) = uploaded(6_400);
            let mut asked = 0;
            let refusal = refusal.clone();
            world.wire.meddle(move |request, server| {
                asked += 1;
                if asked <= answers {
                    let mut response = server.exchange(request)?;
                    if let Response::Audited { tag_proof, .. } = &mut response {
                        tag_proof.0[3] ^= 1;
                    }
                    return Ok(response);
                }
                match &refusal {
                    Some(refusal) => Ok(Response::Refused(refusal.clone())),
                    None => Err(TransportError::Status(500)),
                }
            });
            let failure = audit_failure(run_audit(&mut client, extent));
            assert_eq!(failure.reason, tags(AuditError::EquationFails));
            assert_eq!(failure.search, SearchEnd::GivenUp);
            if extent == Extent::Everything {
                assert_eq!(failure.damaged.last().unwrap().end, 6_400);
            } else {
                assert!(!failure.damaged.is_empty());
            }
        }
    }
}

#[test]
fn a_fault_in_one_part_is_not_forgotten_when_a_later_part_gets_no_answer() {
    let (world, mut client) = uploaded(6_400);
    let state = client.version().unwrap();
    world.wire.meddle(move |request, server| {
        let Request::Audit { challenge, .. } = request else {
            return server.exchange(request);
        };
        let Challenge::Every { start, end, .. } = challenge else {
            panic!("{challenge:?}");
        };
        if end - start > 256 {
            return Ok(Response::Refused(Refusal::TooLarge("a test".into())));
        }
        if *end > 3_200 {
            return Err(TransportError::Status(500));
        }
        if asks_for(challenge, &state, 7) {
            return Ok(Response::Refused(Refusal::StoreFailed("bad".into())));
        }
        server.exchange(request)
    });
    let failure = full_audit(&mut client);
    assert_eq!(
        failure.reason,
        AuditFault::Refused(Refusal::StoreFailed("bad".into()))
    );
    assert_eq!(failure.search, SearchEnd::GivenUp);
    let [first, rest] = failure.damaged.as_slice() else {
        panic!("{failure:?}");
    };
    assert_eq!(*first, 7 * 64..8 * 64);
    assert!(rest.start <= 3_200 && rest.start > 2_000 && rest.end == 6_400);
}

#[test]
fn a_block_that_the_server_calls_too_large_is_its_fault() {
    for kind in [TagKind::PrivateMac, TagKind::HashOnly] {
        let world = World::new(kind);
        let mut client = world.uploaded(&contents(640));
        let is_asked = |request: &Request| is_audit(request) || is_read(request);
        let refusal = Refusal::TooLarge("a test".into());
        world.wire.refuse(is_asked, refusal.clone());
        let failure = full_audit(&mut client);
        assert_eq!(failure.reason, AuditFault::Refused(refusal));
        assert_eq!(failure.damaged, vec![0..640]);
        for count in [1, 50] {
            let failure = audit_failure(run_audit(&mut client, Extent::Sample(count)));
            assert!(matches!(
                failure.reason,
                AuditFault::Refused(Refusal::TooLarge(_))
            ));
            assert!(!failure.damaged.is_empty(), "{count}");
        }
    }
}

/// If a server answers a challenge with one of these refusals, the audit must fail.
#[test]
fn whoever_refuses_to_answer_a_challenge_has_failed_the_audit() {
    let words = || String::from("a test");
    for refusal in [
        Refusal::UnknownFile,
        unknown_version(1, 0),
        unknown_version(1, u64::MAX),
        Refusal::UploadUnfinished { next_part: 1 },
        Refusal::UploadFinished,
        Refusal::PartOutOfOrder { expected: 1 },
        Refusal::WrongOwner,
        Refusal::WrongFileId,
        stale_base(1, 9),
        Refusal::RootMismatch,
        Refusal::Invalid(words()),
        Refusal::TooLarge(words()),
        Refusal::TagsInvalid,
        Refusal::StoreFailed(words()),
    ] {
        let world = World::new(TagKind::PrivateMac);
        let mut client = world.uploaded(&contents(soak::size(1_600, 6_400)));
        world.wire.refuse(is_audit, refusal.clone());
        for extent in [Extent::Everything, Extent::Sample(50)] {
            let error = run_audit(&mut client, extent).unwrap_err();
            assert_eq!(error.blame(), Blame::Server, "{refusal:?}");
            let words = error.to_string();
            match error {
                ClientError::Audit(AuditFailure {
                    version: 1,
                    asked,
                    damaged,
                    reason: AuditFault::Refused(found),
                    ..
                }) => {
                    assert_eq!(found, refusal);
                    // The message names the first challenge, and the range without an answer.
                    match &asked {
                        AuditSubject::Range(range) => assert_eq!(range.start, 0),
                        AuditSubject::Samples(bytes) => {
                            assert!(bytes.is_sorted() && bytes.len() <= 50);
                            let inside = |byte| damaged.iter().any(|range| range.contains(byte));
                            assert!(bytes.iter().all(inside));
                        }
                        AuditSubject::Version => panic!("{asked:?}"),
                    }
                    assert!(words.contains("version 1"), "{words}");
                    assert!(words.contains(&asked.to_string()), "{words}");
                    let first = format!("bytes {}..", damaged[0].start);
                    assert!(words.contains(&first), "{words}");
                }
                other => panic!("{refusal:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_sample_that_is_too_much_at_once_is_asked_for_byte_by_byte_and_not_drawn_again() {
    for kind in [TagKind::PrivateMac, TagKind::HashOnly] {
        let world = World::new(kind);
        let mut client = world.uploaded(&contents(6_400));
        let state = client.version().unwrap();
        // The sampled indices, and those requested afterwards.
        let asked: Arc<Mutex<[Vec<u64>; 2]>> = Arc::default();
        let notes = Arc::clone(&asked);
        world.wire.meddle(move |request, server| {
            let mut notes = notes.lock().unwrap();
            match request {
                Request::Audit { challenge, .. } => {
                    match challenge.questions(&Context::from(&state)).unwrap() {
                        Questions::Samples(samples) => {
                            notes[0].extend(samples.iter().map(|sample| sample.index));
                            return Ok(Response::Refused(Refusal::TooLarge("a test".into())));
                        }
                        Questions::Blocks(blocks) => notes[1].push(blocks.range().start),
                    }
                }
                Request::Read { start, end, .. } => {
                    assert_eq!(start + 1, *end);
                    notes[1].push(*start);
                }
                _ => {}
            }
            server.exchange(request)
        });
        let report = run_audit(&mut client, Extent::Sample(40)).unwrap();
        assert_eq!(report.bytes, 40);
        let [drawn, answered] = asked.lock().unwrap().clone();
        assert_eq!(drawn.len(), 40);
        // One byte of each sampled block is requested.
        let mut blocks: Vec<u64> = drawn.iter().map(|byte| byte / 64).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let answered: Vec<u64> = answered.iter().map(|byte| byte / 64).collect();
        assert_eq!(answered, blocks);
    }
}

#[test]
fn an_empty_file_is_asked_for_all_the_same() {
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.uploaded(b"");
    let report = run_audit(&mut client, Extent::Sample(5)).unwrap();
    assert_eq!((report.bytes, report.blocks, report.questions), (0, 0, 1));
    let mut audit = |response: Result<Response, TransportError>| {
        world.wire.meddle(move |_, _| response.clone());
        run_audit(&mut client, Extent::Everything).unwrap_err()
    };
    let silence = ClientError::Unanswered(UnansweredAudit {
        version: 1,
        asked: AuditSubject::Version,
        reason: Silence::Transport(TransportError::Status(500)),
    });
    assert_shown(&audit(lost()), &silence);
    let lost = audit(Ok(Response::Refused(Refusal::UnknownFile)));
    assert!(matches!(
        lost,
        ClientError::Audit(AuditFailure {
            asked: AuditSubject::Version,
            reason: AuditFault::Refused(Refusal::UnknownFile),
            ..
        })
    ));
    let elsewhere = FileStatus {
        version: 1,
        root: pad_core::Digest([1; 32]),
        total: 0,
        blocks: 0,
        next_part: 0,
    };
    let forked = audit(Ok(Response::State(elsewhere)));
    assert!(matches!(
        forked,
        ClientError::Audit(AuditFailure {
            reason: AuditFault::State(found),
            ..
        }) if *found == elsewhere
    ));
}

#[test]
fn a_full_audit_ends_soon_whatever_the_server_says() {
    let (world, mut client) = uploaded(100_000);
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    world.wire.meddle(move |request, server| {
        let Request::Audit {
            challenge: Challenge::Every { start, end, .. },
            ..
        } = request
        else {
            return server.exchange(request);
        };
        *count.lock().unwrap() += 1;
        // Every request is too large down to a single byte, and every byte is lost.
        let refusal = match end - start {
            1 => Refusal::StoreFailed("bad".into()),
            _ => Refusal::TooLarge("a test".into()),
        };
        Ok(Response::Refused(refusal))
    });
    let failure = full_audit(&mut client);
    assert_eq!(failure.damaged, vec![0..100_000]);
    assert_eq!(failure.search, SearchEnd::GivenUp);
    let asked = *asked.lock().unwrap();
    assert!(asked < 12_000, "{asked} questions");
}

#[test]
fn a_server_that_takes_its_time_does_not_keep_the_verdict_back() {
    let world = World::new(TagKind::PrivateMac);
    drop(world.uploaded(&contents(6_400)));
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    world.wire.tamper(move |_, response| {
        if let Response::Audited { tag_proof, .. } = response {
            *count.lock().unwrap() += 1;
            tag_proof.0[3] ^= 1;
        }
    });
    let mut client = world.open().with_options(ClientOptions {
        search_time: Duration::ZERO,
        ..small()
    });
    for extent in [Extent::Everything, Extent::Sample(50)] {
        *asked.lock().unwrap() = 0;
        let failure = audit_failure(run_audit(&mut client, extent));
        assert_eq!(failure.reason, tags(AuditError::EquationFails));
        assert_eq!(failure.search, SearchEnd::GivenUp);
        assert!(!failure.damaged.is_empty());
        // The failed request, and one more if the clock has not advanced.
        assert!(*asked.lock().unwrap() <= 2, "{extent:?}");
    }
}

#[test]
fn a_full_audit_covers_every_byte_of_a_block_whose_tag_is_a_hash() {
    let world = World::new(TagKind::HashOnly);
    let chunker = Chunker::fixed(1024).unwrap();
    let file = contents(10_000);
    let mut client = world.create_with(chunker);
    upload(&mut client, &file).unwrap();
    let report = run_audit(&mut client, Extent::Everything).unwrap();
    assert_eq!(report.bytes, 10_000);
    assert!(report.blocks >= 10);
    // One chunk of the fourth block is lost. A challenge of another chunk does not detect it.
    world.wire.tamper(|request, response| {
        if let (Request::Read { start, .. }, Response::Read { blocks, .. }) = (request, response) {
            let first = usize::try_from(start / 1024).unwrap();
            if let Some(block) = 3_usize.checked_sub(first).and_then(|at| blocks.get_mut(at)) {
                block.data.0[700] ^= 1;
            }
        }
    });
    run_audit(&mut client, Extent::Sample(50)).unwrap();
    let failure = full_audit(&mut client);
    assert_eq!(failure.damaged, vec![3 * 1024..4 * 1024]);
    assert_eq!(failure.search, SearchEnd::Complete);
    let mismatch = tags(AuditError::BlockMismatch { start: 3 * 1024 });
    assert_eq!(failure.reason, mismatch);
}
