//! A client's view only moves forward, and stays on one branch. A refused head leaves the view
//! unchanged.
#![allow(clippy::result_large_err, reason = "refusals carry their evidence")]

use pad_core::{
    Authority, ConsistencyProof, SignedHead, TrustedView, Untrusted, VerifyError, codec,
    internals::{Forked, PastRoot, Refused},
};
use proptest::prelude::*;

use crate::support::{Chain, S, author, authority, digest, other_signer, signed, signer, version};

fn view_at(chain: &Chain, number: u64) -> TrustedView<S> {
    let mut view = TrustedView::new(authority());
    view.advance(chain.head(number), None).unwrap();
    view
}

/// Offers a head. Asserts that a refusal leaves the view unchanged.
fn offer(
    view: &mut TrustedView<S>,
    head: Untrusted<SignedHead<S>>,
    consistency: Option<Untrusted<ConsistencyProof<S>>>,
) -> Result<(), Refused<S>> {
    let (before, offered) = (*view, *head.as_unverified());
    match view.advance(head, consistency) {
        Ok(verified) => {
            assert_eq!(*verified.get(), offered.head);
            assert_eq!(view.newest().unwrap(), verified);
            Ok(())
        }
        Err(refused) => {
            assert_eq!(*view, before, "unchanged by a refusal");
            Err(refused)
        }
    }
}

fn refused(error: VerifyError) -> Result<(), Refused<S>> {
    Err(Refused {
        error,
        evidence: None,
    })
}

#[test]
fn an_empty_view_knows_the_empty_dictionary() {
    let chain = Chain::new(3);
    let view = TrustedView::<S>::new(authority());
    assert_eq!(view.authority(), &authority());
    assert_eq!(view.version(), version(0));
    assert_eq!(view.newest(), Ok(chain.verified(0)));
}

#[test]
fn a_view_moves_forward_with_proof() {
    let chain = Chain::new(20);
    for first in 1..=20 {
        for second in first..=20 {
            let mut view = view_at(&chain, first);
            if second > first {
                let proof = chain.continues(first, second);
                assert_eq!(offer(&mut view, chain.head(second), proof), Ok(()));
            }
            assert_eq!(view.version(), version(second));
            // The head already seen is accepted, with or without a proof.
            assert_eq!(offer(&mut view, chain.head(second), None), Ok(()));
            let proof = chain.continues(first, 20);
            assert_eq!(offer(&mut view, chain.head(second), proof), Ok(()));
        }
    }
}

#[test]
fn an_older_head_is_a_rollback() {
    let chain = Chain::new(6);
    let mut view = view_at(&chain, 5);
    for number in 1..5 {
        let (seen, offered) = (version(5), version(number));
        let rollback = VerifyError::Rollback { seen, offered };
        for proof in [None, chain.continues(number, 5)] {
            let verdict = offer(&mut view, chain.head(number), proof);
            assert_eq!(verdict, refused(rollback));
        }
    }
}

#[test]
fn another_head_of_the_same_version_is_a_fork_with_evidence() {
    let common = Chain::new(3);
    let (mine, theirs) = (common.continued(100, 6), common.continued(200, 6));
    for number in 4..=6 {
        for proof in [None, theirs.continues(3, number)] {
            let mut view = view_at(&mine, number);
            let Refused { error, evidence } =
                offer(&mut view, theirs.head(number), proof).unwrap_err();
            assert_eq!(error, VerifyError::Fork(version(number)));
            let evidence = Untrusted::new(evidence.unwrap());
            let forked = evidence.verify(&authority(), &()).unwrap().into_inner();
            let version = version(number);
            assert_eq!(forked, Forked { version });
        }
    }
}

#[test]
fn a_newer_head_needs_the_right_proof() {
    let common = Chain::new(3);
    let (mine, theirs) = (common.continued(100, 9), common.continued(200, 9));
    let mut view = view_at(&mine, 5);
    let malformed = VerifyError::MalformedHistoryProof;
    let mismatch = VerifyError::HistoryMismatch;
    for (offered, proof, error) in [
        (&mine, None, malformed),
        (&mine, mine.continues(0, 8), malformed),
        (&mine, mine.continues(4, 8), mismatch),
        (&mine, mine.continues(5, 9), mismatch),
        (&mine, theirs.continues(5, 8), mismatch),
        // The other branch's head is signed by the author, but does not continue the view's head.
        (&theirs, theirs.continues(5, 8), mismatch),
        (&theirs, mine.continues(5, 8), mismatch),
        (&theirs, None, malformed),
    ] {
        assert_eq!(offer(&mut view, offered.head(8), proof), refused(error));
    }
    assert_eq!(offer(&mut view, mine.head(8), mine.continues(5, 8)), Ok(()));
}

#[test]
fn a_proof_for_an_empty_view_is_checked_too() {
    let chain = Chain::new(5);
    let mut view = TrustedView::new(authority());
    let verdict = offer(&mut view, chain.head(5), chain.continues(3, 5));
    assert_eq!(verdict, refused(VerifyError::MalformedHistoryProof));
    let verdict = offer(&mut view, chain.head(5), chain.continues(0, 5));
    assert_eq!(verdict, Ok(()));
}

