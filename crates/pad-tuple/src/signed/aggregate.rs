//! Evidence for many signed tuples: what each shows, and the signatures together.
//!
//! What stands in a proof decides how far a client walks along hash chains, and nobody has vouched for
//! it. So the client compares all instants and lengths before it hashes anything; it walks for no more
//! tuples than one batch of signatures has before it verifies that batch; and where one signature is
//! for all, it bounds the steps.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_core::{Suite, VerifyError, Version};

use super::{Refresh, Signed, SignedRecords, TupleSignature};
use crate::{
    aggregate::{AggregateDesign, Placed},
    chain::{MAX_STEPS, STEPS_PER_TUPLE},
    design::{Claim, Expectation},
};

impl<S, G, R, const GENERATIONS: usize> AggregateDesign<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
{
    type Shown = R::Shown;
    type Aggregate = G::Aggregate;

    fn gather(
        records: &SignedRecords<S, G, R>,
        _: Version,
        tuples: &[Placed],
    ) -> Option<(Vec<R::Shown>, G::Aggregate)> {
        let shown = tuples
            .iter()
            .map(|placed| R::show(records.get(placed.tuple)?, placed.instant));
        let shown: Vec<_> = shown.collect::<Option<_>>()?;
        let (shown, signatures) = shown.into_iter().unzip();
        Some((shown, G::aggregate(signatures)))
    }

    fn check_all(
        expectation: &Expectation<G::Key>,
        claims: &[Claim<S>],
        shown: &[R::Shown],
        aggregate: G::Aggregate,
    ) -> Result<(), VerifyError> {
        if claims.len() != shown.len() {
            return Err(VerifyError::CountMismatch);
        }
        let pieces = G::pieces(claims.len(), aggregate)?;
        let steps = claims.iter().zip(shown);
        let steps: Result<Vec<u32>, VerifyError> =
            steps.map(|(claim, shown)| R::steps(shown, claim)).collect();
        let mut steps = steps?.into_iter();
        for (tuples, _) in &pieces {
            require_few(*tuples, steps.by_ref().take(*tuples))?;
        }
        let context = expectation.context();
        let mut unread = claims.iter().zip(shown);
        for (tuples, signatures) in pieces {
            let messages: Result<Vec<_>, VerifyError> = unread
                .by_ref()
                .take(tuples)
                .map(|(claim, shown)| Ok(R::statement(shown, claim)?.signed_bytes(context)))
                .collect();
            G::verify_all(expectation, messages?, signatures)?;
        }
        Ok(())
    }
}

/// Refuses to walk more steps for the tuples of one signature, or one batch, than clients do.
///
/// # Errors
/// [`VerifyError::ChainTooLong`] with the limit for so many tuples.
fn require_few(tuples: usize, steps: impl Iterator<Item = u32>) -> Result<(), VerifyError> {
    let tuples = u32::try_from(tuples).unwrap_or(u32::MAX);
    let limit = STEPS_PER_TUPLE.saturating_mul(tuples).max(MAX_STEPS);
    if steps.map(u64::from).sum::<u64>() > u64::from(limit) {
        return Err(VerifyError::ChainTooLong { limit });
    }
    Ok(())
}
