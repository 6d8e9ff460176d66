//! Outsourced files over a network: a durable store, a server and a client of FlexDPDP.

pub mod directory;
pub mod message;
