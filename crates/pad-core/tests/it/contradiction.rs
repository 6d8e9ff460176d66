//! Evidence of a fork across versions. Every fork that a client can see gives evidence, and an
//! honest author can never be accused.

use pad_core::{
    Authority, Contradiction, DecodeError, DictionaryId, Equivocation, ForkEvidence, Past,
    SchemeId, SignedHead, TrustedView, Untrusted, Verified, VerifyError,
    codec::{self, Message, decode, encode},
    internals::{Forked, Refused, Testimony},
};

use crate::support::{Chain, S, author, authority, digest, other_signer, signed, signer, version};

/// The number of versions of each fork. Paths of all shapes occur.
const VERSIONS: u64 = 11;

fn verify(evidence: Contradiction<S>) -> Result<Forked, VerifyError> {
    let verified = Untrusted::new(evidence).verify(&authority(), &());
    verified.map(Verified::into_inner)
}

/// The error of a view that is offered no contradiction.
const CONSISTENT: Result<ForkEvidence<S>, VerifyError> = Err(VerifyError::NoContradiction);

fn forked(number: u64) -> Forked {
    let version = version(number);
    Forked { version }
}

/// The proofs about an older version that a server can make.
fn pasts(chain: &Chain, about: u64, head: u64) -> [Past<S>; 2] {
    [
        Past::Root(chain.inclusion(about, head)),
        Past::History(chain.prefix(about, head)),
    ]
}

fn testimony(chain: &Chain, head: u64, past: Past<S>) -> Testimony<S> {
    let head = chain.signed(head);
    Testimony { head, past }
}

fn root(chain: &Chain, about: u64, head: u64) -> Testimony<S> {
    testimony(chain, head, Past::Root(chain.inclusion(about, head)))
}

fn history(chain: &Chain, about: u64, head: u64) -> Testimony<S> {
    testimony(chain, head, Past::History(chain.prefix(about, head)))
}

fn own(chain: &Chain, head: u64) -> Testimony<S> {
    testimony(chain, head, Past::Own)
}

/// Every testimony about one version under the heads of one dictionary.
fn testimonies(chain: &Chain, about: u64) -> Vec<Testimony<S>> {
    let newer = about + 1..=VERSIONS;
    let past = newer.flat_map(|newer| [root(chain, about, newer), history(chain, about, newer)]);
    past.chain([own(chain, about)]).collect()
}

fn contradiction(
    about: u64,
    first: &Testimony<S>,
    second: &Testimony<S>,
) -> Result<Forked, VerifyError> {
    verify(Contradiction {
        version: version(about),
        first: first.clone(),
        second: second.clone(),
    })
}

/// Forks at each version: with different roots from that version on, and with only one different
/// root.
fn forks() -> Vec<(u64, Chain, Chain)> {
    let mine = Chain::new(VERSIONS);
    let mut forks = Vec::new();
    for at in 1..=VERSIONS {
        let common = Chain::new(at - 1);
        forks.push((at, mine.clone(), common.continued(100, VERSIONS)));
        let mut theirs = common;
        theirs.push(digest::<S>(99));
        (at + 1..=VERSIONS).for_each(|number| theirs.push(digest::<S>(number)));
        forks.push((at, mine.clone(), theirs));
    }
    forks
}

/// A client that has seen one head must obtain evidence if it is offered another head that does not
/// continue it. It asks the server of the newer head, which knows only its own fork, for proofs.
#[test]
fn whatever_a_client_can_see_is_evidence() {
    for (at, mine, theirs) in forks() {
        for older in at..=VERSIONS {
            for newer in older..=VERSIONS {
                accuse_both_ways(&mine, older, &theirs, newer);
            }
        }
    }
}

fn accuse_both_ways(mine: &Chain, older: u64, theirs: &Chain, newer: u64) {
    let differ = mine.signed(older).head != theirs.signed(older).head;
    assert!(differ, "a fork stays one: {older}");
    let pasts = if older == newer {
        vec![Past::Own]
    } else {
        pasts(theirs, older, newer).to_vec()
    };
    for (seen, offered) in [
        (mine.signed(older), theirs.signed(newer)),
        (theirs.signed(newer), mine.signed(older)),
    ] {
        let mut view = TrustedView::new(authority());
        view.advance(Untrusted::new(seen), None).unwrap();
        let mut made = 0;
        for past in &pasts {
            match view.accuse(Untrusted::new(offered), past.clone()) {
                Ok(evidence) => {
                    assert_transferable(&evidence, older);
                    made += 1;
                }
                Err(error) => assert_eq!(error, VerifyError::NoContradiction),
            }
        }
        assert!(made > 0, "{older} under {newer}");
        let proof = theirs.continues(older, newer);
        let before = view;
        let refused = view.advance(Untrusted::new(offered), proof).unwrap_err();
        assert_eq!(view, before);
        if let Some(evidence) = refused.evidence {
            assert_eq!(refused.error, VerifyError::Fork(version(older)));
            assert_transferable(&evidence, older);
        } else {
            assert_ne!(refused.error, VerifyError::Fork(version(older)));
        }
    }
}

