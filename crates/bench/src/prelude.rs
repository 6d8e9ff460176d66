//! Imports that most benchmark modules share.

pub(crate) use comparison::{
    Outcome, ensure,
    timing::{Distribution, Effort, Timings, median, microseconds, percentile, stopwatch},
    workload::Random,
};

pub(crate) use crate::{
    line::{Line, groups, of},
    primitives::{author_key, signing_key},
    report::{Manner, Report},
};

/// Returns the name of a recorded trace: that of its file, without extensions.
pub(crate) fn trace_name(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}
