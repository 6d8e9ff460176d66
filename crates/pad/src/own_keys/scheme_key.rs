//! The public half of the key that some schemes have beside the author's.

use core::{any::Any, fmt};
use std::sync::Arc;

/// The public half of a scheme's own key: what clients verify with beside the author's key.
///
/// It was checked once, which may take long, and copies share it.
#[derive(Clone)]
pub struct SchemeKey {
    bytes: Vec<u8>,
    key: Arc<dyn Any + Send + Sync>,
}

impl SchemeKey {
    /// A key that its scheme has accepted, and its encoding.
    pub fn new(bytes: Vec<u8>, key: impl Any + Send + Sync) -> Self {
        let key = Arc::new(key);
        Self { bytes, key }
    }

    /// The key in the encoding of its scheme, which has accepted it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The key itself, if it is of this type.
    pub fn get<K: 'static>(&self) -> Option<&K> {
        self.key.downcast_ref()
    }
}

/// By their encodings, of which each key has one.
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
