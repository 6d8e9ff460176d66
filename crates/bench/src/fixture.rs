//! Names of the benchmarks that run under `criterion`.

use std::fmt::Display;

/// Formats a benchmark's id, for example `scheme=red_black store=cache_median keys=10000`.
pub fn id(parameters: &[(&str, &dyn Display)]) -> String {
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}").replace('-', "_"))
        .collect();
    parameters.join(" ")
}
