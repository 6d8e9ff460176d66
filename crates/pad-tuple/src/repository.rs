//! The server: every version's tuples in persistent indexes, and look-up proofs.

use pad_core::{
    ApplyError, HeadLog, InputError, Key, LookupError, Repository, SignedHead, Suite, Update,
    Version, Workers, head::Authority,
};
use pad_tree::{CacheNowhere, PersistentTree, Plain, RedBlack, VersionedNodes};

use crate::{
    content::Content,
    design::{Admission, Design, TupleId},
    layers::{Layers, Transition},
    proof::{Part, ShownContent, ShownTuple, TupleProof},
    statement::Context,
    update::{self, TupleAttachment},
};

/// The persistent predecessor index of one generation: lower end to tuple number, at every instant of
/// the generation's clock. `O(1)` amortised space for each change. Red-black, so that no choice of keys
/// makes it deep.
///
/// Source: Crosby & Wallach 2010, section 4.1.
pub(crate) type Index = PersistentTree<VersionedNodes<Plain, RedBlack, CacheNowhere>>;

/// A tuple as the server keeps it; its lower end is in the index.
#[derive(Clone, Debug)]
pub(crate) struct StoredTuple<S: Suite> {
    pub(crate) upper: Option<Key>,
    pub(crate) content: Content<S>,
}

/// A repository of a tuple PAD of design `D` under suite `S`.
///
/// Source: Crosby & Wallach 2010, section 4.
#[derive(Clone, Debug)]
pub struct TupleRepository<S: Suite, D: Design<S>> {
    pub(crate) heads: HeadLog<S>,
    pub(crate) key: D::Key,
    pub(crate) layers: Layers<S, TupleId>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) tuples: Vec<Option<StoredTuple<S>>>,
    /// Numbers of tuples that were forgotten.
    pub(crate) free: Vec<TupleId>,
    /// Tuples that are no more, with the first version without them, in the order of versions.
    pub(crate) retired: std::collections::VecDeque<(Version, TupleId)>,
    pub(crate) records: D::Records,
    /// The epochs of generations 1 and up, for the versions from the oldest on.
    pub(crate) epochs: Vec<u64>,
    pub(crate) entries: usize,
    /// The number of operations of all versions after the first, for the author that goes on.
    pub(crate) operations: u64,
    pub(crate) oldest: Version,
    pub(crate) workers: Workers,
}

impl<S: Suite, D: Design<S>> TupleRepository<S, D> {
    /// An empty repository that accepts the updates of one author and dictionary.
    pub fn new(authority: Authority, key: D::Key) -> Self {
        Self {
            heads: HeadLog::new(authority),
            layers: Layers::new(D::GENERATIONS),
            indexes: (0..D::GENERATIONS).map(|_| Index::default()).collect(),
            tuples: Vec::new(),
            free: Vec::new(),
            retired: std::collections::VecDeque::new(),
            records: D::records(&key, Context::of(&authority)),
            key,
            epochs: vec![0; D::GENERATIONS - 1],
            entries: 0,
            operations: 0,
            oldest: Version::EMPTY,
            workers: Workers::sequential(),
        }
    }

    /// Spreads the making of witnesses over these threads.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// Whose updates this repository accepts.
    pub const fn authority(&self) -> &Authority {
        self.heads.authority()
    }

    /// The heads of all versions.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// What clients must know beyond the authority.
    pub const fn key(&self) -> &D::Key {
        &self.key
    }

    /// The number of entries of the latest version.
    pub const fn len(&self) -> usize {
        self.entries
    }

