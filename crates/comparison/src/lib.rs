//! Comparison of authenticated dictionaries on equal work: costs of every scheme, and advice on the
//! scheme for a load.
//!
//! Not a public interface: no stability between versions. Used by the benchmarks and `pad
//! advise`.
//!
//! - [`schemes()`] lists the compared schemes and their properties.
//! - [`Measurement`] contains the figures of one scheme for one load. The program `bench` and the
//!   command line share it.
//! - [`workload`] describes work, generated or recorded. `bench` runs schemes on it; this crate
//!   does not.
//! - [`timing`] and [`memory`] measure time and memory.
//! - [`prices`] contains providers' prices, and [`cost`] computes the cost of a load.
//! - [`line`](mod@line) finds the point from which another scheme is the cheapest.
//! - [`estimates`] estimates figures for loads that were not measured.
//! - [`advice`] ranks all schemes by cost and by a user's [`needs`], for a described load or the
//!   load of a [`trace`].
//! - [`records`] reads measurements, and contains the measurements bundled with this crate.

#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of a measurement: none reaches 2^53, and indices fit a 64-bit machine"
)]
#![allow(
    missing_debug_implementations,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "nobody prints a run; what it fails with, or a wrong answer, ends it"
)]

pub mod advice;
pub mod cost;
pub mod estimates;
pub mod line;
pub mod measurement;
pub mod memory;
pub mod needs;
pub mod prices;
mod processor;
pub mod random;
pub mod records;
mod schemes;
pub mod timing;
pub mod trace;
pub mod workload;

pub use cost::{Clients, Cost, Load, Term};
pub use measurement::{Measurement, Shape};
pub use prices::{PriceBook, PriceEntry, PriceError, Prices};
pub use processor::{processor, processor_time};
pub use schemes::{Place, Properties, Scheme, SchemeFamily, scheme, schemes};
pub use workload::{Work, Workload};

/// Result whose error is a message for people.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Returns the error `otherwise` unless `holds` is true.
pub fn ensure(holds: bool, otherwise: &str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// Returns a measurement of `scheme` with made-up figures, for tests.
#[cfg(test)]
fn sample(scheme: &str) -> Measurement {
    Measurement {
        scheme: scheme.into(),
        shape: Shape {
            workload: "updates".into(),
            keys: 1000,
            changes: 1,
            key_bytes: 8,
            value_bytes: 32,
            seed: 1,
        },
        snapshots: 10,
        whole_cycles: true,
        stopped: "finished".into(),
        author_us: 100.0,
        update_bytes: 500.0,
        apply_us: 50.0,
        prove_us: Some(10.0),
        prove_old_us: Some(20.0),
        proof_bytes: Some(200.0),
        verify_us: Some(5.0),
        memory_bytes_per_key: Some(100.0),
        memory_bytes_per_snapshot: Some(300.0),
        author_cryptography_us: Some(80.0),
        apply_cryptography_us: Some(40.0),
        verify_cryptography_us: Some(4.0),
        ..Measurement::default()
    }
}
