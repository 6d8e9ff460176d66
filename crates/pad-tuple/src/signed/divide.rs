//! Ticks of signed designs, divided between partitions.

use core::ops::Range;

use pad_core::Suite;

use super::{Refresh, Signed, SignedRecords, SignedTick, TupleSignature};
use crate::{design::TupleId, layers::Layers, partition::DivisibleDesign};

impl<S, G, R, const GENERATIONS: usize> DivisibleDesign<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
{
    fn tuples_in(tick: &SignedTick<S, G, R>) -> usize {
        tick.items.len()
    }

    fn divide(tick: &SignedTick<S, G, R>, places: Range<usize>) -> Option<SignedTick<S, G, R>> {
        let items = tick.items.get(places)?.to_vec();
        Some(SignedTick { items })
    }

    fn fits(
        records: &SignedRecords<S, G, R>,
        layers: &Layers<S, TupleId>,
        ticks: &[SignedTick<S, G, R>],
    ) -> bool {
        records.fit(layers, ticks)
    }
}
