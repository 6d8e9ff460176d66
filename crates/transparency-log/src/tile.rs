//! Logs as immutable resources (`tlog-tiles`), and a verifying reader.
//!
//! * [`ResourcePath`]: the checkpoint, hash tiles and entry bundles by path.
//! * [`grown`]: the resources that are new after a log has grown. A publisher uploads these, and
//!   the checkpoint last.
//! * [`Fetch`]: an untrusted source of resources; [`TileReader`] verifies what it returns.

mod bundle;
mod fetch;
mod path;
mod reader;

pub use bundle::{BundleError, LONGEST_ENTRY, encode_entry, parse_bundle};
pub use fetch::{Fetch, FetchError, ReadError};
pub use path::{PathError, ResourcePath, Width, grown};
pub use reader::TileReader;
