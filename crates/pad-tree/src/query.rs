//! What can be asked about one version, and what follows from the opened leaves.
//!
//! The rule behind every conclusion: between two opened leaves with nothing elided between them
//! there is no other leaf. Every query needs exactly one set of leaves; more are refused, so that one
//! query has one proof.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::{fmt::Debug, ops::Bound};

use pad_core::{Key, Suite, Value, VerifyError, Version};

use crate::{
    id::Side,
    proof::{Content, OpenedLeaf, OpenedLeaves},
};

/// A question about one version. Sealed: the prover knows each of them.
pub trait TreeQuery: Clone + Debug + sealed::Plan {
    /// What a verified proof establishes.
    type Statement;
    /// The number of this query's proofs in envelopes.
    const PROOF_KIND: u8;

    /// Whether an opened leaf with this key shows its value.
    fn reveals(&self, key: &[u8]) -> bool;

    /// Draws the conclusion from opened leaves.
    ///
    /// # Errors
    /// [`VerifyError::Elided`] if the answer could be hidden, [`VerifyError::Extraneous`] if a leaf
    /// is opened that the answer does not need, [`VerifyError::InvalidQuery`].
    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Self::Statement, VerifyError>;
}

/// The verified answer to a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The version that was asked about.
    pub version: Version,
    /// The key that was asked for.
    pub key: Key,
    /// What the author signed for it.
    pub answer: Answer,
}

/// What a version says about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The key has this value.
    Present(Value),
    /// The key is not in the dictionary.
    Absent,
}

impl Answer {
    /// The value, if the key is present.
    pub const fn value(&self) -> Option<&Value> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent => None,
        }
    }
}

/// Look up one key.
impl TreeQuery for Key {
    type Statement = Lookup;
    const PROOF_KIND: u8 = 16;

    fn reveals(&self, key: &[u8]) -> bool {
        self.as_bytes() == key
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Lookup, VerifyError> {
        let mut taken = leaves.take_each([self])?;
        let answer = taken.pop().ok_or(VerifyError::InvalidQuery)?;
        Ok(Lookup {
            version,
            key: self.clone(),
            answer,
        })
    }
}

/// Look up several keys at once, in strictly ascending order; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

impl Keys {
    /// The query for these keys, in any order; repeated ones count once. `None` if there are none.
    pub fn new(mut keys: Vec<Key>) -> Option<Self> {
        keys.sort_unstable();
        keys.dedup();
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// The keys in ascending order.
    pub fn as_slice(&self) -> &[Key] {
        &self.0
    }
}

/// The verified answers to a look-up of several keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookups {
    /// The version that was asked about.
    pub version: Version,
    /// Each key with its answer, in ascending order of keys.
    pub answers: Vec<(Key, Answer)>,
}

impl TreeQuery for Keys {
    type Statement = Lookups;
    const PROOF_KIND: u8 = 17;

    fn reveals(&self, key: &[u8]) -> bool {
        self.0
            .binary_search_by(|asked| asked.as_bytes().cmp(key))
            .is_ok()
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Lookups, VerifyError> {
        let answers = leaves.take_each(&self.0)?;
        Ok(Lookups {
            version,
            answers: self.0.iter().cloned().zip(answers).collect(),
        })
    }
}

/// All entries from a key on (included), up to another (excluded).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The smallest key in the range; `None` for the first entry.
    pub start: Option<Key>,
    /// The smallest key above the range; `None` for no limit.
    pub end: Option<Key>,
}

impl KeyRange {
    /// Every entry.
    pub const ALL: Self = Self {
        start: None,
        end: None,
    };

    /// Whether a key lies before (`Less`), in (`Equal`) or after (`Greater`) the range.
    fn place(&self, key: &[u8]) -> core::cmp::Ordering {
        use core::cmp::Ordering;
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

    /// Whether the range can hold a key: its start is below its end.
    pub fn is_valid(&self) -> bool {
        match (&self.start, &self.end) {
            (Some(start), Some(end)) => start < end,
            _ => true,
        }
    }

    /// The range as bounds of byte strings.
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

/// The verified contents of a range: all of it, nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeContents {
    /// The version that was asked about.
    pub version: Version,
    /// The range that was asked for.
    pub range: KeyRange,
    /// Every entry in it, in ascending order of keys.
    pub entries: Vec<(Key, Value)>,
}

impl TreeQuery for KeyRange {
    type Statement = RangeContents;
    const PROOF_KIND: u8 = 18;

    fn reveals(&self, key: &[u8]) -> bool {
        self.place(key).is_eq()
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<RangeContents, VerifyError> {
        if !self.is_valid() {
            return Err(VerifyError::InvalidQuery);
        }
        let places = leaves
            .leaves
            .iter()
            .map(|leaf| self.place(leaf.key.as_bytes()));
        let before = places.clone().filter(|place| place.is_lt()).count();
        let after = places.filter(|place| place.is_gt()).count();
        if before > 1 || after > 1 {
            return Err(VerifyError::Extraneous);
        }
        let bounded_before = before == 1 || leaves.at_start;
        let bounded_after = after == 1 || leaves.at_end;
        if !bounded_before || !bounded_after || !leaves.adjacent.iter().all(|adjacent| *adjacent) {
            return Err(VerifyError::Elided);
        }
        let entries = leaves
            .leaves
            .into_iter()
            .filter_map(|leaf| match leaf.content {
                Content::Value(value) => Some((leaf.key, value)),
                Content::Digest(_) => None,
            });
        Ok(RangeContents {
            version,
            range: self.clone(),
            entries: entries.collect(),
        })
    }
}

/// The entry with the greatest key below this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predecessor(pub Key);

/// The entry with the smallest key above this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor(pub Key);

/// The entry with the smallest key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First;

/// The entry with the greatest key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last;

/// The verified entry at a place in the order of keys, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The version that was asked about.
    pub version: Version,
    /// The entry, or `None` if there is none.
    pub entry: Option<(Key, Value)>,
}

impl TreeQuery for Predecessor {
    type Statement = Neighbour;
    const PROOF_KIND: u8 = 19;

