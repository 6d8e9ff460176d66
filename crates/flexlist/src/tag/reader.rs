//! Decoder for the fields of keys, parameters and proofs from untrusted bytes.

pub(super) use pad_core::codec::Fields as Reader;
