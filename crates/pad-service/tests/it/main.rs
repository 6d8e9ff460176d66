//! Tests of servers, clients, mirrors and lying servers on the loopback interface, with real TLS.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod asynchronous;
mod directories;
mod fixture;
mod head_log;
mod hostile;
mod keep;
mod liars;
mod load;
#[cfg(unix)]
mod lost_store;
mod lying_store;
mod mirror;
mod notes;
mod openapi;
mod parts;
mod router;
mod second_head;
mod serve;
mod values;
mod witnesses;
