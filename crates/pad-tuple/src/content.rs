//! The content of a tuple with its value, as authors and servers store it.

use std::sync::Arc;

use pad_core::{Suite, Value};

use crate::{proof::ShownContent, tuple::Content};

/// A value and its digest. Several tuples of a key, for example in different versions, may share
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedValue<S: Suite> {
    /// The value of the key.
    pub value: Value,
    /// The digest of the value.
    pub digest: S::Digest,
}

impl<S: Suite> HashedValue<S> {
    /// Computes the digest of a value.
    pub(crate) fn of(value: Value) -> Arc<Self> {
        let digest = S::value(value.as_bytes());
        Arc::new(Self { value, digest })
    }
}

/// The content of a tuple as authors and servers store it.
pub(crate) type SharedContent<S> = Content<Arc<HashedValue<S>>>;

impl<S: Suite> SharedContent<S> {
    /// Returns the content that states `value`, and computes its digest.
    pub fn of(value: Value) -> Self {
        Self::Value(HashedValue::of(value))
    }

    /// Converts the content in a proof to the form that authors and servers store.
    pub(crate) fn share(shown: &ShownContent) -> Self {
        shown.map(|value| HashedValue::of(value.clone()))
    }

    /// Returns the content in the form in which a proof contains it.
    pub fn shown(&self) -> ShownContent {
        self.map(|value| value.value.clone())
    }

    /// Returns the content as it is hashed into the tuple's digest: with the digest of the value
    /// instead of the value.
    pub fn summary(&self) -> Content<S::Digest> {
        self.map(|value| value.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pad_core::Sha256Ed25519;

    #[test]
    fn a_content_and_its_summary_say_the_same() {
        let value = Value::new(*b"v").expect("short");
        let content = SharedContent::<Sha256Ed25519>::of(value);
        let digest = Sha256Ed25519::value(b"v");
        assert_eq!(content.summary(), Content::Value(digest));
        let nothing = SharedContent::<Sha256Ed25519>::Nothing.summary();
        assert_eq!(nothing, Content::Nothing);
        let removed = SharedContent::<Sha256Ed25519>::Removed.summary();
        assert_eq!(removed, Content::Removed);
    }
}
