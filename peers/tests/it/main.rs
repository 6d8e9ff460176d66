//! Every dictionary against an oracle, and what is said of them.

mod oracle;
mod readme;
