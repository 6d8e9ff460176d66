//! Trees whose nodes are stored, and read when they are needed: dictionaries larger than memory.
//!
//! The nodes of all versions stand in one append-only log of bytes ([`NodeLog`]), each version's new nodes together. A node says where
//! its two children are and what their digests are, so a look-up reads the nodes on its way and none beside it. An update reads the
//! nodes on the ways of its keys into a draft, which is a [`NodeStore`](crate::NodeStore) as those in memory are: the balancing
//! schemes, and so roots and proofs, are the same. Then it appends what has changed. A first version, which has nothing to read, is laid out
//! while its entries come.
//!
//! What is stored is believed in nothing that counts: a node that an update reads has the digest that its parent says, up to the signed
//! root, and a proof from damaged nodes is refused by clients. Separators and balances are not hashed. With false ones an update leads
//! to another root than the author's, and is refused as long as they stay.
//!
//! Source: path copying of Crosby & Wallach 2010, section 3.2.1, with the nodes on disk.

mod blocks;
mod build;
mod cache;
mod draft;
mod held;
mod layout;
mod link;
mod log;
mod nodes;
mod record;
mod repository;
mod view;

pub use cache::{CacheSize, LogId, NodeCache, WarmError, Warming};
pub use log::{MemoryLog, NodeLog};
pub use repository::{
    CopyError, PublishError, RECORDS_FOR_EACH_SUBTREE, SortedError, StoredHeads, StoredRepository,
    place_in_record, record_bytes,
};
