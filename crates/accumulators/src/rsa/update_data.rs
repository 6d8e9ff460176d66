//! Update data of the RSA accumulator, which is empty.

use pad_core::DecodeError;

use super::parameters::{RsaPublicKey, SCHEME};
use crate::wire::{self, Reader, Wire};

/// Empty update data: witness updates need only the change itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RsaUpdateData;

/// Layout: no bytes.
impl Wire for RsaUpdateData {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_UPDATE_DATA;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, _bytes: &mut Vec<u8>) {}

    fn read(_key: &RsaPublicKey, _reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}
