//! The author of a directory that stores all entries itself.

use pad_core::{
    ApplyError, Authority, DictionaryId, HeadSignature, HeadSigner, InputError, SignedHead,
    SnapshotHead, StoreFault, Suite, Update, VerifyError, Version,
};
use signature::{Keypair, Signer};

use super::{
    pending::PendingChanges,
    signing::{AuthorError, Sequence},
};
use crate::{
    blocks::{Blocks, Plan, frame, grid::to_u64},
    directory::BlockDirectory,
    entry::{self, Entry, EntryId, EntryState},
    operations::{MOST_OPERATIONS, check_new, checked},
};

/// The author of a directory, with all of its entries.
///
/// Laws: an author never signs two different heads for one version. An id is provisional until a
/// snapshot that contains it is durable. If the author's memory is lost before that, another object
/// may get the id.
#[derive(Debug)]
pub struct FullAuthor<S: Suite> {
    directory: BlockDirectory<S>,
    pending: PendingChanges<S>,
    sequence: Sequence<S>,
    /// The history root of the next version. It is computed as soon as the latest version is
    /// signed, so that the next head need not wait for it.
    history: S::Digest,
    /// The next version, sealed (its head is final) but not yet signed and stored. It remains here
    /// if the signer fails.
    unsigned: Option<PendingVersion<S>>,
    signer: HeadSigner,
}

/// A sealed version, the only one that the author may sign next, and the directory's contents after
/// it.
#[derive(Debug)]
struct PendingVersion<S: Suite> {
    head: SnapshotHead<S>,
    result: Outcome<S>,
}

/// The directory's contents after a version.
#[derive(Debug)]
enum Outcome<S: Suite> {
    Changed(Plan<S>),
    Loaded(Box<Blocks<S>>),
}

/// The base-2 logarithm of the number of slots of a block in a new directory. With 128 slots, a
/// block fills a page of 4 096 bytes.
const USUAL_STEP: u32 = 7;