/// Asserts that the encoded evidence verifies with only the author's key.
fn assert_transferable(evidence: &ForkEvidence<S>, about: u64) {
    let bytes = evidence.encode();
    let received = ForkEvidence::<S>::decode(&bytes, 4096).unwrap();
    assert_eq!(received.as_unverified(), evidence);
    let verified = received.verify(&authority(), &()).unwrap();
    assert_eq!(verified.into_inner(), forked(about));
}

/// The failing consistency proof of a genuine fork contains the evidence, unless the forks disagree
/// on the digest that the proof omits.
#[test]
fn a_failing_consistency_proof_is_evidence_by_itself() {
    let mine = Chain::new(8);
    let theirs = Chain::new(2).continued(100, 12);
    for seen in [4, 6, 7, 8, 5, 3] {
        let has_evidence = ![5, 3].contains(&seen);
        let mut view = TrustedView::new(authority());
        view.advance(mine.head(seen), None).unwrap();
        let refused = view.advance(theirs.head(12), theirs.continues(seen, 12));
        let Refused { error, evidence } = refused.unwrap_err();
        assert_eq!(evidence.is_some(), has_evidence, "{seen}");
        if let Some(evidence) = evidence {
            assert_eq!(error, VerifyError::Fork(version(seen)));
            assert_transferable(&evidence, seen);
        } else {
            assert_eq!(error, VerifyError::HistoryMismatch);
        }
    }
}

/// Two clients with different verified roots of one version have evidence without any server.
#[test]
fn contradicting_roots_are_evidence_by_themselves() {
    for (at, mine, theirs) in forks() {
        for about in 1..=VERSIONS {
            let differ = mine.signed(about).head.root != theirs.signed(about).head.root;
            for first in (about..=VERSIONS).filter(|head| *head >= at) {
                for second in (about..=VERSIONS).filter(|head| *head >= at) {
                    let of = |chain: &Chain, head| {
                        if head == about {
                            own(chain, head)
                        } else {
                            root(chain, about, head)
                        }
                    };
                    let result = contradiction(about, &of(&mine, first), &of(&theirs, second));
                    let both_own = first == about && second == about;
                    let expected = if differ || both_own {
                        Ok(forked(about))
                    } else {
                        Err(VerifyError::NoContradiction)
                    };
                    assert_eq!(result, expected, "{about} under {first} and {second}");
                }
            }
        }
    }
}

/// Checks every pair of testimonies of one honest author, also with proofs made for other
/// positions.
#[test]
fn an_honest_author_is_never_accused() {
    let chain = Chain::new(VERSIONS);
    for about in 1..=VERSIONS {
        let honest = testimonies(&chain, about);
        for first in &honest {
            for second in &honest {
                let verdict = contradiction(about, first, second);
                assert_eq!(verdict, Err(VerifyError::NoContradiction));
            }
        }
        let mut misplaced = Vec::new();
        for head in 1..=VERSIONS {
            for newer in 2..=VERSIONS {
                for older in 1..newer {
                    for past in [root(&chain, older, newer), history(&chain, older, newer)] {
                        let head = chain.signed(head);
                        misplaced.push(Testimony { head, ..past });
                    }
                }
            }
        }
        for testimony in &misplaced {
            assert!(contradiction(about, &own(&chain, about), testimony).is_err());
            assert!(contradiction(about, testimony, &honest[0]).is_err());
        }
    }
}

/// Checks an honest author with equal contents in many versions, so that digests repeat in its
/// history.
#[test]
fn an_honest_author_that_repeats_itself_is_never_accused() {
    let mut chain = Chain::default();
    (1..=VERSIONS).for_each(|number| chain.push(digest::<S>(number % 2)));
    for about in 1..=VERSIONS {
        for claimed in 1..=VERSIONS {
            for first in testimonies(&chain, about) {
                for second in testimonies(&chain, claimed) {
                    assert!(contradiction(about, &first, &second).is_err());
                }
            }
        }
    }
}

