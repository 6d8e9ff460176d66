//! Tuple signatures that count and time themselves.

use std::{hint::black_box, marker::PhantomData};

use pad_core::{Suite, VerifyError};
use pad_tuple::{
    Expectation,
    internals::{SharedSigner, SignatureScheme, TupleSignature, chain},
};

use crate::{counting::CountingSuite, cryptography::timed, timing::Effort};

/// Tuple signature scheme `G` whose signatures are counted and timed. Keys, signatures and
/// identifiers are equal to those of `G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedScheme<G>(PhantomData<G>);

impl<G: SignatureScheme> SignatureScheme for TimedScheme<G> {
    const CODE: u16 = G::CODE;
    type Key = G::Key;
    type Signature = G::Signature;
    type Aggregate = G::Aggregate;

    fn verify_each(
        expectation: &Expectation<G::Key>,
        signed: &[(Vec<u8>, G::Signature)],
    ) -> Result<(), VerifyError> {
        timed(signed.len(), || G::verify_each(expectation, signed))
    }

    fn verify_all(
        expectation: &Expectation<G::Key>,
        messages: Vec<Vec<u8>>,
        aggregate: G::Aggregate,
    ) -> Result<(), VerifyError> {
        timed(messages.len(), || {
            G::verify_all(expectation, messages, aggregate)
        })
    }
}

impl<G: TupleSignature> TupleSignature for TimedScheme<G> {
    type Secret = G::Secret;

    fn key(secret: &G::Secret) -> G::Key {
        G::key(secret)
    }

    fn sign(
        secret: &G::Secret,
        signer: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<G::Signature, signature::Error> {
        timed(1, || G::sign(secret, signer, message))
    }

    fn aggregate(signatures: Vec<G::Signature>) -> G::Aggregate {
        timed(signatures.len(), || G::aggregate(signatures))
    }
}

/// Suite of hash and signature of all measured tuple dictionaries.
pub type PlainSuite = pad_core::Sha256Ed25519;

/// [`PlainSuite`] with a hash function that counts its calls.
pub type CountedSuite = CountingSuite<PlainSuite>;

/// Measures the nanoseconds of one step of a hash chain. Each step hashes the result of the
/// previous step.
pub fn chain_step_ns(effort: &Effort) -> f64 {
    let start = PlainSuite::value(b"start");
    effort.primitive_ns(|calls| {
        black_box(chain::walk::<PlainSuite>(start, &start, calls));
    })
}
