//! Common imports of reports.

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

/// Fails with this reason unless the condition holds.
pub(crate) fn ensure(holds: bool, otherwise: &str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}
