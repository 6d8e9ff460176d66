//! Half-open ranges of keys, with optional bounds.

use core::{cmp::Ordering, ops::Bound};

use serde::{Deserialize, Serialize};

use crate::key::Key;

/// A half-open range of keys: from `start` (included) to `end` (excluded).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRange {
    /// The inclusive lower bound; `None` if the range has no lower bound.
    pub start: Option<Key>,
    /// The exclusive upper bound; `None` if the range has no upper bound.
    pub end: Option<Key>,
}

impl KeyRange {
    /// The range of all keys.
    pub const ALL: Self = Self {
        start: None,
        end: None,
    };

    /// The range of the keys that begin with `prefix`: all keys if `prefix` is empty.
    pub fn prefix(prefix: Key) -> Self {
        // The end is the smallest key above all keys with this prefix. There is none if every byte
        // of `prefix` is 255.
        let mut end = prefix.as_bytes().to_vec();
        while end.pop_if(|last| *last == u8::MAX).is_some() {}
        if let Some(last) = end.last_mut() {
            *last = last.saturating_add(1);
        }
        let is_empty = prefix.as_bytes().is_empty();
        Self {
            // `end` is no longer than `prefix`, so it is a valid key.
            end: Some(end)
                .filter(|end| !end.is_empty())
                .and_then(|end| Key::new(end).ok()),
            start: Some(prefix).filter(|_| !is_empty),
        }
    }

    /// Whether a key lies before (`Less`), in (`Equal`) or after (`Greater`) the range.
    #[doc(hidden)]
    pub fn place(&self, key: &[u8]) -> Ordering {
        if self
            .start
            .as_ref()
            .is_some_and(|start| key < start.as_bytes())
        {
            Ordering::Less
        } else if self.end.as_ref().is_some_and(|end| key >= end.as_bytes()) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    /// Whether a key lies in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.place(key).is_eq()
    }

    /// Whether this range is valid and a prefix of `whole`. A prefix has the same start, and its
    /// end lies within `whole` or equals the end of `whole`.
    #[doc(hidden)]
    pub fn is_beginning_of(&self, whole: &Self) -> bool {
        let ends_within = |end: &Key| whole.contains(end.as_bytes());
        self.is_valid()
            && self.start == whole.start
            && (self.end == whole.end || self.end.as_ref().is_some_and(ends_within))
    }

    /// Whether the bounds of this range lie within the bounds of `whole`.
    #[doc(hidden)]
    pub fn lies_in(&self, whole: &Self) -> bool {
        let starts_within = match (&self.start, &whole.start) {
            (Some(start), Some(whole)) => start >= whole,
            (None, Some(_)) => false,
            (_, None) => true,
        };
        let ends_within = match (&self.end, &whole.end) {
            (Some(end), Some(whole)) => end <= whole,
            (None, Some(_)) => false,
            (_, None) => true,
        };
        starts_within && ends_within
    }

    /// Whether the start is below the end. A range without start or without end is always valid.
    #[doc(hidden)]
    pub fn is_valid(&self) -> bool {
        match (&self.start, &self.end) {
            (Some(start), Some(end)) => start < end,
            _ => true,
        }
    }

    /// Converts the range to a pair of [`Bound`]s on byte strings, as ordered maps take them.
    #[doc(hidden)]
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (
            self.start
                .as_ref()
                .map_or(Bound::Unbounded, |key| Bound::Included(key.as_bytes())),
            self.end
                .as_ref()
                .map_or(Bound::Unbounded, |key| Bound::Excluded(key.as_bytes())),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_a_prefix_are_a_range() {
        let range = |prefix: &[u8]| {
            let KeyRange { start, end } = KeyRange::prefix(Key::new(prefix).unwrap());
            [start, end].map(|key| key.map(|key| key.as_bytes().to_vec()))
        };
        let key = |bytes: &[u8]| Some(bytes.to_vec());
        assert_eq!(range(b""), [None, None]);
        assert_eq!(range(b"ab"), [key(b"ab"), key(b"ac")]);
        assert_eq!(range(b"a\xff"), [key(b"a\xff"), key(b"b")]);
        assert_eq!(range(b"a\xff\xff"), [key(b"a\xff\xff"), key(b"b")]);
        assert_eq!(range(b"\xff"), [key(b"\xff"), None]);
        assert_eq!(range(b"\xff\xff"), [key(b"\xff\xff"), None]);
        let longest = [b'a'; crate::MAX_KEY_LENGTH];
        assert!(KeyRange::prefix(Key::new(longest).unwrap()).contains(&longest));
    }
}
