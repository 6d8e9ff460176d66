//! Tests of `pad serve`, `pad mirror`, `--server` and `--push` with real processes and real TLS.

mod deploy;
mod directories;
mod kept;
mod killed;
mod memory;
mod names;
mod objects;
mod parties;
mod process;
mod refusals;
mod units;
mod views;
mod witnesses;
