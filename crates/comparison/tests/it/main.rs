//! Every scheme, run as the comparison runs it.

mod measured;
