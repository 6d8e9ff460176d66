//! Authenticated dictionaries on equal work: what every scheme costs, and which to choose for a load.
//!
//! [`schemes()`] is what is compared, with what each can prove. [`Measurement`] is what one scheme took for one load; benches, the
//! report and the command line share it.
//!
//! [`coefficients`] reads and writes measurements as JSON lines.
//!
//! [`workload`] has the work, as values: generated or recorded. With the default feature `measure` all schemes can be run on it:
//! [`measure()`] takes one through a [`run`] of author and server, and lets a client check its answers ([`lookups`]) before it times them.
//! [`roles`] is what that needs of a family; [`dictionary`] has it for all families of `pad-core`. [`timing`], [`memory`],
//! [`counting`], [`cryptography`] and [`primitives`] are what every report measures with.

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

pub mod coefficients;
#[cfg(feature = "measure")]
pub mod contenders;
#[cfg(feature = "measure")]
pub mod counting;
#[cfg(feature = "measure")]
pub mod cryptography;
#[cfg(feature = "measure")]
pub mod dictionary;
#[cfg(feature = "measure")]
pub mod lookups;
#[cfg(feature = "measure")]
mod measure;
pub mod measurement;
pub mod memory;
#[cfg(feature = "measure")]
pub mod primitives;
pub mod random;
#[cfg(feature = "measure")]
pub mod roles;
#[cfg(feature = "measure")]
pub mod run;
mod schemes;
#[cfg(feature = "measure")]
pub mod secret;
pub mod timing;
pub mod workload;

#[cfg(feature = "measure")]
pub use measure::{Loaded, measure};
pub use measurement::{Measurement, NotMeasured, Record, Shape};
pub use schemes::{Properties, Scheme, SchemeFamily, scheme, schemes};
pub use workload::{Work, Workload};

/// A result, or why there is none, for people.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
