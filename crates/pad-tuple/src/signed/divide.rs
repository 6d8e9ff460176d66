//! Extensions of signed designs, divided between partitions.

use core::ops::Range;

use pad_core::Suite;

use super::{Refresh, Signed, SignedExtension, SignedRecords, TupleSignature};
use crate::{design::TupleId, layers::Layers, partition::DivisibleDesign};

impl<S, G, R, const GENERATIONS: usize> DivisibleDesign<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
{
    fn tuples_in(extension: &SignedExtension<S, G, R>) -> usize {
        extension.items.len()
    }

    fn divide(
        extension: &SignedExtension<S, G, R>,
        places: Range<usize>,
    ) -> Option<SignedExtension<S, G, R>> {
        let items = extension.items.get(places)?.to_vec();
        Some(SignedExtension { items })
    }

    fn fits(
        records: &SignedRecords<S, G, R>,
        layers: &Layers<S, TupleId>,
        extensions: &[SignedExtension<S, G, R>],
    ) -> bool {
        records.fit(layers, extensions)
    }
}
