//! Every scheme, run as the comparison runs it.

mod counts;
mod measured;
