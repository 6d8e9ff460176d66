//! The bench command, at sizes that a test can afford.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

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
mod output;
mod report;
mod scale;
mod sections;
mod unit;
