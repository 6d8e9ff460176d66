//! The choice between the kernels for AVX-512 IFMA and the portable ones.

use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use crate::ifma::Ifma;
use crate::{
    arguments::{ByModulus, OneModulus, Pair},
    limbs::LANES,
    number::Number,
    numbers::{Numbers, Row},
    portable,
};

/// Environment variable that switches the instructions off, if its value is `off`.
const SWITCH: &str = "PAD_LANES";

/// A set of kernels that this processor can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path {
    /// Kernels for AVX-512 IFMA. The value proves that the processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    Ifma(Ifma),
    /// Portable kernels for any processor.
    Portable,
}

/// Calls a kernel of the chosen path.
macro_rules! dispatch {
    ($path:expr, $kernel:ident, $arguments:expr) => {
        match $path {
            #[cfg(target_arch = "x86_64")]
            Path::Ifma(ifma) => ifma.$kernel($arguments),
            Path::Portable => portable::$kernel($arguments),
        }
    };
}

impl Path {
    /// The fastest kernels that the processor can run and that are not switched off.
    pub(crate) fn fastest() -> Self {
        static FASTEST: LazyLock<Path> = LazyLock::new(|| {
            if std::env::var_os(SWITCH).is_some_and(|value| value == "off") {
                return Path::Portable;
            }
            Path::all().into_iter().next().unwrap_or(Path::Portable)
        });
        *FASTEST
    }

    /// All kernels that the processor can run, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let fast = Ifma::detect().map(Self::Ifma);
        #[cfg(not(target_arch = "x86_64"))]
        let fast = None;
        fast.into_iter().chain([Self::Portable]).collect()
    }

    /// Computes `a b / R` modulo each `n`.
    pub(crate) fn mul<const LIMBS: usize>(
        self,
        factors: Pair<LIMBS>,
        by: ByModulus<LIMBS>,
    ) -> Numbers<LIMBS> {
        dispatch!(self, mul, (factors, by))
    }

    /// Replaces a value by `a^2 / R` modulo each `n`, `count` times.
    pub(crate) fn square_times<const LIMBS: usize>(
        self,
        value: &Numbers<LIMBS>,
        by: ByModulus<LIMBS>,
        count: u32,
    ) -> Numbers<LIMBS> {
        dispatch!(self, square_times, (value, by, count))
    }

    /// Computes `a b / R` modulo one number.
    pub(crate) fn mul_one<const ROWS: usize>(
        self,
        left: &Number<ROWS>,
        right: &Number<ROWS>,
        modulus: &OneModulus<ROWS>,
    ) -> Number<ROWS> {
        dispatch!(self, mul_one, (left, right, modulus))
    }

    /// Replaces a value by `a^2 / R` modulo one number, `count` times.
    pub(crate) fn square_one_times<const ROWS: usize>(
        self,
        value: &Number<ROWS>,
        modulus: &OneModulus<ROWS>,
        count: u32,
    ) -> Number<ROWS> {
        dispatch!(self, square_one_times, (value, modulus, count))
    }

    /// Computes `a + b`, and subtracts `bound` in the lanes where the difference is not negative.
    pub(crate) fn add<const LIMBS: usize>(
        self,
        terms: Pair<LIMBS>,
        bound: &Numbers<LIMBS>,
    ) -> Numbers<LIMBS> {
        dispatch!(self, add, (terms, bound))
    }

    /// Computes `a - b`, and adds `bound` in the lanes where the difference is negative.
    pub(crate) fn subtract<const LIMBS: usize>(
        self,
        terms: Pair<LIMBS>,
        bound: &Numbers<LIMBS>,
    ) -> Numbers<LIMBS> {
        dispatch!(self, subtract, (terms, bound))
    }

    /// Multiplies each lane by `2^bits`, with its own number of bits, at most 51.
    pub(crate) fn shift_left<const LIMBS: usize>(
        self,
        value: &Numbers<LIMBS>,
        bits: &Row,
    ) -> Numbers<LIMBS> {
        dispatch!(self, shift_left, (value, bits))
    }

    /// Takes the lanes of `first` whose bit of `mask` is set, and the other lanes of `second`.
    pub(crate) fn select<const LIMBS: usize>(
        self,
        mask: u8,
        (first, second): Pair<LIMBS>,
    ) -> Numbers<LIMBS> {
        dispatch!(self, select, (mask, (first, second)))
    }

    /// Returns for each lane the entry with the index of that lane, or zero. Reads the whole table.
    pub(crate) fn look_up<const LIMBS: usize>(
        self,
        table: &[Numbers<LIMBS>],
        indices: &Row,
    ) -> Numbers<LIMBS> {
        dispatch!(self, look_up, (table, indices))
    }

    /// Splits numbers of little-endian words into limbs, one number per lane. Drops higher bits.
    pub(crate) fn split<const LIMBS: usize, const WORDS: usize>(
        self,
        words: &[&[u64; WORDS]; LANES],
    ) -> Numbers<LIMBS> {
        dispatch!(self, split, words)
    }

    /// Joins the limbs of each lane to little-endian words. Drops higher bits.
    pub(crate) fn join<const LIMBS: usize, const WORDS: usize>(
        self,
        numbers: &Numbers<LIMBS>,
    ) -> [[u64; WORDS]; LANES] {
        dispatch!(self, join, numbers)
    }
}

/// Returns whether the fast kernels are in use: the processor has AVX-512 IFMA, and `PAD_LANES` is
/// not `off`. Otherwise, single numbers are faster with a scalar library.
pub fn are_fast() -> bool {
    !matches!(Path::fastest(), Path::Portable)
}
