//! Time budget and number of repetitions of measurements.

use comparison::timing::{self, Timings};

use crate::Outcome;

/// Time budget and number of repetitions of measurements.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Time budget and maximum number of operations for each figure.
    pub figure: timing::Effort,
    /// Maximum number of snapshots for each figure.
    pub snapshots: usize,
    /// Number of proofs of each kind that are checked, measured in bytes, and verified.
    pub proofs: usize,
}

impl Effort {
    /// Effort for figures that are reproducible on an idle machine.
    pub const FULL: Self = Self {
        figure: timing::Effort::FULL,
        snapshots: 200,
        proofs: 32,
    };

    /// Effort that only shows that everything works, and allows rough comparisons.
    pub const QUICK: Self = Self {
        figure: timing::Effort::QUICK,
        snapshots: 10,
        proofs: 8,
    };

    /// Times `work` on freshly prepared input, until the operations or the time budget are used up.
    ///
    /// # Errors
    /// The last error that `work` returned.
    pub fn repeat<T, R>(
        &self,
        prepare: impl FnMut() -> T,
        work: impl FnMut(T) -> Outcome<R>,
    ) -> Outcome<Timings> {
        self.figure.try_repeat_each(CHUNK, prepare, work)
    }
}

const CHUNK: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_prepared_and_errors_are_told() {
        let (mut prepared, mut worked) = (0_usize, 0_usize);
        let work = |()| {
            worked += 1;
            Ok(())
        };
        let timings = Effort::QUICK.repeat(|| prepared += 1, work).unwrap();
        assert_eq!(prepared, worked);
        assert_eq!(worked, timings.operations() + 1);
        let fails = |()| Err::<(), _>("no".into());
        assert!(Effort::QUICK.repeat(|| (), fails).is_err());
    }
}
