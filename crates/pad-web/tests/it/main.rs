//! Tests of the server with honest and hostile clients, over the loopback interface.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod fixture;
mod handlers;
mod limits;
mod peers;
mod slow;
mod stopping;
mod tls;
