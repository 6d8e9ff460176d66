//! Designs that store the record of each tuple separately.

use pad_core::{Suite, codec};

use crate::{
    design::{AggregateDesign, TupleId},
    scheme::Claim,
    signed::{Refresh, Signed, TupleSignature},
};

/// A design that stores the record of each tuple (the data that proves it) separately, under the
/// tuple's number.
///
/// Laws:
/// - A record that was written and read back gives the same answers as the original record.
/// - With [`StorableDesign::EACH_INSTANT`], a record that was read back belongs to one instant, and
///   gives answers only about that instant.
pub trait StorableDesign<S: Suite>: AggregateDesign<S> {
    /// Whether a tuple has a separate record for each instant, because its newest record does not
    /// cover earlier instants.
    const EACH_INSTANT: bool;

    /// Encodes the record of a tuple after [`Design::admit`](crate::design::Design::admit) has
    /// updated `records` for an instant; `None` if there is no record. Before `admit` ran,
    /// `records` contained the tuple's previous record or none.
    fn write_record(records: &Self::Records, tuple: TupleId) -> Option<Vec<u8>>;

    /// Decodes the record of a tuple and adds it to `records`. Returns `None` and changes nothing
    /// if the bytes are not a record.
    fn read_record(records: &mut Self::Records, tuple: TupleId, bytes: &[u8]) -> Option<()>;

    /// Returns whether the record of a tuple covers the claimed instant. Does not hash or verify
    /// anything.
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
