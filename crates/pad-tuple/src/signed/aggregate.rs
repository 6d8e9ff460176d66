//! Evidence for many signed tuples: the data of each tuple, and the aggregated signatures.
//!
//! An unverified proof determines how many steps a client hashes along hash chains. The client
//! therefore limits the work:
//! - It compares all instants and lengths before it walks a chain.
//! - It walks chains for at most one batch of signatures before it verifies that batch.
//! - It bounds the steps of each batch, in particular if one signature covers all tuples.

use alloc::vec::Vec;

use pad_core::{Suite, VerifyError};

use super::{RefreshScheme, SignatureScheme, Signed};
use crate::{
    chain::{MAX_STEPS, STEPS_PER_TUPLE},
    scheme::{AggregateScheme, Claim, Expectation},
};

impl<S, G, R, const GENERATIONS: usize> AggregateScheme<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: SignatureScheme,
    R: RefreshScheme<S>,
{
    type TupleData = R::TupleData;
    type Aggregate = G::Aggregate;

    fn check_all(
        expectation: &Expectation<G::Key>,
        claims: &[Claim<S>],
        shown: &[R::TupleData],
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

/// Checks that the total number of hash chain steps is within the client's limit for `tuples`
/// tuples of one signature or batch.
///
/// # Errors
/// [`VerifyError::ChainTooLong`] with this limit.
fn require_few(tuples: usize, steps: impl Iterator<Item = u32>) -> Result<(), VerifyError> {
    let tuples = u32::try_from(tuples).unwrap_or(u32::MAX);
    let limit = STEPS_PER_TUPLE.saturating_mul(tuples).max(MAX_STEPS);
    if steps.map(u64::from).sum::<u64>() > u64::from(limit) {
        return Err(VerifyError::ChainTooLong { limit });
    }
    Ok(())
}
