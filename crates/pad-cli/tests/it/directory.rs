//! Tests of `pad directory` with the real binary.

mod hints;
mod journeys;
mod kill;
mod trust;
