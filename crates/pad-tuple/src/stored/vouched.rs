//! What an author believes of stored rows: tuples that its own signatures vouch for.
//!
//! An author signs tuples anew from what the rows say of them: their contents, and since when they
//! are there. A changed row would make it sign a past that was not. So the author checks each tuple
//! as a client would: by a signature for the latest version's instant.

use pad_core::{StoreFault, Suite, VerifyError, Workers};

use super::{design::StorableDesign, load::Loaded, publish::PublishError, read::Reader};
use crate::{
    design::{AuthorError, Placed, TupleId},
    scheme::{Claim, Expectation},
    signed::VERIFIED_TOGETHER,
    statement::Context,
};

/// Tuples of the latest version: the number of each row, and what it claims.
pub(super) type Claims<S> = Vec<(u64, Claim<S>)>;

impl<S: Suite, D: StorableDesign<S>> Loaded<S, D> {
    /// What the tuples that were read claim.
    pub(super) fn claims(&self) -> Result<Claims<S>, StoreFault> {
        let mut claims = self.elsewhere.clone();
        for (claim, tuple) in self.layers.claims() {
            let number = self.numbers.get(tuple.position());
            claims.push((*number.ok_or(StoreFault::Damaged)?, claim));
        }
        Ok(claims)
    }
}

impl<K: Clone + Sync> Reader<'_, K> {
    /// Refuses tuples for which the author's signatures do not vouch.
    ///
    /// Time: a signature for each, verified in batches that these threads share.
    ///
    /// # Errors
    /// [`AuthorError::Unvouched`]; [`StoreFault`] if their records cannot be read.
    pub(super) fn require_vouched<S: Suite, D: StorableDesign<S, Key = K>>(
        &self,
        mut claims: Claims<S>,
        workers: &Workers,
    ) -> Result<(), PublishError> {
        // Keys that are next to each other were answered by one tuple.
        claims.sort_by_key(|(number, _)| *number);
        claims.dedup();
        let expectation = Expectation {
            authority: self.state.authority,
            key: self.key.clone(),
            version: self.latest,
        };
        let mut records = D::records(self.key, Context::of(&self.state.authority));
        let mut tuples = Vec::with_capacity(claims.len());
        for ((number, claim), place) in claims.into_iter().zip(0..) {
            let tuple = TupleId(place);
            self.read_record::<S, D>(&mut records, tuple, number, &claim)?;
            let placed = Placed {
                generation: usize::from(claim.generation),
                instant: claim.instant,
                tuple,
            };
            tuples.push((placed, claim));
        }
        let pieces: Vec<_> = tuples.chunks(VERIFIED_TOGETHER).collect();
        let version = self.latest;
        let verified = workers.map(&pieces, |piece| {
            let (placed, claims): (Vec<_>, Vec<_>) = piece.iter().copied().unzip();
            let gathered = D::gather(&records, version, &placed);
            let (shown, signatures) = gathered.ok_or(VerifyError::CountMismatch)?;
            D::check_all(&expectation, &claims, &shown, signatures)
        });
        let verified: Result<(), VerifyError> = verified.into_iter().collect();
        verified.map_err(|cause| AuthorError::Unvouched(cause).into())
    }
}
