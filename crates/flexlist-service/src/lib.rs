//! Outsourced files over a network: a durable store, a server and a client of FlexDPDP.

pub mod client;
pub mod directory;
pub mod message;
pub mod network;
pub mod server;
pub mod signed;
pub mod store;
