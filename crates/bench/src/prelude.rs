//! Imports that most benchmark modules share.

pub(crate) use comparison::{
    Outcome,
    timing::{Distribution, Effort, Timings, median, microseconds, percentile, stopwatch},
    workload::Random,
};

pub(crate) use crate::{
    line::{Line, groups, of},
    primitives::{author_key, signing_key},
    report::{Manner, Report},
};

/// Returns the error `otherwise` unless `holds` is true.
pub(crate) fn ensure(holds: bool, otherwise: &str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}
