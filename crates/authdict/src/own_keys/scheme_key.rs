//! The public half of the key that some schemes have in addition to the author's key.

use core::{any::Any, fmt};
use std::sync::Arc;

/// The public half of a scheme's own key pair. Clients verify with this key and the author's key.
///
/// A value is created only after its scheme has checked the key, which may take long. Clones share
/// the checked key.
#[derive(Clone)]
pub struct SchemeKey {
    bytes: Vec<u8>,
    key: Arc<dyn Any + Send + Sync>,
}

impl SchemeKey {
    /// Wraps a public key that its scheme has checked and accepted: `bytes` is its encoding, `key`
    /// its decoded form.
    pub fn new(bytes: Vec<u8>, key: impl Any + Send + Sync) -> Self {
        let key = Arc::new(key);
        Self { bytes, key }
    }

    /// Returns the encoding of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the decoded key; `None` if its type is not `K`.
    pub fn get<K: 'static>(&self) -> Option<&K> {
        self.key.downcast_ref()
    }
}

/// Compares encodings, because each key has exactly one encoding.
impl PartialEq for SchemeKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for SchemeKey {}

impl fmt::Display for SchemeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(&self.bytes))
    }
}

impl fmt::Debug for SchemeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SchemeKey({self})")
    }
}
