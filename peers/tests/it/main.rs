//! Tests of every dictionary against an oracle, and of its description.

mod oracle;
mod readme;
