//! The author who keeps all entries.

use std::collections::BTreeMap;

use pad_core::{
    ApplyError, DictionaryId, HeadSignature, HeadSigner, InputError, SignedHead, Suite, Update,
    VerifyError, Version, head::Authority,
};
use signature::{Keypair, Signer};

use super::signing::{AuthorError, Sealed, Sequence};
use crate::{
    contents::Contents,
    directory::BlockDirectory,
    entry::{self, Entry, EntryId, MOST_ENTRIES, Shown},
    operations::{Change, MOST_OPERATIONS},
};

/// The author of a directory, with all of its entries.
///
/// Laws: an author never signs two different heads for one version. An id is provisional until a snapshot with it is durable:
/// who loses the author's memory may lose it to another object.
#[derive(Debug)]
pub struct FullAuthor<S: Suite> {
    contents: Contents<S>,
    /// Changes that wait for the next version, of entries that are registered or new.
    pending: BTreeMap<u64, Shown<S>>,
    sequence: Sequence<S>,
    /// The next version, which is part of the contents already, and which the signer failed to sign.
    unsigned: Option<Sealed<S>>,
    signer: HeadSigner,
}

impl<S: Suite> FullAuthor<S> {
    /// The author of a new, empty directory.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the signer's public key is not one.
    pub fn new<K>(dictionary: impl Into<DictionaryId>, signer: K) -> Result<Self, VerifyError>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        Ok(Self {
            contents: Contents::default(),
            pending: BTreeMap::new(),
            sequence: Sequence::new(dictionary, &signer)?,
            unsigned: None,
            signer: HeadSigner::new(signer),
        })
    }

    /// The author who goes on where a directory stands, which it trusts: its own backup. `signer` is the secret half of what the
    /// directory verifies with.
    ///
    /// Never go on from one that may lack a version that was already handed out.
    pub fn resume(directory: &BlockDirectory<S>, signer: HeadSigner) -> Self {
        let heads = directory.heads();
        let sequence = Sequence::at(*heads.authority(), heads.frontier(), heads.latest_head());
        Self {
            contents: directory.contents().clone(),
            pending: BTreeMap::new(),
            sequence,
            unsigned: None,
            signer,
        }
    }

    /// Loads all entries of version 1 at once, and signs it; a server takes head and digests by [`BlockDirectory::load`].
    ///
    /// Time: two hashes for each entry.
    ///
    /// # Errors
    /// [`AuthorError::NotEmpty`] unless nothing has been done yet; [`InputError::ReservedDigest`],
    /// [`InputError::CapacityExceeded`], after which the author is as it was; [`AuthorError::Signer`], after which
    /// [`FullAuthor::snapshot`] signs the head.
    pub fn load(
        &mut self,
        objects: impl IntoIterator<Item = S::Digest>,
    ) -> Result<SignedHead<S>, AuthorError> {
        if self.next_id() > 0 || self.unsigned.is_some() || self.version() != Version::EMPTY {
            return Err(AuthorError::NotEmpty);
        }
        let mut contents = Contents::default();
        for object in objects {
            check_new::<S>(&object, contents.registered())?;
            contents.push(object);
        }
        let sealed = self.sequence.seal(contents.root(), Vec::new())?;
        self.contents = contents;
        self.unsigned = Some(sealed);
        Ok(self.snapshot()?.head)
    }

    /// Whose heads clients and servers accept.
    pub const fn authority(&self) -> &Authority {
        &self.sequence.authority
    }

    /// The latest signed version.
    pub fn version(&self) -> Version {
        self.sequence.version()
    }

    /// What an id stands for, pending changes included.
    pub fn entry(&self, id: EntryId) -> Entry<S::Digest> {
        let id = id.number();
        if id >= self.next_id() {
            return Entry::Unassigned;
        }
        let shown = self.pending.get(&id).copied();
        let shown = shown.unwrap_or_else(|| self.contents.shown(id));
        shown.map_or(Entry::Deleted, Entry::Live)
    }

    /// Registers an object in the next version.
    ///
    /// # Errors
    /// [`InputError::ReservedDigest`], [`InputError::CapacityExceeded`] also for too many changes of one version.
    pub fn append(&mut self, object: S::Digest) -> Result<EntryId, InputError> {
        let id = self.next_id();
        check_new::<S>(&object, id)?;
        self.set(id, Some(object))?;
        Ok(EntryId::new(id))
    }

    /// Gives an entry another object in the next version.
    ///
    /// # Errors
    /// [`ApplyError::UnknownId`], [`ApplyError::DeletedForGood`], and those of [`FullAuthor::append`].
    pub fn update(&mut self, id: EntryId, object: S::Digest) -> Result<(), ApplyError> {
        if entry::is_reserved(&object) {
            return Err(InputError::ReservedDigest.into());
        }
        self.require_live(id)?;
        Ok(self.set(id.number(), Some(object))?)
    }

    /// Deletes an entry in the next version, for good.
    ///
    /// # Errors
    /// [`ApplyError::UnknownId`] also for an entry that no version has yet, [`ApplyError::DeletedForGood`],
    /// [`InputError::CapacityExceeded`] for too many changes of one version.
    pub fn delete(&mut self, id: EntryId) -> Result<(), ApplyError> {
        self.require_live(id)?;
        if id.number() >= self.contents.registered() {
            return Err(ApplyError::UnknownId(id.number()));
        }
        Ok(self.set(id.number(), None)?)
    }

    /// Seals and signs the pending changes as the next version.
    ///
    /// # Errors
    /// [`AuthorError`]. If the signer failed, the next call signs the same version, and changes made in between wait for the one
    /// after it.
    pub fn snapshot(&mut self) -> Result<Update<S>, AuthorError> {
        let sealed = match self.unsigned.take() {
            Some(sealed) => sealed,
            None => self.seal()?,
        };
        // It stays until it is signed, also if the signer panics.
        let sealed = self.unsigned.insert(sealed);
        let update = self.sequence.sign(sealed, &self.signer)?;
        self.unsigned = None;
        Ok(update)
    }

    fn seal(&mut self) -> Result<Sealed<S>, AuthorError> {
        let changes = self.pending.iter();
        let changes: Vec<Change<S>> = changes
            .map(|(id, shown)| Change {
                id: *id,
                shown: *shown,
            })
            .collect();
        let operations = changes.iter().copied().map(Change::to_operation);
        let operations = operations.collect();
        let overlay = self.contents.plan(changes, self.next_id());
        let root = self.contents.root_with(&overlay);
        let sealed = self.sequence.seal(root, operations)?;
        self.contents.commit(overlay);
        self.pending.clear();
        Ok(sealed)
    }

    /// The id of the next new entry.
    fn next_id(&self) -> u64 {
        let registered = self.contents.registered();
        let last = self.pending.last_key_value();
        last.map_or(registered, |(id, _)| registered.max(*id + 1))
    }

    fn require_live(&self, id: EntryId) -> Result<(), ApplyError> {
        match self.entry(id) {
            Entry::Live(_) => Ok(()),
            Entry::Deleted => Err(ApplyError::DeletedForGood(id.number())),
            Entry::Unassigned => Err(ApplyError::UnknownId(id.number())),
        }
    }

    fn set(&mut self, id: u64, shown: Shown<S>) -> Result<(), InputError> {
        if self.pending.len() == MOST_OPERATIONS && !self.pending.contains_key(&id) {
            return Err(InputError::CapacityExceeded);
        }
        self.pending.insert(id, shown);
        Ok(())
    }
}

/// Checks that an object can have this new id.
fn check_new<S: Suite>(object: &S::Digest, id: u64) -> Result<(), InputError> {
    if entry::is_reserved(object) {
        return Err(InputError::ReservedDigest);
    }
    if id >= MOST_ENTRIES {
        return Err(InputError::CapacityExceeded);
    }
    Ok(())
}
