//! Authenticated dictionaries on equal work: what every scheme costs, and which to choose for a load.
//!
//! [`Measurement`] is what one scheme took for one load; benches, the report and the command line share it.

mod measurement;

pub use measurement::{Measurement, Shape};
