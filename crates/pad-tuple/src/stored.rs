//! Tuples that are stored as rows, and read when they are needed: dictionaries larger than memory.
//!
//! Everything stands in one ordered map of rows ([`Rows`]): each tuple once, under its number; what authenticates it; and for every instant of a
//! generation's clock the *run* of its tuples, the numbers in the order of lower ends, in pieces of a bounded length. The tuple that holds a
//! key at an instant is in the last piece that does not begin above the key: one search, one row.
//!
//! A run is written whole at each instant. That costs what the design itself costs: at an instant of its clock each tuple of a generation is
//! signed anew or gets another link, and the update says so with an item for each. With one generation these are all tuples in every
//! version; with two, about `sqrt(n)` in most versions and all of them in one of `sqrt(n)`.
//!
//! The rows follow from the signed updates, which somebody keeps besides. A repository can be behind those, and goes on when it is given what
//! it lacks; so rows need not be durable when an update is acknowledged. Proofs, heads and updates are those of
//! [`TupleRepository`](crate::TupleRepository).
//!
//! What is read is believed in nothing that counts: clients verify signatures. A row that is missing or of another time makes
//! [`Damaged`](pad_core::LookupError::Damaged) and never an absent key: whatever is looked for, there is a tuple that holds it.
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