#[test]
fn a_head_that_the_author_did_not_sign_is_refused_at_any_age() {
    let chain = Chain::new(9);
    for number in [1, 5, 6] {
        let mut view = view_at(&chain, 5);
        let mut forged = chain.signed(number);
        forged.head.root = digest::<S>(77);
        let invalid = refused(VerifyError::SignatureInvalid);
        assert_eq!(offer(&mut view, Untrusted::new(forged), None), invalid);
        let by_another = chain.signed(number).head.sign(&other_signer()).unwrap();
        assert_eq!(offer(&mut view, Untrusted::new(by_another), None), invalid);
        let mut elsewhere = chain.signed(number).head;
        elsewhere.dictionary = pad_core::DictionaryId::from_bytes([9; 16]);
        let elsewhere = Untrusted::new(elsewhere.sign(&signer()).unwrap());
        let verdict = offer(&mut view, elsewhere, None);
        assert_eq!(verdict, refused(VerifyError::WrongDictionary));
    }
    for mut view in [TrustedView::new(authority()), view_at(&chain, 5)] {
        let verdict = offer(&mut view, Untrusted::new(signed(0, 1, 1)), None);
        assert_eq!(verdict, refused(VerifyError::EmptyVersionSigned));
    }
}

#[test]
fn exact_versions_and_past_roots_do_not_move_the_view() {
    let chain = Chain::new(9);
    let view = view_at(&chain, 6);
    for number in 1..=9 {
        let verified = view.snapshot(version(number), chain.head(number));
        assert_eq!(verified, Ok(chain.verified(number)));
        let (expected, actual) = (version(number), version(number % 9 + 1));
        let other = view.snapshot(expected, chain.head(actual.number()));
        assert_eq!(other, Err(VerifyError::WrongVersion { expected, actual }));
    }
    for number in 1..6 {
        let past = Untrusted::new(chain.inclusion(number, 6));
        let (version, root) = (version(number), digest::<S>(number));
        let past = past.verify(&view.newest().unwrap(), &version);
        assert_eq!(past.unwrap().into_inner(), PastRoot { version, root });
    }
}

/// Every flipped bit of a stored view is detected before the view is used.
#[test]
fn a_damaged_view_is_refused() {
    let chain = Chain::new(5);
    let stored = codec::encode(&view_at(&chain, 3));
    for bit in 0..8 * stored.len() {
        let mut damaged = stored.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let Ok(view) = codec::decode::<TrustedView<S>>(&damaged, 1024) else {
            continue;
        };
        assert!(view.newest().is_err(), "bit {bit}");
        for number in [1, 3, 4, 5] {
            let proof = chain.continues(3, number.max(4));
            let refused = offer(&mut { view }, chain.head(number), proof);
            // The head was genuinely seen. Only its stored signature is replaced.
            let expected = bit / 8 >= stored.len() - 64 && number == 3;
            assert_eq!(refused.is_ok(), expected, "bit {bit} {number}");
        }
    }
}

/// A store that invents a seen head must not make the client accuse the author.
#[test]
fn a_damaged_view_makes_no_evidence() {
    let chain = Chain::new(3);
    for number in [2, 3] {
        let mut invented = chain.signed(3);
        invented.head.root = digest::<S>(77);
        let stored = (authority(), Some(invented));
        let mut view: TrustedView<S> = codec::decode_body(&codec::encode_body(&stored)).unwrap();
        let invalid = refused(VerifyError::SignatureInvalid);
        assert_eq!(offer(&mut view, chain.head(number), None), invalid);
    }
    let other = Authority {
        author: author(&other_signer()),
        ..authority()
    };
    let stored = (other, Some(chain.signed(3)));
    let view: TrustedView<S> = codec::decode_body(&codec::encode_body(&stored)).unwrap();
    assert_eq!(view.newest(), Err(VerifyError::SignatureInvalid));
}

proptest! {
    /// For arbitrary offers, a view accepts the heads of one branch in ascending order.
    #[test]
    fn a_view_stays_on_one_branch(
        common in 1_u64..8,
        offers in prop::collection::vec((any::<bool>(), 1_u64..=12, any::<bool>()), 1..12),
    ) {
        let shared = Chain::new(common);
        let branches = [shared.continued(100, 12), shared.continued(200, 12)];
        let mut view = TrustedView::new(authority());
        let mut branch = None;
        for (right, number, honest) in offers {
            let (seen, index) = (view.version().number(), usize::from(right));
            let chain = &branches[index];
            let base = if honest { seen } else { number / 2 };
            let proof = chain.continues(base, number).filter(|_| seen > 0);
            let accepted = offer(&mut view, chain.head(number), proof).is_ok();
            let same_branch = number <= common || seen <= common || branch == Some(index);
            let expected = number == seen || number > seen && (seen == 0 || base == seen);
            prop_assert_eq!(accepted, same_branch && expected, "{} to {}", seen, number);
            if accepted && number > common {
                branch = Some(index);
            }
        }
    }
}
