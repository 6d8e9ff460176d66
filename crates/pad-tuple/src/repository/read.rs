//! Reads a version of a repository in memory, for proofs and for lookups without proof.

use std::{borrow::Cow, collections::BTreeMap};

use pad_core::{Key, LookupError, SignedHead, Suite, Value, Version};

use super::TupleRepository;
use crate::{
    design::{Design, Placed, TupleId},
    kept::{TupleEntry, read_number},
    source::{self, Source, SourceTuple},
    tuple::Content,
};

impl<S: Suite, D: Design<S>> TupleRepository<S, D> {
    /// Returns the value of a key in `version`, or `None` if it is absent. There is no proof. For
    /// version 0 the result is always `None`, even if the version was pruned.
    ///
    /// # Errors
    /// [`LookupError`] if the version (other than 0) does not exist or was pruned, or a restored
    /// checkpoint is damaged.
    pub fn lookup(&self, version: Version, key: &Key) -> Result<Option<Value>, LookupError> {
        match version {
            Version::EMPTY => Ok(None),
            version => source::lookup(self, version, key),
        }
    }

    /// Returns all entries of `version`, in ascending order of keys, without proof.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, or damage to a restored
    /// checkpoint is noticed.
    pub fn entries(&self, version: Version) -> Result<BTreeMap<Key, Value>, LookupError> {
        let damaged = LookupError::Damaged { version };
        let mut entries = BTreeMap::new();
        let instants = Source::<S, D>::instants(self, version)?;
        // Older generations come first, so that younger generations override them.
        for (generation, instant) in instants.into_iter().enumerate().rev() {
            let tuples = self.indexes[generation].entries(Version::new(instant));
            for (lower, number) in tuples.ok_or(damaged)? {
                let key = Key::new(lower).map_err(|_| damaged)?;
                let stored = read_number(number).and_then(|number| self.stored(number));
                match &stored.ok_or(damaged)?.content {
                    Content::Nothing => {}
                    Content::Removed => drop(entries.remove(&key)),
                    Content::Value(value) => drop(entries.insert(key, value.value.clone())),
                }
            }
        }
        Ok(entries)
    }

    pub(crate) fn stored(&self, number: TupleId) -> Option<&TupleEntry<S>> {
        self.tuples.get(number.position())?.as_ref()
    }
}

impl<S: Suite, D: Design<S>> Source<S, D> for TupleRepository<S, D> {
    fn instants(&self, version: Version) -> Result<Vec<u64>, LookupError> {
        let epochs = self.epochs_at(version)?.iter().copied();
        Ok(core::iter::once(version.number()).chain(epochs).collect())
    }

    fn signed_head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads.head(version)
    }

    /// Finds the tuple in the generation's index.
    ///
    /// # Errors
    /// [`LookupError::Damaged`] only if another party wrote the index.
    fn floor(
        &self,
        version: Version,
        (generation, instant): (usize, u64),
        key: &[u8],
    ) -> Result<SourceTuple<'_, S>, LookupError> {
        let find = || {
            let index = self.indexes.get(generation)?;
            let (lower, number) = index.floor(Version::new(instant), key)?;
            let number = read_number(number)?;
            Some(SourceTuple {
                lower: Cow::Borrowed(lower),
                number,
                tuple: Cow::Borrowed(self.stored(number)?),
            })
        };
        find().ok_or(LookupError::Damaged { version })
    }

    fn records(&self, _: Version, _: &[Placed]) -> Result<Cow<'_, D::Records>, LookupError> {
        Ok(Cow::Borrowed(&self.records))
    }
}