impl<S: Suite> FullAuthor<S> {
    /// Creates the author of a new, empty directory, in memory.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the signer's public key is invalid.
    pub fn new<K>(dictionary: impl Into<DictionaryId>, signer: K) -> Result<Self, VerifyError>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        let authority = Sequence::<S>::new(dictionary, &signer)?.authority;
        let directory = BlockDirectory::new(authority, USUAL_STEP)?;
        Ok(Self::resume(directory, HeadSigner::new(signer)))
    }

    /// Continues from the author's own directory. `signer` must contain the secret key for the
    /// author key of the directory.
    ///
    /// Never continue from a directory that may lack a published version. The latest update may not
    /// have been published: [`BlockDirectory::logged_update`] returns it, to be sent again.
    pub fn resume(directory: BlockDirectory<S>, signer: HeadSigner) -> Self {
        let heads = directory.heads();
        let sequence = Sequence::at(*heads.authority(), heads.frontier(), heads.latest_head());
        Self {
            directory,
            pending: PendingChanges::new(),
            history: sequence.history_root(),
            sequence,
            unsigned: None,
            signer,
        }
    }

    /// Returns the directory at the latest signed version. It answers queries like any other
    /// server.
    pub const fn directory(&self) -> &BlockDirectory<S> {
        &self.directory
    }

    /// Returns the directory, for example to close it. Pending changes and a version that is not
    /// signed yet are dropped.
    pub fn into_directory(self) -> BlockDirectory<S> {
        self.directory
    }

    /// Loads all entries of version 1 in one pass, and signs this version. `objects` are the
    /// objects' digests. A server loads the same digests and the signed head with
    /// [`BlockDirectory::load`].
    ///
    /// Time: two hashes for each entry.
    ///
    /// # Errors
    /// - [`AuthorError::Store`] for a directory in files.
    /// - [`AuthorError::NotEmpty`] if the author has entries, pending changes or a version.
    /// - [`InputError::ReservedDigest`] if an object has the digest of zeros;
    ///   [`InputError::CapacityExceeded`] for more than
    ///   [`MOST_ENTRIES`](crate::entry::MOST_ENTRIES) objects. The author is then unchanged.
    /// - [`AuthorError::Signer`] if the signer fails; [`AuthorError::OtherKey`] if its key is not
    ///   the author's. A later call of [`FullAuthor::snapshot`] signs the head.
    pub fn load(
        &mut self,
        objects: impl IntoIterator<Item = S::Digest>,
    ) -> Result<SignedHead<S>, AuthorError> {
        if self.directory.journal.is_some() {
            return Err(StoreFault::LoadedWhenMade.into());
        }
        if self.next_id() > 0 || self.unsigned.is_some() || self.version() != Version::EMPTY {
            return Err(AuthorError::NotEmpty);
        }
        let blocks = Blocks::load(self.directory.blocks.step(), checked::<S>(objects))?;
        let head = self.sequence.seal(blocks.root(), self.history)?;
        let result = Outcome::Loaded(Box::new(blocks));
        self.unsigned = Some(PendingVersion { head, result });
        Ok(self.snapshot()?.head)
    }

    /// Returns the author key, dictionary and scheme whose heads clients and servers accept.
    pub const fn authority(&self) -> &Authority {
        &self.sequence.authority
    }

    /// Returns the number of the latest signed version.
    pub fn version(&self) -> Version {
        self.sequence.version()
    }

    /// Returns the state of the entry `id`, including pending changes.
    ///
    /// # Errors
    /// [`ApplyError::Store`] if a block of a directory in files cannot be read.
    pub fn entry(&self, id: EntryId) -> Result<Entry<S::Digest>, ApplyError> {
        let id = id.number();
        if id >= self.next_id() {
            return Ok(Entry::Unassigned);
        }
        Ok(match self.shown(id)? {
            Some(object) => Entry::Live(object),
            None => Entry::Deleted,
        })
    }

    /// Returns the state of an entry, including pending changes. `id` must be below the id of the
    /// next new entry.
    fn shown(&self, id: u64) -> Result<EntryState<S>, ApplyError> {
        if let Some(content) = self.pending.get(id) {
            return Ok(frame::shown::<S>(*content));
        }
        if let Some(place) = self.appended_place(id) {
            return Ok(self.pending.appended().get(place).copied());
        }
        let blocks = &self.directory.blocks;
        Ok(match self.unsigned.as_ref().map(|next| &next.result) {
            Some(Outcome::Changed(plan)) => match plan.shown(id) {
                Some(shown) => shown,
                None => blocks.shown(id)?,
            },
            Some(Outcome::Loaded(blocks)) => blocks.shown(id)?,
            None => blocks.shown(id)?,
        })
    }

    /// Returns the place of an entry among the pending new entries. `None` for the id of a sealed
    /// entry.
    fn appended_place(&self, id: u64) -> Option<usize> {
        let place = id.checked_sub(self.sealed_entries())?;
        Some(usize::try_from(place).unwrap_or(usize::MAX))
    }

    /// Registers an object by its digest in the next version. Returns the id of its entry.
    ///
    /// # Errors
    /// [`InputError::ReservedDigest`] if the object has the digest of zeros;
    /// [`InputError::CapacityExceeded`] for too many entries, or too many changes of one version.
    pub fn append(&mut self, object: S::Digest) -> Result<EntryId, InputError> {
        let id = self.next_id();
        check_new::<S>(&object, id)?;
        self.require_room()?;
        self.pending.append(object);
        Ok(EntryId::new(id))
    }

    /// Replaces the object of the entry `id` in the next version by another object, given by its
    /// digest.
    ///
    /// # Errors
    /// - [`ApplyError::UnknownId`] if the id is not assigned.
    /// - [`ApplyError::DeletedForGood`] if the entry was deleted.
    /// - The errors of [`FullAuthor::append`].
    /// - [`ApplyError::Store`] if a block of a directory in files cannot be read.
    pub fn update(&mut self, id: EntryId, object: S::Digest) -> Result<(), ApplyError> {
        if entry::is_reserved(&object) {
            return Err(InputError::ReservedDigest.into());
        }
        let id = id.number();
        if let Some(place) = self.appended_place(id) {
            let appended = self.pending.appended_mut().get_mut(place);
            *appended.ok_or(ApplyError::UnknownId(id))? = object;
            return Ok(());
        }
        self.change(id, object)
    }

    /// Deletes an entry permanently in the next version.
    ///
    /// # Errors
    /// - [`ApplyError::UnknownId`] if the id is not assigned, or the entry is only pending.
    /// - [`ApplyError::DeletedForGood`] if the entry was deleted before.
    /// - [`InputError::CapacityExceeded`] for too many changes of one version.
    /// - [`ApplyError::Store`] if a block of a directory in files cannot be read.
    pub fn delete(&mut self, id: EntryId) -> Result<(), ApplyError> {
        let id = id.number();
        if id >= self.sealed_entries() {
            return Err(ApplyError::UnknownId(id));
        }
        self.change(id, S::Digest::default())
    }

    /// Seals and signs the pending changes as the next version. Returns the update for servers.
    ///
    /// # Errors
    /// [`AuthorError`] if no new version was signed and stored. If the signer failed, the next call
    /// signs the same version. Changes made between the two calls are part of the version after it.
    pub fn snapshot(&mut self) -> Result<Update<S>, AuthorError> {
        self.directory.blocks.require_open()?;
        let sealed = match self.unsigned.take() {
            Some(sealed) => sealed,
            None => self.seal()?,
        };
        // Keep the version until it is signed, even if the signer panics.
        let next = self.unsigned.insert(sealed);
        // Before the signature, so that little can happen between it and the log.
        let operations = match &next.result {
            Outcome::Changed(plan) => plan.operations(),
            Outcome::Loaded(_) => Vec::new(),
        };
        let head = self.sequence.sign(next.head, &self.signer)?;
        let update = self.sequence.update(head, operations);
        if let Some(next) = self.unsigned.take() {
            match next.result {
                Outcome::Changed(plan) => self.directory.accept(&update, plan)?,
                Outcome::Loaded(blocks) => self.directory.replace(&update.head, *blocks),
            }
        }
        // If storing fails, the directory is closed, and nothing more is signed until it is opened
        // again.
        self.sequence.advance(head);
        self.history = self.sequence.history_root();
        Ok(update)
    }

    /// Seals the pending changes as the next version. They remain pending if this fails.
    fn seal(&mut self) -> Result<PendingVersion<S>, AuthorError> {
        let mut plan = self.directory.blocks.plan(self.pending.take());
        let head = match self.directory.blocks.compute(&mut plan) {
            Ok(()) => self.sequence.seal(plan.root, self.history),
            Err(fault) => Err(fault.into()),
        };
        match head {
            Ok(head) => {
                let result = Outcome::Changed(plan);
                Ok(PendingVersion { head, result })
            }
            Err(error) => {
                self.pending.restore(plan.into_changes());
                Err(error)
            }
        }
    }

    /// Returns the number of entries in the last sealed version, which may not be signed yet.
    fn sealed_entries(&self) -> u64 {
        match self.unsigned.as_ref().map(|next| &next.result) {
            Some(Outcome::Changed(plan)) => plan.grid.registered,
            Some(Outcome::Loaded(blocks)) => blocks.registered(),
            None => self.directory.registered(),
        }
    }

    /// Returns the id that the next new entry gets.
    fn next_id(&self) -> u64 {
        self.sealed_entries()
            .saturating_add(to_u64(self.pending.appended().len()))
    }

    /// Sets the content of a sealed entry in the next version: zeros for a deleted entry.
    fn change(&mut self, id: u64, content: S::Digest) -> Result<(), ApplyError> {
        if let Some(pending) = self.pending.get_mut(id) {
            if entry::is_reserved(pending) {
                return Err(ApplyError::DeletedForGood(id));
            }
            *pending = content;
            return Ok(());
        }
        if !self.is_live(id)? {
            return Err(ApplyError::DeletedForGood(id));
        }
        self.require_room()?;
        self.pending.insert(id, content);
        Ok(())
    }

    /// Returns whether a sealed entry is live, without its pending change.
    fn is_live(&self, id: u64) -> Result<bool, StoreFault> {
        let blocks = &self.directory.blocks;
        match self.unsigned.as_ref().map(|next| &next.result) {
            Some(Outcome::Changed(plan)) => match plan.shown(id) {
                Some(shown) => Ok(shown.is_some()),
                None => blocks.is_live(id),
            },
            Some(Outcome::Loaded(blocks)) => blocks.is_live(id),
            None => blocks.is_live(id),
        }
    }

    fn require_room(&self) -> Result<(), InputError> {
        if self.pending.len() >= MOST_OPERATIONS {
            return Err(InputError::CapacityExceeded);
        }
        Ok(())
    }
}
