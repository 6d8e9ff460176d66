//! Reading a version: with proofs to come, and without.

use std::collections::BTreeMap;

use pad_core::{Key, LookupError, Suite, Value, Version};

use super::{StoredTuple, TupleRepository};
use crate::{
    content::Content,
    design::{Design, TupleId},
    proof::{ShownContent, ShownTuple},
};

impl<S: Suite, D: Design<S>> TupleRepository<S, D> {
    /// The value of a key in a version, without proof.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn lookup(&self, version: Version, key: &Key) -> Result<Option<Value>, LookupError> {
        let shown = match version {
            Version::EMPTY => None,
            version => {
                let shown = self.tuples_for(&self.instants(version)?, key);
                shown.ok_or(LookupError::Damaged { version })?.pop()
            }
        };
        Ok(match shown {
            Some((
                ShownTuple::At {
                    content: ShownContent::Value(value),
                    ..
                },
                _,
            )) => Some(value),
            _ => None,
        })
    }

    /// The contents of a version, in ascending order of keys.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn entries(&self, version: Version) -> Result<BTreeMap<Key, Value>, LookupError> {
        let mut entries = BTreeMap::new();
        // Older generations first, so that younger ones overrule them.
        for (generation, instant) in self.instants(version)?.into_iter().enumerate().rev() {
            let tuples = self.indexes[generation].entries(Version::new(instant));
            for (lower, number) in tuples.into_iter().flatten() {
                let key = lower_end(lower).ok_or(LookupError::Damaged { version })?;
                let number = read_number(number).ok_or(LookupError::Damaged { version })?;
                let stored = self
                    .stored(number)
                    .ok_or(LookupError::Damaged { version })?;
                match &stored.content {
                    Content::Nothing => {}
                    Content::Removed => drop(entries.remove(&key)),
                    Content::Value(value) => drop(entries.insert(key, value.value.clone())),
                }
            }
        }
        Ok(entries)
    }

    /// The tuples that answer a look-up, and their numbers. `None` if a generation has no tuple that holds
    /// the key, which is so only if somebody else wrote it.
    pub(crate) fn tuples_for(
        &self,
        instants: &[u64],
        key: &Key,
    ) -> Option<Vec<(ShownTuple<S>, TupleId)>> {
        let mut shown = Vec::with_capacity(instants.len());
        for (generation, instant) in instants.iter().enumerate() {
            let (tuple, number) = self.tuple_at(generation, *instant, key)?;
            let decides = tuple.decides();
            shown.push((tuple, number));
            if decides {
                break;
            }
        }
        Some(shown)
    }

    /// The tuple of one generation that holds a key, as a proof for the key shows it.
    pub(crate) fn tuple_at(
        &self,
        generation: usize,
        instant: u64,
        key: &Key,
    ) -> Option<(ShownTuple<S>, TupleId)> {
        let (lower, number, stored) = self.floor(generation, instant, key.as_bytes())?;
        let upper = stored.upper.clone();
        let tuple = if lower == key.as_bytes() {
            let content = ShownContent::from(&stored.content);
            ShownTuple::At { upper, content }
        } else {
            ShownTuple::Below {
                lower: lower_end(lower)?,
                upper,
                content: stored.content.summary(),
            }
        };
        Some((tuple, number))
    }

    /// The tuple of one generation that holds a key: its lower end, number and contents.
    pub(crate) fn floor(
        &self,
        generation: usize,
        instant: u64,
        key: &[u8],
    ) -> Option<(&[u8], TupleId, &StoredTuple<S>)> {
        let (lower, number) = self
            .indexes
            .get(generation)?
            .floor(Version::new(instant), key)?;
        let number = read_number(number)?;
        Some((lower, number, self.stored(number)?))
    }

    pub(crate) fn stored(&self, number: TupleId) -> Option<&StoredTuple<S>> {
        self.tuples.get(number.position())?.as_ref()
    }
}

/// A lower end from an index as a key; it was one unless somebody else wrote the index.
pub(crate) fn lower_end(lower: &[u8]) -> Option<Key> {
    Key::new(lower).ok()
}

pub(crate) fn read_number(bytes: &[u8]) -> Option<TupleId> {
    Some(TupleId(u32::from_le_bytes(bytes.try_into().ok()?)))
}