#[test]
fn what_the_heads_agree_on_is_no_contradiction() {
    let chain = Chain::new(9);
    let mut view = TrustedView::new(authority());
    assert_eq!(view.accuse(chain.head(4), Past::Own), CONSISTENT);
    view.advance(chain.head(5), None).unwrap();
    for (offered, older, newer) in [(8, 5, 8), (3, 3, 5)] {
        for past in pasts(&chain, older, newer) {
            assert_eq!(view.accuse(chain.head(offered), past), CONSISTENT);
        }
        // A head's own root and history are statements only about its own version.
        let (expected, actual) = (version(older), version(newer));
        let refused = view.accuse(chain.head(offered), Past::Own);
        assert_eq!(refused, Err(VerifyError::WrongVersion { expected, actual }));
    }
    assert_eq!(view.accuse(chain.head(5), Past::Own), CONSISTENT);
    let (expected, actual) = (version(5), version(5));
    let refused = view.accuse(chain.head(5), Past::Root(chain.inclusion(5, 6)));
    assert_eq!(refused, Err(VerifyError::WrongVersion { expected, actual }));
    // A root and a history cannot contradict each other.
    let (first, second) = (root(&chain, 5, 8), history(&chain, 5, 9));
    let verdict = contradiction(5, &first, &second);
    assert_eq!(verdict, Err(VerifyError::NoContradiction));
}

fn genuine() -> Vec<Contradiction<S>> {
    let mine = Chain::new(VERSIONS);
    let theirs = Chain::new(2).continued(100, VERSIONS);
    let seven = version(7);
    let evidence = |first, second| Contradiction {
        version: seven,
        first,
        second,
    };
    vec![
        evidence(own(&mine, 7), root(&theirs, 7, 11)),
        evidence(history(&theirs, 7, 11), own(&mine, 7)),
        evidence(root(&mine, 7, 9), root(&theirs, 7, 10)),
        evidence(history(&mine, 7, 9), history(&theirs, 7, 10)),
        evidence(own(&mine, 7), own(&theirs, 7)),
    ]
}

#[test]
fn every_changed_bit_and_every_missing_byte_is_refused() {
    for evidence in genuine() {
        assert_eq!(verify(evidence.clone()), Ok(forked(7)));
        let bytes = encode(&evidence);
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            if let Ok(decoded) = decode::<Contradiction<S>>(&damaged, 4096) {
                assert!(verify(decoded).is_err(), "bit {bit}");
            }
        }
        for length in 0..bytes.len() {
            assert!(decode::<Contradiction<S>>(&bytes[..length], 4096).is_err());
        }
        let longer = [&bytes[..], &[0]].concat();
        let refused = decode::<Contradiction<S>>(&longer, 4096);
        assert_eq!(refused, Err(DecodeError::TrailingBytes));
    }
}

/// Evidence must be refused if its parts are exchanged for those of other genuine evidence or of
/// honest heads.
#[test]
fn spliced_evidence_is_refused() {
    let all = genuine();
    let mine = Chain::new(VERSIONS);
    for (i, one) in all.iter().enumerate() {
        for (j, other) in all.iter().enumerate() {
            // A proof under another head does not verify; under the same head it is the same
            // proof.
            let spliced = Contradiction {
                second: Testimony {
                    head: one.second.head,
                    past: other.second.past.clone(),
                },
                ..one.clone()
            };
            let same_kind = spliced == *one;
            assert_eq!(verify(spliced).is_ok(), same_kind, "{i} {j}");
        }
        for number in 1..=VERSIONS {
            let about = Contradiction {
                version: version(number),
                ..one.clone()
            };
            assert_eq!(verify(about).is_ok(), number == 7);
            for testimony in [&one.first, &one.second] {
                let mut replaced = one.clone();
                replaced.first = testimony.clone();
                replaced.second = self::testimony(&mine, number, testimony.past.clone());
                let honest_other = verify(replaced);
                // The honest head of version 7, with its own root and history, does contradict
                // the other fork.
                let genuine =
                    number == 7 && testimony.past == Past::Own && testimony.head != mine.signed(7);
                assert_eq!(honest_other.is_ok(), genuine, "{i} {number}");
            }
        }
    }
}

