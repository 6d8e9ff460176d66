//! Checks that programs in documents compile, also with their alternative lines and outside of the
//! workspace.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod snippets;
mod standalone;
mod tables;
