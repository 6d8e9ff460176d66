//! Evidence of a fork: it needs two signatures, for one version of one dictionary.

use pad_core::{Authority, Equivocation, SignedHead, Untrusted, VerifyError, internals::Forked};

use crate::support::{Chain, S, author, authority, other_signer, signed, signer, version};

const INVALID: Result<Forked, VerifyError> = Err(VerifyError::SignatureInvalid);

fn verify(first: SignedHead<S>, second: SignedHead<S>) -> Result<Forked, VerifyError> {
    verify_against(&authority(), first, second)
}

fn verify_against(
    authority: &Authority,
    first: SignedHead<S>,
    second: SignedHead<S>,
) -> Result<Forked, VerifyError> {
    let evidence = Untrusted::new(Equivocation { first, second });
    Ok(evidence.verify(authority, &())?.into_inner())
}

#[test]
fn two_heads_of_one_version_are_a_fork_in_either_order() {
    let heads = [signed(5, 1, 1), signed(5, 2, 1), signed(5, 1, 2)];
    for (i, first) in heads.iter().enumerate() {
        for (j, second) in heads.iter().enumerate() {
            let version = version(5);
            let expected = if i == j {
                Err(VerifyError::NoContradiction)
            } else {
                Ok(Forked { version })
            };
            assert_eq!(verify(*first, *second), expected);
        }
    }
}

#[test]
fn heads_of_different_versions_do_not_contradict() {
    let chain = Chain::new(4);
    for (first, second) in [(1, 2), (2, 1), (3, 4)] {
        let (expected, actual) = (version(first), version(second));
        let refused = verify(chain.signed(first), chain.signed(second));
        assert_eq!(refused, Err(VerifyError::WrongVersion { expected, actual }));
    }
    // A head relabelled as one of the other version is not evidence either.
    let mut relabelled = chain.signed(2);
    relabelled.head.version = version(1);
    assert_eq!(verify(chain.signed(1), relabelled), INVALID);
}

#[test]
fn nobody_but_the_author_makes_evidence() {
    let (first, second) = (signed(5, 1, 1), signed(5, 2, 1));
    let invented = SignedHead {
        head: second.head,
        signature: first.signature,
    };
    assert_eq!(verify(first, invented), INVALID);
    assert_eq!(verify(invented, first), INVALID);
    let by_another = second.head.sign(&other_signer()).unwrap();
    assert_eq!(verify(first, by_another), INVALID);
    let other = Authority {
        author: author(&other_signer()),
        ..authority()
    };
    assert_eq!(verify_against(&other, first, second), INVALID);
}

#[test]
fn evidence_is_about_one_dictionary_and_scheme() {
    let first = signed(5, 1, 1);
    let mut head = signed::<S>(5, 2, 1).head;
    head.dictionary = pad_core::DictionaryId::from_bytes([9; 16]);
    let elsewhere = head.sign(&signer()).unwrap();
    assert_eq!(verify(first, elsewhere), Err(VerifyError::WrongDictionary));
    let mut head = signed::<S>(5, 2, 1).head;
    head.scheme = pad_core::SchemeId(9);
    let elsewhere = head.sign(&signer()).unwrap();
    let (expected, actual) = (authority().scheme.0, 9);
    let refused = VerifyError::WrongScheme { expected, actual };
    assert_eq!(verify(first, elsewhere), Err(refused));
}

#[test]
fn no_fork_of_version_0_is_accepted() {
    let refused = verify(signed(0, 1, 1), signed(0, 2, 1));
    assert_eq!(refused, Err(VerifyError::EmptyVersionSigned));
}
