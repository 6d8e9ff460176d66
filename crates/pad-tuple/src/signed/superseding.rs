//! Signatures over ranges of versions, of which the server keeps the newest.

use pad_core::{Suite, VerifyError};
use serde::{Deserialize, Serialize};

use super::{Refresh, Sign, TupleSignature};
use crate::{
    design::Claim,
    statement::{Context, Statement},
};

/// Every tuple is signed at every instant, for all instants since it is there; a signature makes the
/// earlier ones of its tuple superfluous.
///
/// Source: Crosby & Wallach 2010, section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Superseding;

/// The instants that a signature covers, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validity {
    /// The first.
    pub since: u64,
    /// The last.
    pub until: u64,
}

impl Validity {
    /// Refuses an instant outside.
    ///
    /// # Errors
    /// [`VerifyError::OutsideValidity`].
    pub const fn require(self, instant: u64) -> Result<(), VerifyError> {
        let Self { since, until } = self;
        if since <= instant && instant <= until {
            Ok(())
        } else {
            Err(VerifyError::OutsideValidity {
                instant,
                since,
                until,
            })
        }
    }
}

/// A tuple's newest signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SupersedingRecord<G: TupleSignature> {
    validity: Validity,
    signature: G::Signature,
}

impl<S: Suite> Refresh<S> for Superseding {
    const CODE: u16 = 1;
    type Secret = ();
    type State = ();
    type Item<G: TupleSignature> = G::Signature;
    type Record<G: TupleSignature> = SupersedingRecord<G>;
    type Shown = Validity;

    fn issue<G: TupleSignature>(
        (): &(),
        context: Context,
        statement: Statement<S>,
        (): &mut (),
        sign: Sign<'_, G>,
    ) -> Result<G::Signature, signature::Error> {
        sign(&statement.signed_bytes(context))
    }

    fn absorb<G: TupleSignature>(item: &G::Signature, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(item.as_ref());
    }

    fn fits<G: TupleSignature>(_: Option<&SupersedingRecord<G>>, _: &G::Signature) -> bool {
        true
    }

    fn record<G: TupleSignature>(
        record: Option<SupersedingRecord<G>>,
        item: &G::Signature,
        instant: u64,
    ) -> SupersedingRecord<G> {
        let since = record.map_or(instant, |record| record.validity.since);
        SupersedingRecord {
            validity: Validity {
                since,
                until: instant,
            },
            signature: *item,
        }
    }

    fn show<G: TupleSignature>(
        record: &SupersedingRecord<G>,
        _: u64,
    ) -> Option<(Validity, G::Signature)> {
        Some((record.validity, record.signature))
    }

    fn steps(shown: &Validity, claim: &Claim<S>) -> Result<u32, VerifyError> {
        shown.require(claim.instant).map(|()| 0)
    }

    fn statement(shown: &Validity, claim: &Claim<S>) -> Result<Statement<S>, VerifyError> {
        shown.require(claim.instant)?;
        Ok(Statement {
            generation: claim.generation,
            since: shown.since,
            until: shown.until,
            tuple: claim.tuple,
            anchor: None,
        })
    }

    fn resume<G: TupleSignature>(record: &SupersedingRecord<G>) -> (u64, ()) {
        (record.validity.since, ())
    }
}
