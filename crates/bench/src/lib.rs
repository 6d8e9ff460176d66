//! Benchmarks of the workspace: the commands of the program `bench`. The benchmarks under
//! `criterion` share [`mod@measure`].
//!
//! [`mod@tree`], [`mod@tuple`], [`mod@aad`], [`mod@accumulators`], [`mod@directory`] and
//! [`flexlist`] run experiments. They hand result lines ([`line::Line`]) to a [`report::Report`].
//! [`tables`] and [`figures`] show the lines next to the figures of the [`paper`].
//!
//! [`mod@measure`] and [`timing`] run and time the work. `docs/measuring.md` explains each figure.

#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of a measurement: none is negative or reaches 2^53, and indices fit a 64-bit \
              machine"
)]
#![allow(
    missing_debug_implementations,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "measurements are not printed; an error or a wrong answer ends the run"
)]

pub mod aad;
pub mod accumulators;
pub mod advice;
pub mod columns;
pub mod compare;
pub mod costs;
pub mod directory;
pub mod families;
pub mod figures;
pub mod flexlist;
pub mod full_report;
pub mod goals;
pub mod line;
pub mod machine;
pub mod measure;
pub mod paper;
pub mod peers;
mod prelude;
pub mod program;
pub mod report;
mod sizes;
pub mod stored;
pub mod tables;
mod text;
pub mod tree;
pub mod tuple;

pub use comparison::{Outcome, memory, timing, workload};
pub use measure::{counting, cryptography, dictionary, primitives, secret};
