//! What documents promise about programs: that they compile, also with another line, and outside of the workspace.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod snippets;
mod standalone;
mod tables;
