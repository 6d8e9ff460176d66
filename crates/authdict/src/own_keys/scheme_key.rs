//! The public half of a scheme's own key.

use core::{any::Any, fmt};
use std::sync::Arc;

/// The public half of a scheme's own key. Clients verify with it and the author's key.
///
/// Construction checks the key, which may take long. Copies share the checked key.
#[derive(Clone)]
pub struct SchemeKey {
    bytes: Vec<u8>,
    key: Arc<dyn Any + Send + Sync>,
}

impl SchemeKey {
    /// A key that its scheme has accepted, with its encoding.
    pub fn new(bytes: Vec<u8>, key: impl Any + Send + Sync) -> Self {
        let key = Arc::new(key);
        Self { bytes, key }
    }

    /// The encoding, which the scheme has accepted.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The key itself, if it is of this type.
    pub fn get<K: 'static>(&self) -> Option<&K> {
        self.key.downcast_ref()
    }
}

/// Compares encodings; each key has only one.
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