    /// Whether the latest version is empty.
    pub const fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// The bytes of memory that tuples, indexes, records and history take, without spare capacity.
    ///
    /// Values and keys that several tuples share are counted with each of them.
    pub fn memory_bytes(&self) -> usize {
        let indexes: usize = self.indexes.iter().map(Index::memory_bytes).sum();
        let tuples: usize = self
            .tuples
            .iter()
            .map(|tuple| stored_bytes(tuple.as_ref()))
            .sum();
        let epochs = self.epochs.len() * size_of::<u64>();
        indexes + tuples + D::memory_bytes(&self.records) + epochs + self.heads.memory_bytes()
    }

    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        let epochs = self.epochs_at(oldest)?.to_vec();
        let instants = core::iter::once(oldest.number()).chain(epochs);
        for (index, instant) in self.indexes.iter_mut().zip(instants) {
            index.prune(Version::new(instant));
        }
        let dropped = self.position(oldest) * (D::GENERATIONS - 1);
        self.epochs.drain(..dropped);
        self.oldest = oldest;
        let mut gone = Vec::new();
        while let Some((_, tuple)) = self.retired.pop_front_if(|(version, _)| *version <= oldest) {
            if let Some(slot) = self.tuples.get_mut(tuple.position()) {
                *slot = None;
            }
            gone.push(tuple);
        }
        D::forget(&mut self.records, oldest, &gone);
        self.free.append(&mut gone);
        Ok(())
    }

    /// The value of a key in a version, without proof.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn lookup(
        &self,
        version: Version,
        key: &Key,
    ) -> Result<Option<pad_core::Value>, LookupError> {
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
    pub fn entries(
        &self,
        version: Version,
    ) -> Result<std::collections::BTreeMap<Key, pad_core::Value>, LookupError> {
        let mut entries = std::collections::BTreeMap::new();
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

    pub(crate) const fn records(&self) -> &D::Records {
        &self.records
    }

    pub(crate) const fn layers(&self) -> &Layers<S, TupleId> {
        &self.layers
    }

    /// The instants of all generations at a version, youngest first.
    pub(crate) fn instants(&self, version: Version) -> Result<Vec<u64>, LookupError> {
        let epochs = self.epochs_at(version)?;
        Ok(core::iter::once(version.number())
            .chain(epochs.iter().copied())
            .collect())
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

    fn position(&self, version: Version) -> usize {
        let position = version.number() - self.oldest.number();
        usize::try_from(position).unwrap_or(usize::MAX)
    }

    fn epochs_at(&self, version: Version) -> Result<&[u64], LookupError> {
        if version < self.oldest {
            return Err(LookupError::Pruned {
                version,
                oldest: self.oldest,
            });
        }
        self.check_exists(version)?;
        let (width, position) = (D::GENERATIONS - 1, self.position(version));
        Ok(&self.epochs[position * width..(position + 1) * width])
    }

    fn check_exists(&self, version: Version) -> Result<(), LookupError> {
        let latest = self.latest();
        if version > latest {
            Err(LookupError::UnknownVersion { version, latest })
        } else {
            Ok(())
        }
    }

    /// The digest of the operations, if they and the attachment lead to the signed root.
    pub(crate) fn check_root(
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<S::Digest, ApplyError> {
        let operations = update::operations_digest::<S>(&update.operations);
        let attachment = D::attachment_digest(&update.attachment);
        if update::root::<S>(&operations, &attachment) == update.head.head.root {
            Ok(operations)
        } else {
            Err(ApplyError::RootMismatch)
        }
    }

    /// Numbers the new tuples.
    pub(crate) fn number_tuples(
        &mut self,
        transition: &Transition<S, TupleId>,
    ) -> Result<(), ApplyError> {
        let created: usize = transition
            .changes
            .iter()
            .map(|change| change.created.len())
            .sum();
        let numbers = self.tuples.len().saturating_add(created);
        if u32::try_from(numbers).is_err() {
            return Err(ApplyError::Input(InputError::CapacityExceeded));
        }
        for (generation, change) in transition.changes.iter().enumerate() {
            for lower in &change.created {
                let number = self.free.pop().unwrap_or_else(|| {
                    self.tuples.push(None);
                    TupleId(u32::try_from(self.tuples.len() - 1).unwrap_or(u32::MAX))
                });
                if let Some(live) = self.layers.generation_mut(generation).get_mut(lower) {
                    live.note = number;
                }
            }
        }
        Ok(())
    }

    /// Takes back what [`Self::number_tuples`] did; before the layers are undone.
    fn free_numbers(&mut self, transition: &Transition<S, TupleId>) {
        for (tuples, change) in self.layers.generations().iter().zip(&transition.changes) {
            let numbers = change.created.iter().filter_map(|lower| tuples.get(lower));
            self.free.extend(numbers.map(|live| live.note));
        }
    }

    /// Edits the indexes as the transition says, without sealing them.
    pub(crate) fn edit_indexes(
        &mut self,
        transition: &Transition<S, TupleId>,
    ) -> Result<(), InputError> {
        let generations = self.layers.generations().iter();
        for ((tuples, change), index) in generations.zip(&transition.changes).zip(&mut self.indexes)
        {
            for (lower, _) in &change.deleted {
                // A new tuple in the same place overwrites the old one.
                if !tuples.contains_key(lower) {
                    index.remove(lower.as_bytes())?;
                }
            }
            for lower in &change.created {
                let number = tuples[lower].note.0;
                index.insert(lower.as_bytes(), &number.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Takes back a transition with its numbers and its edits of the indexes.
    pub(crate) fn roll_back(&mut self, transition: Transition<S, TupleId>) {
        self.free_numbers(&transition);
        self.layers.undo(transition);
        self.indexes.iter_mut().for_each(Index::rollback);
    }

    /// Makes the layers' latest state the latest version.
    pub(crate) fn commit(&mut self, transition: Transition<S, TupleId>) {
        let version = self.layers.version();
        for (generation, change) in transition.changes.into_iter().enumerate() {
            let retired = change
                .deleted
                .into_iter()
                .map(|(_, number)| (version, number));
            self.retired.extend(retired);
            let tuples = &self.layers.generations()[generation];
            for lower in &change.created {
                let content = tuples[lower].content.clone();
                let view = self.layers.view(generation, lower, content.summary());
                let upper = view
                    .upper
                    .map(|upper| Key::new(upper).expect("an upper end is a key"));
                let number = tuples[lower].note.position();
                self.tuples[number] = Some(StoredTuple { upper, content });
            }
            self.indexes[generation].seal(&Workers::sequential());
        }
        self.epochs.extend_from_slice(self.layers.epochs());
    }
}

/// A lower end from an index as a key; it was one unless somebody else wrote the index.
pub(crate) fn lower_end(lower: &[u8]) -> Option<Key> {
    Key::new(lower).ok()
}

fn stored_bytes<S: Suite>(tuple: Option<&StoredTuple<S>>) -> usize {
    let heap = tuple.map_or(0, |tuple| {
        let upper = tuple
            .upper
            .as_ref()
            .map_or(0, |upper| upper.as_bytes().len());
        let value = match &tuple.content {
            Content::Value(value) => value.value.as_bytes().len() + size_of::<S::Digest>(),
            Content::Nothing | Content::Removed => 0,
        };
        upper + value
    });
    size_of::<Option<StoredTuple<S>>>() + heap
}

pub(crate) fn read_number(bytes: &[u8]) -> Option<TupleId> {
    Some(TupleId(u32::from_le_bytes(bytes.try_into().ok()?)))
}

impl<S: Suite, D: Design<S>> Repository for TupleRepository<S, D> {
    type Suite = S;
    type Attachment = TupleAttachment<D::Extension>;
    type Query = Key;
    type Proof = TupleProof<S, D>;

    fn latest(&self) -> Version {
        self.layers.version()
    }

    fn oldest(&self) -> Version {
        self.oldest
    }

    fn apply(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<Version, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        let merged = usize::from(update.attachment.merged);
        self.layers.check(&update.operations)?;
        let operations = Self::check_root(update)?;
        let entries = self.entries_after(&update.operations);
        let transition = self.layers.apply(&update.operations, merged)?;
        if let Err(error) = self.number_tuples(&transition) {
            self.layers.undo(transition);
            return Err(error);
        }
        let edited = self.edit_indexes(&transition).map_err(ApplyError::Input);
        let admitted = edited.and_then(|()| {
            let admission = Admission {
                authority: self.heads.authority(),
                layers: &self.layers,
                transition: &transition,
                extensions: &update.attachment.extensions,
                operations,
            };
            D::admit(&self.key, &mut self.records, &admission, &self.workers)
        });
        if let Err(error) = admitted {
            self.roll_back(transition);
            return Err(error);
        }
        self.commit(transition);
        self.entries = entries;
        if update.base != Version::EMPTY {
            let operations = u64::try_from(update.operations.len()).unwrap_or(u64::MAX);
            self.operations = self.operations.saturating_add(operations);
        }
        self.heads.append(&update.head);
        Ok(self.latest())
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads.head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<TupleProof<S, D>, LookupError> {
        let instants = self.instants(version)?;
        if version == Version::EMPTY {
            return Ok(TupleProof {
                epochs: Vec::new(),
                parts: Vec::new(),
                seal: None,
            });
        }
        let damaged = LookupError::Damaged { version };
        let shown = self.tuples_for(&instants, key).ok_or(damaged)?;
        let seal = D::seal(&self.records, &self.head(version)?, shown.len()).ok_or(damaged)?;
        let mut parts = Vec::with_capacity(shown.len());
        for (generation, (tuple, number)) in shown.into_iter().enumerate() {
            let instant = instants[generation];
            let evidence =
                D::evidence(&self.records, generation, instant, number).ok_or(damaged)?;
            parts.push(Part { tuple, evidence });
        }
        Ok(TupleProof {
            epochs: instants[1..].to_vec(),
            parts,
            seal: Some(seal),
        })
    }
}

impl<S: Suite, D: Design<S>> TupleRepository<S, D> {
    /// The number of entries after operations on distinct keys.
    fn entries_after(&self, operations: &[pad_core::Operation]) -> usize {
        operations.iter().fold(self.entries, |entries, operation| {
            let present = self.layers.get(operation.key().as_bytes()).is_some();
            match (operation, present) {
                (pad_core::Operation::Put(..), false) => entries + 1,
                (pad_core::Operation::Remove(_), true) => entries - 1,
                _ => entries,
            }
        })
    }
}
