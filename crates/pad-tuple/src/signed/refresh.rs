//! How signatures stay valid while their tuple stays the same: what a verifier knows of it.

use core::fmt::Debug;

use pad_core::{Suite, VerifyError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    chain,
    scheme::{Attested, Claim},
    statement::TupleStatement,
    validity::Validity,
};

/// How signatures stay valid while their tuple stays the same. Authors and servers know more of it
/// (`Refresh`, with the feature `std`).
///
/// Source: Crosby & Wallach 2010, sections 4.1 and 4.2.
pub trait RefreshScheme<S: Suite>: Clone + Debug + Eq + Send + Sync + 'static {
    /// The number of this refresh in scheme ids.
    const CODE: u16;
    /// What a proof shows of each tuple beside the signature.
    type Shown: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// What is shown of the time of a tuple.
    fn attested(shown: &Self::Shown) -> Attested<S>;

    /// How many steps of a chain finding the statement takes, if what is shown covers the instant
    /// claimed. Hashes nothing.
    ///
    /// # Errors
    /// [`VerifyError::OutsideValidity`], [`VerifyError::ChainTooLong`].
    fn steps(shown: &Self::Shown, claim: &Claim<S>) -> Result<u32, VerifyError>;

    /// What the author must have signed for the claim to be true.
    ///
    /// # Errors
    /// Those of [`RefreshScheme::steps`], before anything is hashed.
    fn statement(shown: &Self::Shown, claim: &Claim<S>) -> Result<TupleStatement<S>, VerifyError>;
}

/// Every tuple is signed at every instant, and the server keeps every signature: the baseline that everything
/// else is measured against.
///
/// Source: Crosby & Wallach 2010, section 4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain;

impl<S: Suite> RefreshScheme<S> for Plain {
    const CODE: u16 = 0;
    type Shown = ();

    fn attested((): &()) -> Attested<S> {
        Attested::INSTANT
    }

    fn steps((): &(), _: &Claim<S>) -> Result<u32, VerifyError> {
        Ok(0)
    }

    fn statement((): &(), claim: &Claim<S>) -> Result<TupleStatement<S>, VerifyError> {
        Ok(TupleStatement {
            generation: claim.generation,
            since: claim.instant,
            until: claim.instant,
            tuple: claim.tuple,
            anchor: None,
        })
    }
}

/// Every tuple is signed at every instant, for all instants since it is there; a signature makes the
/// earlier ones of its tuple superfluous.
///
/// Source: Crosby & Wallach 2010, section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Superseding;

impl<S: Suite> RefreshScheme<S> for Superseding {
    const CODE: u16 = 1;
    type Shown = Validity;

    fn attested(shown: &Validity) -> Attested<S> {
        Attested::during(*shown)
    }

    fn steps(shown: &Validity, claim: &Claim<S>) -> Result<u32, VerifyError> {
        shown.require(claim.instant).map(|()| 0)
    }

    fn statement(shown: &Validity, claim: &Claim<S>) -> Result<TupleStatement<S>, VerifyError> {
        shown.require(claim.instant)?;
        Ok(TupleStatement {
            generation: claim.generation,
            since: shown.since,
            until: shown.until,
            tuple: claim.tuple,
            anchor: None,
        })
    }
}

/// A tuple is signed once, with the anchor of a hash chain; every instant after reveals the next link,
/// until the chain is used up and the tuple is signed again.
///
/// As with superseding, a link makes the earlier ones superfluous: it covers every instant since the
/// tuple is there. A tuple that is deleted has no further links revealed.
///
/// Source: Crosby & Wallach 2010, section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lightweight;

/// What a proof shows beside the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct LightweightShown<S: Suite> {
    /// Since when the tuple is there.
    pub since: u64,
    /// The instant of the signature.
    pub signed: u64,
    /// The number of links revealed since.
    pub revealed: u32,
    /// The newest of them; the anchor itself if there are none.
    pub link: S::Digest,
}

impl<S: Suite> LightweightShown<S> {
    /// The instants that the links revealed cover.
    fn validity(&self) -> Validity {
        Validity {
            since: self.since,
            until: self.signed.saturating_add(self.revealed.into()),
        }
    }
}

impl<S: Suite> RefreshScheme<S> for Lightweight {
    const CODE: u16 = 2;
    type Shown = LightweightShown<S>;

    fn attested(shown: &LightweightShown<S>) -> Attested<S> {
        Attested {
            validity: Some(shown.validity()),
            chain: Some((shown.revealed, shown.link)),
        }
    }

    fn steps(shown: &LightweightShown<S>, claim: &Claim<S>) -> Result<u32, VerifyError> {
        shown.validity().require(claim.instant)?;
        chain::require_walkable(shown.revealed.into())
    }

    fn statement(
        shown: &LightweightShown<S>,
        claim: &Claim<S>,
    ) -> Result<TupleStatement<S>, VerifyError> {
        let steps = <Self as RefreshScheme<S>>::steps(shown, claim)?;
        let anchor = chain::walk::<S>(shown.link, &claim.tuple, steps);
        Ok(TupleStatement {
            generation: claim.generation,
            since: shown.since,
            until: shown.signed,
            tuple: claim.tuple,
            anchor: Some(anchor),
        })
    }
}
