//! The scheme of figure 4 of the paper, for tests: so small that its tries can be drawn.
//!
//! Members are the sixteen strings of four bits. A member is its own element, without hashing.
//! Blocks are single elements ([`Figure4::shape`]), and a group of a frontier has two strings.

use pad_core::{Digest, SchemeId};

use super::{Completeness, Contents, Scheme, sealed};
use crate::shape::{Schedule, Shape};

/// Scheme of append-only sets whose members are strings of four bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figure4;

impl Figure4 {
    /// The shape of a log with blocks of one element and trees of up to eight elements.
    pub(crate) fn shape(schedule: Schedule) -> Shape {
        Shape::with_blocks(0, 3, schedule).unwrap()
    }
}

impl sealed::Sealed for Figure4 {}

impl Scheme for Figure4 {
    const ID: SchemeId = SchemeId(0x03f1);
    const NAME: &'static str = "figure 4";
    const CONTENTS: Contents = Contents::Set;
    const COMPLETENESS: Completeness = Completeness::Frontier;
    const ELEMENT_BITS: u16 = 4;
    const KEY_BITS: u16 = 4;
    const GROUP_DEGREE: usize = 2;

    /// Returns the member itself, zero-padded. Its four bits are the high half of its one byte.
    fn beginning(member: &[u8]) -> Digest<32> {
        let mut beginning = Digest::default();
        beginning.0[0] = member[0] & 0xf0;
        beginning
    }
}
