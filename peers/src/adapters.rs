//! One adapter for each dictionary: third-party dictionaries, then ours.

pub mod akd;
pub mod eth_trie;
pub mod jmt;
pub mod monotree;
pub mod nomt;
pub mod sparse_merkle_tree;
pub mod vb_accumulator;

pub mod accumulator;
pub mod log;
pub mod tree;
