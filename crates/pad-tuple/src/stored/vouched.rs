//! Checks that the author's signatures cover stored rows, before the author signs anything based on
//! them.
//!
//! An author signs tuples anew from their stored contents and creation instants. If another party
//! changed a row, the author would sign a false history. The author therefore verifies each tuple
//! like a client, by a signature for the latest version's instant.

use pad_core::{StoreFault, Suite, VerifyError, Workers};

use super::{
    design::StorableDesign,
    error::PublishError,
    load::LoadedLayers,
    read::{Claims, Reader},
};
use crate::{
    design::{AuthorError, Placed, TupleId},
    scheme::{Claim, Expectation},
    signed::VERIFIED_TOGETHER,
    statement::Context,
};

impl<K: Clone + Sync> Reader<'_, K> {
    /// Rejects `loaded` unless the author's signatures cover all its tuples: those of the loaded
    /// generations, and the older tuples that were looked up.
    ///
    /// The author resumes from the records that are verified here, and not from a second read,
    /// which could return other rows.
    ///
    /// Time: one signature check for each tuple, verified in batches on the threads of `workers`.
    ///
    /// # Errors
    /// [`AuthorError::Unvouched`] if a signature does not cover a tuple. [`StoreFault`] if records
    /// cannot be read.
    pub(super) fn require_loaded<S: Suite, D: StorableDesign<S, Key = K>>(
        &self,
        loaded: &LoadedLayers<S, D>,
        workers: &Workers,
    ) -> Result<(), PublishError> {
        let mut others = loaded.elsewhere.clone();
        let claims = loaded.layers.claims();
        if D::EACH_INSTANT {
            // Authors of designs with a record for each instant resume only from contents.
            for (claim, tuple) in claims {
                let number = loaded.numbers.get(tuple.position());
                others.push((*number.ok_or(StoreFault::Damaged)?, claim));
            }
        } else {
            let claims: Vec<_> = claims.map(|(claim, tuple)| (claim, *tuple)).collect();
            self.verify::<S, D>(&loaded.records, &claims, workers)?;
        }
        self.require_vouched::<S, D>(others, workers)
    }

    /// Rejects the tuples in `claims` unless the author's signatures cover them. Reads the tuples'
    /// records.
    ///
    /// # Errors
    /// The errors of [`Reader::require_loaded`].
    pub(super) fn require_vouched<S: Suite, D: StorableDesign<S, Key = K>>(
        &self,
        mut claims: Claims<S>,
        workers: &Workers,
    ) -> Result<(), PublishError> {
        // One tuple may decide several keys.
        claims.sort_by_key(|(number, _)| *number);
        claims.dedup();
        let mut records = D::records(self.key, Context::of(&self.state.authority));
        let mut tuples = Vec::with_capacity(claims.len());
        for ((number, claim), place) in claims.into_iter().zip(0..) {
            let tuple = TupleId(place);
            self.read_record::<S, D>(&mut records, tuple, number, &claim)?;
            tuples.push((claim, tuple));
        }
        self.verify::<S, D>(&records, &tuples, workers)
    }

    fn verify<S: Suite, D: StorableDesign<S, Key = K>>(
        &self,
        records: &D::Records,
        tuples: &[(Claim<S>, TupleId)],
        workers: &Workers,
    ) -> Result<(), PublishError> {
        let version = self.latest;
        let expectation = Expectation {
            authority: self.state.authority,
            key: self.key.clone(),
            version,
        };
        let pieces: Vec<_> = tuples.chunks(VERIFIED_TOGETHER).collect();
        let verified = workers.map(&pieces, |piece| {
            let placed = piece.iter().map(|(claim, tuple)| Placed {
                generation: usize::from(claim.generation),
                instant: claim.instant,
                tuple: *tuple,
            });
            let placed: Vec<_> = placed.collect();
            let claims: Vec<_> = piece.iter().map(|(claim, _)| *claim).collect();
            let gathered = D::gather(records, version, &placed);
            let (shown, signatures) = gathered.ok_or(VerifyError::CountMismatch)?;
            D::check_all(&expectation, &claims, &shown, signatures)
        });
        let verified: Result<(), VerifyError> = verified.into_iter().collect();
        verified.map_err(|cause| AuthorError::Unvouched(cause).into())
    }
}
