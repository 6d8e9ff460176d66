//! Servers, clients, mirrors and liars on the loopback interface, with real TLS.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod fixture;
mod hostile;
mod liars;
mod mirror;
mod openapi;
mod serve;
mod witnesses;
