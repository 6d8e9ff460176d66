//! Tests of the real binary.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[cfg(feature = "accumulators")]
mod accumulated;
mod advise;
#[cfg(feature = "log")]
mod append_only;
mod bench;
mod bulk;
mod cli;
mod conduct;
mod damaged_pages;
mod directory;
mod documents;
#[cfg(feature = "file")]
mod file;
mod inspect;
#[cfg(all(
    feature = "file",
    feature = "log",
    feature = "network",
    feature = "passphrase",
    unix
))]
mod json_reference;
#[cfg(all(
    feature = "accumulators",
    feature = "log",
    feature = "bls",
    feature = "file"
))]
mod key_files;
mod kill;
mod lists;
#[cfg(feature = "log")]
mod log_crashes;
#[cfg(feature = "log")]
mod log_proofs;
#[cfg(feature = "log")]
mod log_vectors;
mod memory;
mod messages;
mod names;
mod noted;
#[cfg(all(feature = "passphrase", unix))]
mod passphrase;
#[cfg(any(feature = "file", feature = "network"))]
mod process;
mod python;
mod record;
#[cfg(all(feature = "network", unix))]
mod scripts;
#[cfg(feature = "network")]
mod service;
#[cfg(unix)]
mod signers;
#[cfg(any(feature = "log", feature = "file", feature = "network"))]
mod small_disk;
mod status;
mod streams;
mod trust;
mod tuple;
