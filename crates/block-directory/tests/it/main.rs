//! Integration tests: vectors, an oracle, forgeries, damaged messages, forged hints, and both
//! authors.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod batches;
mod blocks;
mod bounds;
mod crashes;
mod damage;
mod forgeries;
mod hints;
mod hostile;
mod known_answers;
mod known_strategies;
mod light;
mod light_requests;
mod lying_files;
mod oracle;
mod proof_files;
mod roles;
mod store_faults;
mod stored;
mod support;
mod unsound;
