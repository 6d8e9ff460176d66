//! What nearly every report is written with.

pub(crate) use comparison::{
    Outcome,
    primitives::{author_key, signing_key},
    timing::{Distribution, Effort, Timings, median, microseconds, percentile, stopwatch},
    workload::Random,
};

pub(crate) use crate::{
    line::{Line, groups, of},
    report::{Manner, Report},
};

/// Fails for this reason unless it holds.
pub(crate) fn ensure(holds: bool, otherwise: &str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}
