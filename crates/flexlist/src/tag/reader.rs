//! Decoder for keys, parameters and proofs: reads their fields from untrusted bytes.

pub(super) use pad_core::codec::Fields as Reader;
