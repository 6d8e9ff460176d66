//! Replay of a light author's changes on a witness: from the server's proof of the old entries to
//! the new peaks (subtree digests).

use core::ops::Range;

use pad_core::{Suite, Untrusted, VerifyError, internals::merkle};

use super::{peaks::Peaks, signing::LightError};
use crate::{
    entry::{self, EntryState},
    operations::Change,
    proof::{EntryProof, ProofFold},
    query::EntryQuery,
    shape::{self, RequestedIds, Visitor},
};

/// Applies changes of registered entries to the peaks. Returns the states of these entries before
/// the changes.
///
/// Verifies the witness under the root of the peaks. Then folds the witness again (computes all
/// digests up to the top) with the new states of these entries. `changed` must contain exactly the
/// entries that `query` asks for.
pub(super) fn change<S: Suite, E>(
    peaks: &mut Peaks<S>,
    changed: &[Change<S>],
    query: &EntryQuery,
    witness: Untrusted<EntryProof<S>>,
) -> Result<Vec<EntryState<S>>, LightError<E>> {
    let witness = witness.into_unverified();
    let root = witness.root(query).map_err(LightError::<E>::Refused)?;
    if root != peaks.root() {
        return Err(LightError::Refused(VerifyError::RootMismatch));
    }
    let ids: Vec<u64> = changed.iter().map(|change| change.id).collect();
    let shown: Vec<EntryState<S>> = changed.iter().map(|change| change.shown).collect();
    let registered = peaks.registered();
    let spans = peak_spans(registered);
    let mut repeaked = PeakRecorder {
        folded: ProofFold::<S>::new(&shown, &witness.siblings),
        spans: &spans,
        peaks: peaks.digests_mut(),
    };
    let top = shape::walk(registered, RequestedIds::Ids(&ids), &mut repeaked);
    if top.map_err(LightError::<E>::Refused)? != peaks.top() {
        return Err(LightError::Inconsistent);
    }
    Ok(witness.shown)
}

/// Returns the ranges of entries that the peaks of a directory with `registered` entries cover, the
/// largest first.
fn peak_spans(registered: u64) -> Vec<Range<u64>> {
    let peaks = merkle::complete(0..registered);
    let spans = peaks.map(|(height, number)| number << height..(number + 1) << height);
    spans.collect()
}

/// Folds a witness with new entries up to the top digest, and records the digests of the peaks on
/// the way. Peaks in parts that the witness omits stay unchanged.
struct PeakRecorder<'a, S: Suite> {
    folded: ProofFold<'a, S>,
    spans: &'a [Range<u64>],
    peaks: &'a mut [S::Digest],
}

impl<S: Suite> PeakRecorder<'_, S> {
    fn note(&mut self, span: &Range<u64>, digest: S::Digest) -> S::Digest {
        let place = self.spans.iter().position(|peak| peak == span);
        if let Some(peak) = place.and_then(|place| self.peaks.get_mut(place)) {
            *peak = digest;
        }
        digest
    }
}

impl<S: Suite> Visitor for PeakRecorder<'_, S> {
    type Digest = S::Digest;
    type Error = VerifyError;

    fn elided(&mut self, span: &Range<u64>) -> Result<S::Digest, VerifyError> {
        let digest = self.folded.elided(span)?;
        Ok(self.note(span, digest))
    }

    fn entry(&mut self, id: u64) -> Result<S::Digest, VerifyError> {
        let digest = self.folded.entry(id)?;
        Ok(self.note(&(id..id.saturating_add(1)), digest))
    }

    fn joined(&mut self, span: &Range<u64>, left: S::Digest, right: S::Digest) -> S::Digest {
        self.note(span, entry::node::<S>(&left, &right))
    }
}
