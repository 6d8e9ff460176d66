//! A log as resources that never change (`tlog-tiles`), and a reader of them.
//!
//! * [`ResourcePath`]: the checkpoint, tiles of hashes and bundles of entries by their paths.
//! * [`grown`]: which resources are new when a log has grown. Whoever publishes a log puts these where its readers look,
//!   and the checkpoint last.
//! * [`Fetch`]: wherever resources come from; [`TileReader`] believes nothing of them.

mod bundle;
mod fetch;
mod path;
mod reader;

pub use bundle::{BundleError, LONGEST_ENTRY, encode_entry, parse_bundle};
pub use fetch::{Fetch, FetchError, ReadError};
pub use path::{PathError, ResourcePath, Width, grown};
pub use reader::TileReader;
