//! The content of a tuple: what it states about the key at its lower end.

use std::sync::Arc;

use pad_core::{Suite, Value};

use crate::{proof::ShownContent, tuple::Summary};

/// A value and its digest. Several tuples of a key, for example in different versions, may share
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedValue<S: Suite> {
    /// The value of the key.
    pub value: Value,
    /// The digest of the value.
    pub digest: S::Digest,
}

/// The content of a tuple: its statement about the key at the lower end of its interval.
#[derive(Clone, Debug)]
pub enum Content<S: Suite> {
    /// The lower end is not a key of this generation. Only the tuple at the start of the key space
    /// can have this content.
    Nothing,
    /// The key has this value.
    Value(Arc<HashedValue<S>>),
    /// A tombstone: the key was removed, but an older generation may still contain it.
    Removed,
}

impl<S: Suite> Content<S> {
    /// Returns the content that states `value`, and computes its digest.
    pub fn of(value: Value) -> Self {
        let digest = S::value(value.as_bytes());
        Self::Value(Arc::new(HashedValue { value, digest }))
    }

    /// Returns the content as it is hashed into the tuple's digest: with the digest of the value
    /// instead of the value.
    pub fn summary(&self) -> Summary<S::Digest> {
        match self {
            Self::Nothing => Summary::Nothing,
            Self::Value(value) => Summary::Value(value.digest),
            Self::Removed => Summary::Removed,
        }
    }
}

/// Converts the content of a tuple to the form in which a proof contains it.
impl<S: Suite> From<&Content<S>> for ShownContent {
    fn from(content: &Content<S>) -> Self {
        match content {
            Content::Nothing => Self::Nothing,
            Content::Value(value) => Self::Value(value.value.clone()),
            Content::Removed => Self::Removed,
        }
    }
}

/// Converts the content in a proof to the form that authors and servers store.
impl<S: Suite> From<&ShownContent> for Content<S> {
    fn from(shown: &ShownContent) -> Self {
        match shown {
            ShownContent::Nothing => Self::Nothing,
            ShownContent::Value(value) => Self::of(value.clone()),
            ShownContent::Removed => Self::Removed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pad_core::Sha256Ed25519;

    #[test]
    fn a_content_and_its_summary_say_the_same() {
        let value = Value::new(*b"v").expect("short");
        let content = Content::<Sha256Ed25519>::of(value);
        let digest = Sha256Ed25519::value(b"v");
        assert_eq!(content.summary(), Summary::Value(digest));
        let nothing = Content::<Sha256Ed25519>::Nothing.summary();
        assert_eq!(nothing, Summary::Nothing);
        let removed = Content::<Sha256Ed25519>::Removed.summary();
        assert_eq!(removed, Summary::Removed);
    }
}
