//! Benchmarks of outsourced files: times, bytes, and the ratio of each time to the time of its
//! hashes alone.
//!
//! Each of these modules is one experiment:
//!
//! - [`build`]: figures 6 and 7;
//! - [`hash_share`]: figure 8;
//! - [`multi`]: figures 9 and 10, table 2;
//! - [`audit`]: section 4.4;
//! - [`network`]: figures 11 to 13;
//! - [`replay`]: replays a version-control [`trace`].
//!
//! [`locality`] counts the changes of the commits of a trace. [`limits`] measures the hashes that
//! bound every time, and [`counted`] counts hashes.
//!
//! Source: Esiner, Küpçü and Özkasap, section 4.

pub mod arguments;
pub mod audit;
pub mod blocks;
pub mod build;
pub mod counted;
pub mod hash_share;
pub mod limits;
pub mod locality;
pub mod multi;
pub mod network;
pub mod replay;
pub mod table;
pub mod trace;

pub use arguments::FlexlistArguments;