    fn reveals(&self, key: &[u8]) -> bool {
        key < self.0.as_bytes()
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Neighbour, VerifyError> {
        let entry = leaves.take_nearest(Side::Left, |key| *key < self.0)?;
        Ok(Neighbour { version, entry })
    }
}

impl TreeQuery for Successor {
    type Statement = Neighbour;
    const PROOF_KIND: u8 = 20;

    fn reveals(&self, key: &[u8]) -> bool {
        key > self.0.as_bytes()
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Neighbour, VerifyError> {
        let entry = leaves.take_nearest(Side::Right, |key| *key > self.0)?;
        Ok(Neighbour { version, entry })
    }
}

impl TreeQuery for First {
    type Statement = Neighbour;
    const PROOF_KIND: u8 = 21;

    fn reveals(&self, _: &[u8]) -> bool {
        true
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Neighbour, VerifyError> {
        complete(leaves.at_start)?;
        Ok(Neighbour {
            version,
            entry: leaves.take_only()?,
        })
    }
}

impl TreeQuery for Last {
    type Statement = Neighbour;
    const PROOF_KIND: u8 = 22;

    fn reveals(&self, _: &[u8]) -> bool {
        true
    }

    fn conclude<S: Suite>(
        &self,
        version: Version,
        leaves: OpenedLeaves<S>,
    ) -> Result<Neighbour, VerifyError> {
        complete(leaves.at_end)?;
        Ok(Neighbour {
            version,
            entry: leaves.take_only()?,
        })
    }
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
    /// The answer for each of some ascending keys, all leaves being needed.
    fn take_each<'k>(
        mut self,
        keys: impl IntoIterator<Item = &'k Key>,
    ) -> Result<Vec<Answer>, VerifyError> {
        let mut needed = vec![false; self.leaves.len()];
        let mut answers = Vec::new();
        for key in keys {
            let answer = match self.leaves.binary_search_by(|leaf| leaf.key.cmp(key)) {
                Ok(found) => {
                    mark(&mut needed, Some(found));
                    let leaf = self
                        .leaves
                        .get_mut(found)
                        .ok_or(VerifyError::MalformedShape)?;
                    match &mut leaf.content {
                        Content::Value(value) => Answer::Present(core::mem::take(value)),
                        Content::Digest(_) => return Err(VerifyError::ValueMissing),
                    }
                }
                Err(above) => {
                    let below = above.checked_sub(1);
                    complete(self.is_gap(below, above))?;
                    mark(&mut needed, below);
                    mark(&mut needed, Some(above));
                    Answer::Absent
                }
            };
            answers.push(answer);
        }
        if needed.contains(&false) {
            Err(VerifyError::Extraneous)
        } else {
            Ok(answers)
        }
    }

    /// Whether nothing lies between the leaf `below` (or the start) and the leaf `above` (or the
    /// end).
    fn is_gap(&self, below: Option<usize>, above: usize) -> bool {
        match below {
            None => self.at_start,
            Some(_) if above == self.leaves.len() => self.at_end,
            Some(below) => self.adjacent.get(below).copied().unwrap_or(false),
        }
    }

    /// The nearest leaf on one side of a place in the order of keys, if there is one.
    ///
    /// It is shown with its neighbour across that place, or at that end of the tree; if there is
    /// none, its neighbour stands alone at the other end.
    fn take_nearest(
        self,
        side: Side,
        is_answer: impl Fn(&Key) -> bool,
    ) -> Result<Option<(Key, Value)>, VerifyError> {
        if self.leaves.len() > 2 {
            return Err(VerifyError::Extraneous);
        }
        complete(!self.adjacent.contains(&false))?;
        let (beyond_answer, beyond_bound) = match side {
            Side::Left => (self.at_end, self.at_start),
            Side::Right => (self.at_start, self.at_end),
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

    /// At most one leaf, with its value.
    fn take_only(self) -> Result<Option<(Key, Value)>, VerifyError> {
        if self.leaves.len() > 1 {
            return Err(VerifyError::Extraneous);
        }
        Ok(self
            .leaves
            .into_iter()
            .next()
            .and_then(OpenedLeaf::into_entry))
    }
}

fn mark(needed: &mut [bool], index: Option<usize>) {
    if let Some(needed) = index.and_then(|index| needed.get_mut(index)) {
        *needed = true;
    }
}

pub(crate) mod sealed {
    use pad_core::LookupError;

    use crate::{prover::Opening, store::VersionedStore, view::View};

    /// The server's half of a query: which leaves it needs.
    pub trait Plan {
        /// The runs of leaves to open, in ascending order, not overlapping.
        fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError>;
    }
}
