//! Tuple repositories stored as rows, which are read on demand, for dictionaries larger than
//! memory.
//!
//! All data lives in one ordered map of rows ([`Rows`]). Each tuple is stored once, under its
//! number. The records that authenticate it have rows of their own. Every instant of a generation's
//! clock has a *run* of its tuples. A run lists their numbers in the order of lower ends, in pieces
//! of bounded length. The tuple that holds a key at an instant is in the last piece that does not
//! begin above the key. Finding it takes one search and one lookup.
//!
//! A run is written whole at each instant. The cost is proportional to that of the design. At an
//! instant of its clock, each tuple of a generation is signed anew or gets another link. The update
//! has an item for each of them. With one generation, that is all tuples in every version. With two
//! generations, it is about `sqrt(n)` tuples in most versions, and all of them in one of `sqrt(n)`
//! versions.
//!
//! Rows are derived from the signed updates, which the server must keep elsewhere. A repository may
//! be behind the updates, and continues when the missing ones are applied again. Rows therefore
//! need not be durable when an update is acknowledged. Proofs, heads and updates are those of
//! [`TupleRepository`](crate::TupleRepository).
//!
//! Rows are not trusted for correctness, because clients verify signatures. In a proof or lookup, a
//! missing or outdated row results in [`Damaged`](pad_core::LookupError::Damaged) or
//! [`StoreFault::Damaged`](pad_core::StoreFault::Damaged) and never in an absent key. For every key
//! there is a tuple that holds it.
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
pub use heads::StoredHeads;
pub use repository::StoredTupleRepository;
pub use rows::{MemoryRows, Row, RowView, Rows};
