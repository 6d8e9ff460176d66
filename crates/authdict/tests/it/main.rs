//! Integration tests of the library.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod bulk;
mod damage;
mod documents;
mod durable;
mod facade;
mod head_vectors;
mod json;
#[cfg(feature = "log")]
mod log;
#[cfg(feature = "log")]
mod log_files;
mod memory;
#[cfg(feature = "object-store")]
mod object_cache;
#[cfg(feature = "object-store")]
mod objects;
mod proof_file;
mod shop;
mod signers;
#[cfg(feature = "tracing")]
mod spans;
mod stored;
mod stored_tuples;
mod witnessed;
