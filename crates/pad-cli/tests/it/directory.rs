//! Tests of `pad directory` with the real binary.

mod hints;
pub(crate) mod journeys;
mod kill;
pub(crate) mod light;
mod trust;
