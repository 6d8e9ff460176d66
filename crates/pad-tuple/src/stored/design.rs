//! Designs whose records can be kept one by one.

use pad_core::{Suite, codec};

use crate::{
    design::{AggregateDesign, TupleId},
    scheme::Claim,
    signed::{Refresh, Signed, TupleSignature},
};

/// A design whose records can be kept one by one, each under the number of its tuple.
///
/// Laws: records into which some tuples' records were read answer about those tuples as the ones that they were written from. With
/// [`StorableDesign::EACH_INSTANT`], a record that was read is of one instant, and answers about no other.
pub trait StorableDesign<S: Suite>: AggregateDesign<S> {
    /// Whether there is a record for each instant: the newest one does not tell what the earlier ones do.
    const EACH_INSTANT: bool;

    /// A tuple's record, after an instant was admitted to records that had none of the tuple, or the one before.
    fn write_record(records: &Self::Records, tuple: TupleId) -> Option<Vec<u8>>;

    /// Puts a record where its tuple's is; `None`, and nothing is changed, if the bytes are not one.
    fn read_record(records: &mut Self::Records, tuple: TupleId, bytes: &[u8]) -> Option<()>;

    /// Whether a record is of a time that tells of this claim's instant; hashes nothing.
    fn covers(records: &Self::Records, tuple: TupleId, claim: &Claim<S>) -> bool;
}

impl<S, G, R, const GENERATIONS: usize> StorableDesign<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
{
    const EACH_INSTANT: bool = R::EACH_INSTANT;

    fn write_record(records: &Self::Records, tuple: TupleId) -> Option<Vec<u8>> {
        records.get(tuple).map(codec::encode_body)
    }

    fn read_record(records: &mut Self::Records, tuple: TupleId, bytes: &[u8]) -> Option<()> {
        *records.slot(tuple) = Some(codec::decode_body(bytes).ok()?);
        Some(())
    }

    fn covers(records: &Self::Records, tuple: TupleId, claim: &Claim<S>) -> bool {
        let shown = records
            .get(tuple)
            .and_then(|record| R::show(record, claim.instant));
        shown.is_some_and(|(shown, _)| R::steps(&shown, claim).is_ok())
    }
}
