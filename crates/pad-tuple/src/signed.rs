//! Designs in which the author signs every tuple.

use alloc::vec::Vec;
use core::marker::PhantomData;

use pad_core::{SchemeId, Suite, VerifyError};
use serde::{Deserialize, Serialize};

use crate::scheme::{Attested, Claim, Expectation, TupleScheme};

mod aggregate;
#[cfg(feature = "bls")]
mod bls;
#[cfg(feature = "std")]
mod design;
mod refresh;
#[cfg(feature = "std")]
mod renewal;
mod scheme;
#[cfg(feature = "std")]
mod signing;

#[cfg(feature = "bls")]
pub use bls::Bls;
#[cfg(feature = "std")]
pub(crate) use design::VERIFIED_TOGETHER;
#[cfg(feature = "std")]
pub(crate) use refresh::LightweightData;
pub use refresh::{Lightweight, Plain, RefreshScheme, Superseding};

#[cfg(feature = "std")]
pub(crate) use crate::validity::Validity;
#[cfg(feature = "std")]
pub use renewal::{LightweightItem, Refresh};
#[cfg(feature = "std")]
pub(crate) use scheme::SignatureBytes;
pub use scheme::{Ed25519, SignatureScheme};
#[cfg(feature = "std")]
pub use signing::TupleSignature;

/// Design with `GENERATIONS` generations, in which the author signs every tuple with the signature
/// scheme `G`. The rule `R` extends the validity of signatures to later instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed<G, R, const GENERATIONS: usize>(PhantomData<(G, R)>);

/// The evidence for one tuple in a proof of a signed design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SignedEvidence<S: Suite, G: SignatureScheme, R: RefreshScheme<S>> {
    /// Data that the refresh rule adds to a proof, such as the instants that the signature covers.
    pub shown: R::TupleData,
    /// The author's signature on the [`TupleStatement`](crate::statement::TupleStatement) that
    /// follows from tuple and `shown`.
    pub signature: G::Signature,
}

impl<S, G, R, const GENERATIONS: usize> TupleScheme<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: SignatureScheme,
    R: RefreshScheme<S>,
{
    const GENERATIONS: usize = GENERATIONS;
    const SCHEME: SchemeId = scheme::id(G::CODE, R::CODE, GENERATIONS);
    const NAME: &'static str = scheme::name(G::CODE, R::CODE, GENERATIONS);

    type Key = G::Key;
    type Evidence = SignedEvidence<S, G, R>;
    type Seal = ();

    fn attested(evidence: &Self::Evidence) -> Attested<S> {
        R::attested(&evidence.shown)
    }

    fn check(
        expectation: &Expectation<G::Key>,
        claims: &[Claim<S>],
        evidence: Vec<Self::Evidence>,
        (): (),
    ) -> Result<(), VerifyError> {
        let context = expectation.context();
        let signed = claims.iter().zip(&evidence).map(|(claim, evidence)| {
            let statement = R::statement(&evidence.shown, claim)?;
            Ok((statement.signed_bytes(context), evidence.signature))
        });
        G::verify_each(
            expectation,
            &signed.collect::<Result<Vec<_>, VerifyError>>()?,
        )
    }
}
