//! Append-only authenticated dictionaries and sets: logs whose look-ups are complete and whose past cannot change.
#![cfg_attr(not(feature = "std"), no_std)]
// Most of this reads bytes that anybody may have made. Modules that count with them deny unchecked arithmetic too.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

extern crate alloc;

#[cfg(feature = "std")]
pub mod author;
mod certificate;
pub mod client;
mod counted;
pub mod element;
pub mod hash;
pub mod log;
pub mod prefix;
pub mod proof;
pub mod scheme;
pub mod shape;
pub mod statement;
mod walk;

#[cfg(feature = "std")]
pub use author::{AppendError, Appended, AuthorError, Entries, LogAuthor, LogRepository};
pub use client::{Continuation, LogClient, LogRefusal};
pub use log::{Log, LogRoot, Setup};
pub use proof::{AbsenceProof, AppendOnlyProof, Growth, InclusionProof, LookupProof};
pub use scheme::{AadCounted, AasCounted, DictionaryScheme, Scheme, SetScheme};
pub use shape::{Schedule, Shape};
pub use statement::{Absent, Entry, Grown, Included, Values};
