//! FlexList and FlexDPDP: provable data possession for outsourced files that change at any byte.

pub mod audit;
pub mod bytes;
pub mod challenge;
pub mod chunk;
pub mod detection;
pub mod diff;
pub mod edit;
pub mod error;
mod file_id;
pub mod level;
pub mod list;
mod sealed;
pub mod tag;

pub use file_id::FileId;
pub use level::Level;
pub use list::FlexList;
pub use sealed::FileState;
