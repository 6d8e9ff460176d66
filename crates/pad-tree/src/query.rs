//! For each type of question, the answer that follows from the leaves in a proof.
//!
//! All answers rest on one rule. If nothing is elided between two opened leaves, there is no other
//! leaf between them. Every query needs exactly one set of leaves. Proofs with more leaves are
//! refused, so a query has exactly one proof.

use alloc::vec::Vec;

use pad_core::{
    Answer, First, Key, KeyRange, Keys, Last, Lookup, Lookups, Neighbour, Predecessor, Question,
    RangeContents, Successor, Suite, Value, VerifyError, Version,
};

use crate::{
    opened::{Content, OpenedLeaf, OpenedLeaves},
    side::Side,
};

/// A question that tree dictionaries answer: every question of `pad-core`.
///
/// The prover must support each type of question. So other crates cannot implement this trait:
/// `OpenedLeaves` is not public.
pub trait TreeQuery: Question {
    /// The kind number, in envelopes, of the proofs for this type of question.
    const PROOF_KIND: u8;

    /// Whether the leaf with this key is part of the answer, so that the proof must contain its
    /// value.
    fn reveals(&self, key: &[u8]) -> bool;

    /// Concludes the answer about `version` from the opened leaves of a proof.
    ///
    /// # Errors
    /// * [`VerifyError::Elided`] if the answer could be hidden in a subtree that the proof leaves
    ///   out.
    /// * [`VerifyError::Extraneous`] if a leaf is opened that the answer does not need.
    /// * [`VerifyError::ValueMissing`] if a leaf of the answer lacks its value.
    /// * [`VerifyError::MalformedShape`] if the opened leaves are inconsistent.
    /// * [`VerifyError::InvalidQuery`] if the query is empty or out of order.
    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Self::Statement, VerifyError>;
}

impl TreeQuery for Key {
    const PROOF_KIND: u8 = 16;

    fn reveals(&self, key: &[u8]) -> bool {
        self.as_bytes() == key
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Lookup, VerifyError> {
        let (key, answer) = leaves.take_one(self)?;
        Ok(Lookup {
            version,
            key,
            answer,
        })
    }
}

impl TreeQuery for Keys {
    const PROOF_KIND: u8 = 17;

    fn reveals(&self, key: &[u8]) -> bool {
        self.contains(key)
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Lookups, VerifyError> {
        Ok(Lookups {
            version,
            answers: leaves.take_each(self.as_slice())?,
        })
    }
}

impl TreeQuery for KeyRange {
    const PROOF_KIND: u8 = 18;

    fn reveals(&self, key: &[u8]) -> bool {
        self.contains(key)
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<RangeContents, VerifyError> {
        if !self.is_valid() {
            return Err(VerifyError::InvalidQuery);
        }
        let opened = leaves.leaves.iter();
        let places = opened.map(|leaf| self.place(leaf.key.as_bytes()));
        let before = places.clone().filter(|place| place.is_lt()).count();
        let after = places.filter(|place| place.is_gt()).count();
        if before > 1 || after > 1 {
            return Err(VerifyError::Extraneous);
        }
        let bounded_before = before == 1 || leaves.places.at_start;
        let bounded_after = after == 1 || leaves.places.at_end;
        if !bounded_before
            || !bounded_after
            || !leaves.places.adjacent.iter().all(|adjacent| *adjacent)
        {
            return Err(VerifyError::Elided);
        }
        let opened = leaves.leaves.into_iter();
        Ok(RangeContents {
            version,
            range: self.clone(),
            entries: opened.filter_map(OpenedLeaf::into_entry).collect(),
        })
    }
}

/// Implements [`TreeQuery`] for a question about one entry: its kind, whether it reveals the value
/// of a key, and the entry that the opened leaves show.
macro_rules! neighbour_queries {
    ($($query:ty: $kind:literal, |$this:ident, $key:pat_param| $reveals:expr,
        |$leaves:ident| $entry:expr;)*) => {$(
        impl TreeQuery for $query {
            const PROOF_KIND: u8 = $kind;

            fn reveals(&self, $key: &[u8]) -> bool {
                let $this = self;
                $reveals
            }

            fn conclude<S: Suite>(
                &self,
                version: Version,
                $leaves: OpenedLeaves<S>,
            ) -> Result<Neighbour<Self>, VerifyError> {
                let $this = self;
                let (question, entry) = ($this.clone(), $entry);
                Ok(Neighbour { version, question, entry })
            }
        }
    )*};
}

neighbour_queries! {
    Predecessor: 19, |this, key| key < this.0.as_bytes(),
        |leaves| leaves.take_nearest(Side::Left, |key| *key < this.0)?;
    Successor: 20, |this, key| key > this.0.as_bytes(),
        |leaves| leaves.take_nearest(Side::Right, |key| *key > this.0)?;
    First: 21, |_this, _| true, |leaves| {
        complete(leaves.places.at_start)?;
        leaves.take_only()?
    };
    Last: 22, |_this, _| true, |leaves| {
        complete(leaves.places.at_end)?;
        leaves.take_only()?
    };
}

const fn complete(nothing_elided: bool) -> Result<(), VerifyError> {
    if nothing_elided {
        Ok(())
    } else {
        Err(VerifyError::Elided)
    }
}

impl<S: Suite> OpenedLeaf<S> {
    fn into_entry(self) -> Option<(Key, Value)> {
        match self.content {
            Content::Value(value) => Some((self.key, value)),
            Content::Digest(_) => None,
        }
    }
}

impl<S: Suite> OpenedLeaves<S> {
    /// Returns `key` with its answer. Rejects a proof that opens a leaf that the answer does not
    /// need.
    fn take_one(mut self, key: &Key) -> Result<(Key, Answer), VerifyError> {
        let mut needed = Needed::default();
        let taken = self.take(key, &mut needed)?;
        needed.check(self.leaves.len())?;
        Ok(taken)
    }

