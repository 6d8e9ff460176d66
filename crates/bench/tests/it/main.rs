//! The bench command, at sizes that a test can afford.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::RwLock;

mod aad;
mod accumulators;
mod advice;
mod arguments;
mod compare;
mod counts;
mod directory;
mod flexlist;
mod full_report;
mod measured;
mod names;
mod report;
mod scale;
mod sections;

/// Lock of the counters of powers and pairings, which count for the whole process.
///
/// A test that reads the counters locks it for writing. Other tests that run schemes lock it for
/// reading.
static COUNTERS: RwLock<()> = RwLock::new(());
