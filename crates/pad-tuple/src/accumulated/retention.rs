//! Retention rules: the accumulated element of a tuple, and the witnesses that a server keeps.

use core::fmt::Debug;

use pad_core::DigestBytes;
use serde::{Serialize, de::DeserializeOwned};

use crate::signed::{Plain, Superseding, Validity};

/// Rule that determines for which instants a signed accumulator value is evidence.
///
/// Source: Crosby & Wallach 2010, section 4.3.
pub trait Retention: Copy + Debug + Eq + Send + Sync + 'static {
    /// The code of this retention in scheme ids.
    const CODE: u16;
    /// Data that a proof contains for a tuple, in addition to the value and the witness.
    type TupleData: Copy + Debug + Eq + Serialize + DeserializeOwned;

    /// Returns the data that a proof contains for a tuple created at the instant `since`.
    fn shown(since: u64) -> Self::TupleData;

    /// Returns the bytes that are accumulated for a tuple, of fixed length.
    fn element<D: DigestBytes>(tuple: &D, shown: Self::TupleData) -> Vec<u8>;

    /// Returns the instants for which the value of the instant `until` is evidence.
    fn validity(shown: Self::TupleData, until: u64) -> Validity;

    /// Adds the proof of the tuple at the next instant. A rule may drop the earlier proofs.
    fn keep<P>(kept: &mut Vec<P>, newest: P);

    /// Returns the proof that covers the instant `age` instants after the tuple's creation. A rule
    /// that keeps only one proof returns it for every `age`.
    fn kept<P>(kept: &[P], age: u64) -> Option<&P>;
}

/// Accumulates the tuple's digest. The server keeps a witness for each instant.
impl Retention for Plain {
    const CODE: u16 = 0;
    type TupleData = ();

    fn shown(_: u64) {}

    fn element<D: DigestBytes>(tuple: &D, (): ()) -> Vec<u8> {
        tuple.as_ref().to_vec()
    }

    fn validity((): (), until: u64) -> Validity {
        Validity {
            since: until,
            until,
        }
    }

    fn keep<P>(kept: &mut Vec<P>, newest: P) {
        kept.push(newest);
    }

    fn kept<P>(kept: &[P], age: u64) -> Option<&P> {
        kept.get(usize::try_from(age).ok()?)
    }
}

/// Accumulates the tuple's digest and its creation instant (8 bytes, big-endian). The server keeps
/// the newest witness.
impl Retention for Superseding {
    const CODE: u16 = 1;
    type TupleData = u64;

    fn shown(since: u64) -> u64 {
        since
    }

    fn element<D: DigestBytes>(tuple: &D, since: u64) -> Vec<u8> {
        [tuple.as_ref(), &since.to_be_bytes()].concat()
    }

    fn validity(since: u64, until: u64) -> Validity {
        Validity { since, until }
    }

    fn keep<P>(kept: &mut Vec<P>, newest: P) {
        kept.clear();
        kept.push(newest);
    }

    fn kept<P>(kept: &[P], _: u64) -> Option<&P> {
        kept.last()
    }
}
