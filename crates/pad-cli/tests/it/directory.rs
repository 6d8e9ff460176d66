//! `pad directory`, from outside.

mod hints;
mod journeys;
mod kill;
mod trust;
