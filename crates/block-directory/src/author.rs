//! Authors of directories. The full author stores all entries; the light author stores at most 48
//! digests.

mod changes;
mod full;
mod light;
mod peaks;
mod pending;
mod request;
pub(crate) mod signing;
mod witness;

pub use changes::Changes;
pub use full::FullAuthor;
pub use light::{LightAuthor, LightState};
pub use request::WitnessAnswerError;
pub use signing::{AuthorError, LightError};
