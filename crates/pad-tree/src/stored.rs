//! Trees whose nodes live in a log and are read on demand: dictionaries larger than memory.
//!
//! The nodes of all versions are stored in one append-only log of bytes ([`NodeLog`]). The new
//! nodes of each version are stored together. A node contains the addresses and digests of its two
//! children, so a lookup reads only the nodes on its path.
//!
//! An update reads the nodes on the paths of its keys into a draft, then appends the changed nodes.
//! The draft is a [`NodeStore`](crate::NodeStore) like the stores in memory. So it uses the same
//! balancing schemes, and produces the same roots and proofs. A bulk load into an empty dictionary
//! ([`StoredRepository::publish_sorted`]) needs no draft: it appends nodes while the entries
//! arrive.
//!
//! The log is not trusted. An update checks each node that it reads against the digest in its
//! parent, up to the signed root. Clients reject proofs made from damaged nodes. Separators and
//! balances are not hashed. False separators or balances can make an update produce another root
//! than the author's. The update is then rejected until the separators and balances are repaired.
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
    CopyError, PublishError, RECORDS_FOR_EACH_SUBTREE, SortedError, StoredRepository,
    place_in_record, record_bytes,
};