    /// Returns each of `keys`, which must ascend strictly, with its answer. Rejects a proof that
    /// opens a leaf that no answer needs.
    fn take_each(mut self, keys: &[Key]) -> Result<Vec<(Key, Answer)>, VerifyError> {
        let mut needed = Needed::default();
        let taken = keys.iter().map(|key| self.take(key, &mut needed));
        let taken: Vec<_> = taken.collect::<Result<_, _>>()?;
        needed.check(self.leaves.len())?;
        Ok(taken)
    }

    /// Returns `key` with its answer, and notes the leaves that the answer needs. `key` is above
    /// the keys taken before.
    ///
    /// A present key and its value are moved out of their leaf, which keeps the empty key. The
    /// leaves stay sorted for the keys that follow, all of which are above the empty key.
    fn take(&mut self, key: &Key, needed: &mut Needed) -> Result<(Key, Answer), VerifyError> {
        match self.leaves.binary_search_by(|leaf| leaf.key.cmp(key)) {
            Ok(found) => {
                needed.note(found);
                let leaf = self.leaves.get_mut(found);
                let leaf = leaf.ok_or(VerifyError::MalformedShape)?;
                let Content::Value(value) = &mut leaf.content else {
                    return Err(VerifyError::ValueMissing);
                };
                let answer = Answer::Present(core::mem::take(value));
                Ok((core::mem::take(&mut leaf.key), answer))
            }
            Err(above) => {
                let below = above.checked_sub(1);
                complete(self.is_gap(below, above))?;
                if let Some(below) = below {
                    needed.note(below);
                }
                if above < self.leaves.len() {
                    needed.note(above);
                }
                Ok((key.clone(), Answer::Absent))
            }
        }
    }

    /// Whether no leaf lies between the opened leaves `below` and `above`. For `below`, `None`
    /// means the start of the tree. For `above`, the number of opened leaves means its end.
    fn is_gap(&self, below: Option<usize>, above: usize) -> bool {
        match below {
            None => self.places.at_start,
            Some(_) if above == self.leaves.len() => self.places.at_end,
            Some(below) => self.places.adjacent.get(below).copied().unwrap_or(false),
        }
    }

    /// Returns the entry nearest to a position in the key order, on `side` of it; `None` if there
    /// is none. `is_answer` tells whether a key lies on this side.
    ///
    /// The proof must open the leaf of this entry and its neighbour across the position. If only
    /// one of the two exists, it must be the first or the last leaf of the tree.
    fn take_nearest(
        self,
        side: Side,
        is_answer: impl Fn(&Key) -> bool,
    ) -> Result<Option<(Key, Value)>, VerifyError> {
        if self.leaves.len() > 2 {
            return Err(VerifyError::Extraneous);
        }
        complete(!self.places.adjacent.contains(&false))?;
        let (beyond_answer, beyond_bound) = match side {
            Side::Left => (self.places.at_end, self.places.at_start),
            Side::Right => (self.places.at_start, self.places.at_end),
        };
        let mut leaves = self.leaves.into_iter();
        match (leaves.next(), leaves.next()) {
            (None, _) => Ok(None),
            (Some(only), None) if is_answer(&only.key) => {
                complete(beyond_answer)?;
                Ok(only.into_entry())
            }
            (Some(_), None) => {
                complete(beyond_bound)?;
                Ok(None)
            }
            (Some(below), Some(above)) => {
                let (answer, bound) = match side {
                    Side::Left => (below, above),
                    Side::Right => (above, below),
                };
                if !is_answer(&answer.key) || is_answer(&bound.key) {
                    return Err(VerifyError::Extraneous);
                }
                Ok(answer.into_entry())
            }
        }
    }

    /// Returns the entry of the only opened leaf, or `None` without leaves. Rejects a proof that
    /// opens more than one leaf.
    fn take_only(self) -> Result<Option<(Key, Value)>, VerifyError> {
        if self.leaves.len() > 1 {
            return Err(VerifyError::Extraneous);
        }
        let only = self.leaves.into_iter().next();
        Ok(only.and_then(OpenedLeaf::into_entry))
    }
}

/// The leaves that answers need, noted in ascending order.
#[derive(Default)]
struct Needed {
    /// The number of leaves up to the last one noted.
    noted: usize,
    /// Whether a leaf before the last one noted was not noted.
    has_gap: bool,
}

impl Needed {
    fn note(&mut self, index: usize) {
        if index >= self.noted {
            self.has_gap |= index > self.noted;
            self.noted = index.saturating_add(1);
        }
    }

    /// Checks that all `leaves` leaves were noted.
    const fn check(&self, leaves: usize) -> Result<(), VerifyError> {
        if self.has_gap || self.noted < leaves {
            Err(VerifyError::Extraneous)
        } else {
            Ok(())
        }
    }
}
