//! Argument types of the kernels.

use crate::{
    number::Number,
    numbers::{Numbers, Row},
};

/// A modulus for each lane, as kernels need it: `n` and `-1 / n mod 2^52`.
pub(crate) type ByModulus<'a, const LIMBS: usize> = (&'a Numbers<LIMBS>, &'a Row);

/// One modulus whose limbs fill the lanes.
#[derive(Clone, Copy)]
pub(crate) struct OneModulus<const ROWS: usize> {
    pub(crate) number: Number<ROWS>,
    /// `-1 / number mod 2^52`.
    pub(crate) inverse: u64,
    /// Number of limbs of the radix `R`.
    pub(crate) limbs: usize,
}

/// Two operands, each with one value per lane.
pub(crate) type Pair<'a, const LIMBS: usize> = (&'a Numbers<LIMBS>, &'a Numbers<LIMBS>);
