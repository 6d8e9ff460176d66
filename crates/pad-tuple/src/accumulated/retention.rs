//! Retention rules: which bytes are accumulated for a tuple, and which of its witnesses a server
//! keeps.

use core::fmt::Debug;

use pad_core::internals::DigestBytes;
use serde::{Serialize, de::DeserializeOwned};

use crate::signed::{Plain, Superseding, Validity};

/// Rule that determines for which instants (times on a generation's clock) a signed accumulator
/// value proves a tuple, and which proofs a server keeps.
///
/// Source: Crosby & Wallach 2010, section 4.3.
pub trait Retention: Copy + Debug + Eq + Send + Sync + 'static {
    /// The number of this rule, from which scheme ids are computed.
    const CODE: u16;
    /// Data that a proof contains for a tuple, in addition to the signed accumulator value and the
    /// witness.
    type TupleData: Copy + Debug + Eq + Serialize + DeserializeOwned;

    /// Returns the data that a proof contains for a tuple created at the instant `since`.
    fn shown(since: u64) -> Self::TupleData;

    /// Returns the bytes that are accumulated for a tuple with the digest `tuple`. Their length is
    /// fixed.
    fn element<D: DigestBytes>(tuple: &D, shown: Self::TupleData) -> Vec<u8>;

    /// Returns the instants at which a tuple existed if the signed accumulator value of the instant
    /// `until` contains the tuple.
    fn validity(shown: Self::TupleData, until: u64) -> Validity;

    /// Adds the tuple's proof for its newest instant to the proofs `kept`. A rule may drop the
    /// earlier ones.
    fn keep<P>(kept: &mut Vec<P>, newest: P);

    /// Selects, from the proofs of a tuple, the one that covers the instant `age` instants after
    /// the tuple's creation. A rule that keeps only one proof returns it for every `age`.
    fn kept<P>(kept: &[P], age: u64) -> Option<&P>;
}

/// Accumulates the tuple's digest. The server keeps the tuple's witness of each instant.
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
/// only the tuple's newest witness.
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
