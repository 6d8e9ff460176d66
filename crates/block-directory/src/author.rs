//! Authors: the full one, who keeps all entries, and the light one, who keeps at most 48 digests.

mod full;
mod light;
mod peaks;
mod signing;

pub use full::FullAuthor;
pub use light::{Changes, LightAuthor, LightError, LightState};
pub use signing::AuthorError;
