//! Rules that extend the validity of signatures while their tuple does not change: the interface
//! for verifiers.

use core::fmt::Debug;

use pad_core::{Suite, VerifyError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    chain,
    scheme::{Attested, Claim},
    statement::TupleStatement,
    validity::Validity,
};

/// Rule that extends the validity of a tuple's signature to later instants while the tuple does not
/// change. `Refresh` (feature `std`) adds the part of authors and servers.
///
/// Source: Crosby & Wallach 2010, sections 4.1 and 4.2.
pub trait RefreshScheme<S: Suite>: Clone + Debug + Eq + Send + Sync + 'static {
    /// The number of this rule, from which scheme ids are computed.
    const CODE: u16;
    /// Data that a proof contains for each tuple, in addition to the signature, such as the
    /// instants that the signature covers.
    type TupleData: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// Returns the instants and hash chain links that `shown` covers, for display. Nothing is
    /// verified.
    fn attested(shown: &Self::TupleData) -> Attested<S>;

    /// Returns the number of hash chain steps that [`RefreshScheme::statement`] takes. Checks that
    /// `shown` covers the claimed instant, without hashing.
    ///
    /// # Errors
    /// [`VerifyError::OutsideValidity`] if `shown` does not cover the instant.
    /// [`VerifyError::ChainTooLong`] if the link is too far from its anchor.
    fn steps(shown: &Self::TupleData, claim: &Claim<S>) -> Result<u32, VerifyError>;

    /// Returns the statement whose signature by the author proves the claim.
    ///
    /// # Errors
    /// The errors of [`RefreshScheme::steps`], before any hashing.
    fn statement(
        shown: &Self::TupleData,
        claim: &Claim<S>,
    ) -> Result<TupleStatement<S>, VerifyError>;
}

/// Signs every tuple at every instant. The server keeps every signature. This rule is the baseline
/// for all other rules.
///
/// Source: Crosby & Wallach 2010, section 4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain;

impl<S: Suite> RefreshScheme<S> for Plain {
    const CODE: u16 = 0;
    type TupleData = ();

    fn attested((): &()) -> Attested<S> {
        Attested::INSTANT
    }

    fn steps((): &(), _: &Claim<S>) -> Result<u32, VerifyError> {
        Ok(0)
    }

    fn statement((): &(), claim: &Claim<S>) -> Result<TupleStatement<S>, VerifyError> {
        Ok(claim.statement(claim.instant, claim.instant, None))
    }
}

/// Signs every tuple at every instant. Each signature covers all instants since the tuple's
/// creation. A signature supersedes the earlier signatures of its tuple.
///
/// Source: Crosby & Wallach 2010, section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Superseding;

impl<S: Suite> RefreshScheme<S> for Superseding {
    const CODE: u16 = 1;
    type TupleData = Validity;

    fn attested(shown: &Validity) -> Attested<S> {
        Attested {
            validity: Some(*shown),
            chain: None,
        }
    }

    fn steps(shown: &Validity, claim: &Claim<S>) -> Result<u32, VerifyError> {
        shown.require(claim.instant).map(|()| 0)
    }

    fn statement(shown: &Validity, claim: &Claim<S>) -> Result<TupleStatement<S>, VerifyError> {
        shown.require(claim.instant)?;
        Ok(claim.statement(shown.since, shown.until, None))
    }
}

/// Signs a tuple once, with the anchor of a hash chain. At every later instant, the author reveals
/// the next link. When the chain is used up, the tuple is signed again.
///
/// A link covers every instant since the tuple's creation, like a signature of [`Superseding`]. It
/// supersedes the earlier links. For a deleted tuple the author reveals no further links.
///
/// Source: Crosby & Wallach 2010, section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lightweight;

/// Data that a proof with [`Lightweight`] signatures contains for a tuple, in addition to the
/// signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct LightweightData<S: Suite> {
    /// The instant of the tuple's creation: a version, or an epoch of an older generation.
    pub since: u64,
    /// The instant at which the signature was made.
    pub signed: u64,
    /// The number of links revealed since the signature.
    pub revealed: u32,
    /// The newest revealed link; the anchor (the signed end of the chain) if no link is revealed.
    pub link: S::Digest,
}

impl<S: Suite> LightweightData<S> {
    /// Returns the instants that the newest revealed link covers.
    fn validity(&self) -> Validity {
        Validity {
            since: self.since,
            until: self.signed.saturating_add(self.revealed.into()),
        }
    }
}

impl<S: Suite> RefreshScheme<S> for Lightweight {
    const CODE: u16 = 2;
    type TupleData = LightweightData<S>;

    fn attested(shown: &LightweightData<S>) -> Attested<S> {
        Attested {
            validity: Some(shown.validity()),
            chain: Some((shown.revealed, shown.link)),
        }
    }

    fn steps(shown: &LightweightData<S>, claim: &Claim<S>) -> Result<u32, VerifyError> {
        shown.validity().require(claim.instant)?;
        chain::require_walkable(shown.revealed.into())
    }

    fn statement(
        shown: &LightweightData<S>,
        claim: &Claim<S>,
    ) -> Result<TupleStatement<S>, VerifyError> {
        let steps = <Self as RefreshScheme<S>>::steps(shown, claim)?;
        let anchor = chain::walk::<S>(shown.link, &claim.tuple, steps);
        Ok(claim.statement(shown.since, shown.signed, Some(anchor)))
    }
}
