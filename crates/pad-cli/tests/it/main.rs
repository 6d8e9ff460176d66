//! Tests of the real binary.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod accumulated;
mod advise;
mod append_only;
mod bench;
mod bulk;
mod cli;
mod conduct;
mod damaged_pages;
mod directory;
mod documents;
mod file;
mod inspect;
mod json_reference;
mod key_files;
mod kill;
mod lists;
mod log_crashes;
mod log_proofs;
mod log_vectors;
mod memory;
mod messages;
mod names;
mod noted;
mod passphrase;
mod process;
mod python;
mod record;
mod scripts;
mod service;
mod signers;
mod small_disk;
mod status;
mod streams;
mod trust;
mod tuple;
