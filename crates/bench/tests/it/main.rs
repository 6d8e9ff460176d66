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

/// Powers and pairings are counted for the whole process: who reads the counters holds this alone, and others who run schemes
/// share it.
static COUNTERS: RwLock<()> = RwLock::new(());
