//! Tests of commands for outsourced files: a round trip, damage, and a server that is killed.

mod full_disk;
mod kill;
mod liar;
mod operator;
mod public;
mod refusals;
mod round_trip;
mod standard;
mod states;
mod ways;
