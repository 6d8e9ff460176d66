//! Integration tests of the service, through its public interface.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod audits;
mod bounds;
mod client;
mod crashes;
mod damage;
mod limits;
mod network;
mod owner;
mod plan;
mod races;
mod refusals;
mod removal;
mod resends;
mod storm;
mod updates;
mod uploads;
mod verify;
