//! The format of a log's scheme key in key files: the log's parameters and its shape.

use pad_log::Setup;
use zeroize::Zeroizing;

use super::{NoRandomness, SchemeKey, SchemeKeyFormat};

/// The format of a log's scheme key ([`Setup::to_bytes`]).
pub(crate) struct SetupFormat;

impl SchemeKeyFormat for SetupFormat {
    fn generate(&self, _: usize) -> Result<Zeroizing<Vec<u8>>, NoRandomness> {
        Ok(Zeroizing::default())
    }

    fn is_of_parameters(&self) -> bool {
        true
    }

    fn public_of(&self, secret: &[u8]) -> Option<SchemeKey> {
        self.public(secret)
    }

    fn public(&self, bytes: &[u8]) -> Option<SchemeKey> {
        let setup = Setup::from_bytes(bytes).ok()?;
        Some(SchemeKey::new(bytes.to_vec(), setup))
    }
}