#[test]
fn nobody_but_the_author_makes_evidence() {
    for evidence in genuine() {
        for first in [true, false] {
            let change = |change: &dyn Fn(SignedHead<S>) -> SignedHead<S>| {
                let mut changed = evidence.clone();
                let testimony = if first {
                    &mut changed.first
                } else {
                    &mut changed.second
                };
                testimony.head = change(testimony.head);
                verify(changed)
            };
            let by_another = change(&|signed| signed.head.sign(&other_signer()).unwrap());
            assert_eq!(by_another, Err(VerifyError::SignatureInvalid));
            let elsewhere = change(&|SignedHead { mut head, .. }| {
                head.dictionary = DictionaryId::from_bytes([9; 16]);
                head.sign(&signer()).unwrap()
            });
            assert_eq!(elsewhere, Err(VerifyError::WrongDictionary));
            let scheme = change(&|SignedHead { mut head, .. }| {
                head.scheme = SchemeId(9);
                head.sign(&signer()).unwrap()
            });
            let (expected, actual) = (authority().scheme.0, 9);
            assert_eq!(scheme, Err(VerifyError::WrongScheme { expected, actual }));
        }
        let other = Authority {
            author: author(&other_signer()),
            ..authority()
        };
        let refused = Untrusted::new(evidence).verify(&other, &());
        assert_eq!(refused, Err(VerifyError::SignatureInvalid));
    }
}

/// Evidence of honest heads with invented proofs must be refused. Without the author's key, a
/// server can choose any digests in the proofs.
#[test]
fn invented_pasts_are_refused() {
    let chain = Chain::new(VERSIONS);
    let mut view = TrustedView::new(authority());
    view.advance(chain.head(6), None).unwrap();
    for length in 0..8 {
        let path: Vec<_> = (0..length).map(digest::<S>).collect();
        let path = codec::encode_body(&path);
        let inclusion = [codec::encode_body(&digest::<S>(77)), path.clone()].concat();
        for past in [
            Past::Root(codec::decode_body(&inclusion).unwrap()),
            Past::History(codec::decode_body(&path).unwrap()),
        ] {
            let refused = view.accuse(chain.head(11), past).unwrap_err();
            let expected = [
                VerifyError::MalformedHistoryProof,
                VerifyError::HistoryMismatch,
            ];
            assert!(expected.contains(&refused), "{length}: {refused}");
        }
    }
}

/// A signed version 1 with a history contradicts every log, because no version precedes it.
#[test]
fn a_first_version_with_a_past_is_evidence() {
    let chain = Chain::new(3);
    let strange = Untrusted::new(signed(1, 1, 5));
    let mut view = TrustedView::new(authority());
    view.advance(strange, None).unwrap();
    let evidence = view.accuse(chain.head(3), Past::History(chain.prefix(1, 3)));
    assert_transferable(&evidence.unwrap(), 1);
}

/// A store that invents a seen head must not make the client accuse the author.
#[test]
fn a_damaged_view_accuses_nobody() {
    let chain = Chain::new(6);
    let mut invented = chain.signed(3);
    invented.head.root = digest::<S>(77);
    let stored = codec::encode_body(&(authority(), Some(invented)));
    let view: TrustedView<S> = codec::decode_body(&stored).unwrap();
    for past in pasts(&chain, 3, 6) {
        let refused = view.accuse(chain.head(6), past);
        assert_eq!(refused, Err(VerifyError::SignatureInvalid));
    }
}

#[test]
fn evidence_is_read_by_its_kind() {
    let fork = Equivocation {
        first: Chain::new(4).signed(4),
        second: Chain::new(3).continued(100, 4).signed(4),
    };
    assert_transferable(&ForkEvidence::SameVersion(fork), 4);
    let contradiction = genuine().remove(0);
    let bytes = encode(&contradiction);
    assert_transferable(&ForkEvidence::AcrossVersions(contradiction), 7);
    let limit = bytes.len() - 1;
    let refused = ForkEvidence::<S>::decode(&bytes, limit);
    assert_eq!(refused, Err(DecodeError::TooLarge { limit }));
    let head = encode(&Chain::new(1).signed(1));
    let (expected, actual) = (Contradiction::<S>::KIND, SignedHead::<S>::KIND);
    let refused = ForkEvidence::<S>::decode(&head, 4096);
    assert_eq!(refused, Err(DecodeError::WrongKind { expected, actual }));
}
