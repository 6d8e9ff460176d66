//! Fields of keys, parameters and proofs, from bytes that anybody may have written.

pub(super) use pad_core::codec::Fields as Reader;
