//! Adapters, one for each measured dictionary: third-party dictionaries, and ours.

pub mod akd;
pub mod eth_trie;
pub mod jmt;
pub mod monotree;
pub mod nomt;
pub mod rs_merkle;
pub mod signed_rows;
pub mod sparse_merkle_tree;
pub mod vb_accumulator;

pub mod accumulator;
pub mod log;
pub mod tree;
