//! Data by which witnesses of the bilinear accumulator are updated after a change of the set.

use alloc::vec::Vec;

use bls12::point::G1_BYTES;
use pad_core::DecodeError;

use super::{parameters::SCHEME, public_key::BilinearPublicKey, value::BilinearValue};
use crate::wire::{self, Reader, Wire};

/// The values of the set between the steps of a change. Each step removes or adds one element, so
/// there is one value fewer than steps. An empty change has no values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BilinearUpdateData(pub(super) Vec<BilinearValue>);

impl BilinearUpdateData {
    /// The values, in the order of the steps.
    #[doc(hidden)]
    pub fn values(&self) -> &[BilinearValue] {
        &self.0
    }
}

/// Layout: number of values (4 bytes), values (48 each).
impl Wire for BilinearUpdateData {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_UPDATE_DATA;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        wire::write_count(self.0.len(), bytes);
        for value in &self.0 {
            value.write(bytes);
        }
    }

    fn read(key: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        (0..reader.count(G1_BYTES)?)
            .map(|_| BilinearValue::read(key, reader))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}
