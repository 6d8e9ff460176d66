//! Outsourced files through the program: a round trip, damage, and a server that is killed.

mod full_disk;
mod kill;
mod liar;
mod operator;
mod refusals;
mod round_trip;
mod ways;
