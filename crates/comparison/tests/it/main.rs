//! Every scheme, run as the comparison runs it.

use std::sync::RwLock;

mod counts;
mod measured;

/// Powers and pairings are counted for the whole process: who reads the counters holds this alone, and others who run schemes
/// share it.
static COUNTERS: RwLock<()> = RwLock::new(());
