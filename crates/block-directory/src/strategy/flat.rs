//! Strategy 2: a block's summary is the hash of all its slots. The strategy keeps no state, and
//! every change hashes the whole block.

use alloc::vec::Vec;

use pad_core::{
    Suite, VerifyError,
    internals::{DigestBytes, Domain},
};

use super::{BlockDigest, Contents, Place, SlotChange};

/// Strategy 2: the summary of a block is the hash of all its slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flat;

impl<S: Suite> BlockDigest<S> for Flat {
    const STRATEGY: u8 = 2;
    const NAME: &'static str = "directory-flat";
    type State = ();

    fn summary_bytes() -> usize {
        S::Digest::LENGTH
    }

    fn of(_: Contents<'_>) -> Result<(), VerifyError> {
        Ok(())
    }

    fn write((): &mut (), _: Place, _: SlotChange<'_>) -> Result<(), VerifyError> {
        Ok(())
    }

    fn summary((): &(), contents: Contents<'_>) -> Vec<u8> {
        let Place { level, block } = contents.place;
        let parts: [&[u8]; 3] = [&[level], &block.to_be_bytes(), contents.bytes];
        S::hash(Domain::BlockFlat, &parts).as_ref().to_vec()
    }

    fn is_summary(_: &[u8]) -> bool {
        true
    }
}
