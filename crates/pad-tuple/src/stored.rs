//! Tuple repositories stored as rows, which are read on demand, for dictionaries larger than
//! memory.
//!
//! All data lives in one ordered map of rows ([`Rows`]). Each tuple is stored once, under its
//! number. The records that authenticate tuples have separate rows. For every instant of a
//! generation's clock, a *run* lists the numbers of the generation's tuples. A run is in the order
//! of lower ends, in pieces of bounded length. The tuple whose interval contains a key at an
//! instant is in the last piece that does not begin above the key. Finding the tuple takes one
//! search and one lookup.
//!
//! A run is written as a whole at each instant. The cost is proportional to the cost of the design:
//! at each instant, every tuple of the generation is signed anew or gets another link. The update
//! contains an item for each of these tuples. With one generation, the run lists all tuples in
//! every version. With two generations, it lists about `sqrt(n)` tuples in most versions, and all
//! tuples in one of `sqrt(n)` versions.
//!
//! Rows are derived from the signed updates, which the server must store elsewhere. A repository
//! whose rows lack the latest updates continues when these updates are applied again. Rows
//! therefore need not be durable when an update is acknowledged. A stored repository and a
//! [`TupleRepository`](crate::TupleRepository) give equal proofs, heads and updates.
//!
//! Rows are not trusted for correctness, because clients verify signatures. In a proof or lookup, a
//! missing or outdated row results in [`Damaged`](pad_core::LookupError::Damaged) or
//! [`StoreFault::Damaged`](pad_core::StoreFault::Damaged) and never in an absent key. The reason is
//! that every key is in the interval of some tuple.
//!
//! Source: Crosby & Wallach 2010, section 4, with the tuples on disk.

mod after;
mod apply;
mod design;
mod error;
mod heads;
mod layout;
mod load;
mod prune;
mod publish;
mod read;
mod repository;
mod rows;
mod run;
mod vouched;

pub use design::StorableDesign;
pub use error::PublishError;
pub use repository::StoredTupleRepository;
pub use rows::{MemoryRows, Row, RowView, Rows};
