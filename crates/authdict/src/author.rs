//! Crash-safe authors: a signed version is durable before it is handed out.

use std::path::Path;

use pad_core::{InputError, Key, Operation, Value, Version, Workers};

#[cfg(feature = "log")]
use crate::LogParameters;
use crate::{
    changes::{ChangeStorage, Changes},
    description::create_store_with,
    pending,
    repository::{AuthorError, RepositoryError},
    scheme::{AnyFamily, Scheme},
    selection::with_suite,
    server::Server,
    signing_keys::SigningKeys,
    signing_record::SigningRecord,
    store::{AnyStore, RecordChange, StoreError},
};

/// Author of a dictionary of family `F`: changes the contents and signs versions.
///
/// [`Author::put`] and [`Author::remove`] gather changes, and [`Author::commit`] signs them as the
/// next version, durably. Programs that gather a large version use [`Author::gather`],
/// [`Author::stage_gathered`] and [`Author::checkpoint`].
///
/// An author hands out only durable updates, and continues from its store after a crash. A crash
/// loses only signatures that were never handed out. The newest head handed out is also kept in a
/// [`SigningRecord`]. The author refuses to sign for a store that is behind this record, such as a
/// store restored from a backup.
///
/// ```
/// use authdict::{Author, RedBlack, SecretKey, Tree};
///
/// type Prices = Tree<RedBlack>;
///
/// # let folder = tempfile::tempdir()?;
/// # let [path, key] = ["prices.pad", "prices.key"].map(|name| folder.path().join(name));
/// let secret = SecretKey::create::<Prices>(&key, "prices")?;
/// let mut author = Author::<Prices>::create(&path, &secret)?;
/// author.put("apple", "1.20")?;
/// let version = author.commit()?;
/// assert_eq!(version.number(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Author<F = AnyFamily> {
    server: Server<F>,
    record: SigningRecord,
    /// The changes made since the last commit, in order; the next commit signs them.
    changes: Vec<Operation>,
    /// Whether a commit has signed a version, and no commit has made it durable and recorded its
    /// head since.
    unfinished: bool,
}

impl<F: Scheme> Author<F> {
    /// Creates the store of a new, empty dictionary.
    ///
    /// The signing record is the file next to the key file: `author.key.signed` for a key that was
    /// read from `author.key`. The record must exist and contain no version
    /// ([`crate::SecretKey::create`], [`SigningRecord::create`]). Never restore a record from a
    /// backup.
    ///
    /// # Errors
    /// * [`AuthorError::Record`] if there is no record, or it contains a version.
    /// * [`AuthorError::NoRecord`] for a key that was not read from a file.
    /// * [`AuthorError::Repository`] with [`StoreError::Exists`], [`StoreError::OtherFamily`],
    ///   [`StoreError::NotSignedFor`] for an object store, [`StoreError::NoParameters`] for a log
    ///   (`Author::create_with`), or another [`StoreError`].
    pub fn create(
        path: impl AsRef<Path>,
        keys: impl Into<SigningKeys>,
    ) -> Result<Self, AuthorError> {
        Self::create_and(path, keys.into(), None)
    }

    /// Creates the store of a new, empty log, which also contains the public parameters
    /// `parameters`. Otherwise like [`Author::create`].
    ///
    /// # Errors
    /// The errors of [`Author::create`].
    #[cfg(feature = "log")]
    pub fn create_with(
        path: impl AsRef<Path>,
        keys: impl Into<SigningKeys>,
        parameters: &LogParameters,
    ) -> Result<Self, AuthorError> {
        Self::create_and(path, keys.into(), Some(parameters.record()))
    }

    fn create_and(
        path: impl AsRef<Path>,
        keys: SigningKeys,
        parameters: Option<RecordChange>,
    ) -> Result<Self, AuthorError> {
        let (public, signed) = (keys.public(), begun::<F>(&keys)?);
        if AnyStore::is_in_objects(path.as_ref()) {
            return Err(StoreError::NotSignedFor.into());
        }
        signed.require(Version::EMPTY)?;
        // A record with a head means that the signed versions are in another store.
        with_suite!(public.suite, S => {
            signed.check::<S>(&public.authority, Version::EMPTY, |_| None)
        })?;
        create_store_with(path.as_ref(), public, parameters)?;
        Self::open_with(path, keys, signed)
    }

    /// Opens the store of an existing dictionary to sign further versions. The signing record is
    /// the file next to the key file, as for [`Author::create`].
    ///
    /// Cost: that of [`Server::open`]. The authors of accumulator designs and logs also copy the
    /// contents in memory. The author of a log checks all public parameters.
    ///
    /// # Errors
    /// * [`AuthorError::Record`] if the record is missing, the store is behind the newest version
    ///   handed out, or another process is signing.
    /// * [`AuthorError::NoRecord`] for a key that was not read from a file.
    /// * [`AuthorError::Tuple`] or [`AuthorError::Signing`] if the signer or the scheme's own
    ///   secret cannot continue a tuple dictionary.
    /// * [`AuthorError::Repository`] with [`StoreError::NotSignedFor`] for an object store,
    ///   [`StoreError::OtherKey`] for the key of another store, [`StoreError::Damaged`] if the
    ///   author did not sign the latest version, or another [`StoreError`].
    pub fn open(path: impl AsRef<Path>, keys: impl Into<SigningKeys>) -> Result<Self, AuthorError> {
        let keys = keys.into();
        let record = begun::<F>(&keys)?;
        Self::open_with(path, keys, record)
    }

    /// Opens a store like [`Author::open`], with `record` as the signing record. The record's file
    /// may be anywhere.
    ///
    /// # Errors
    /// The errors of [`Author::open`].
    pub fn open_with(
        path: impl AsRef<Path>,
        keys: impl Into<SigningKeys>,
        record: SigningRecord,
    ) -> Result<Self, AuthorError> {
        let keys = keys.into();
        let server = Server::open(path, keys.public())?;
        if server.store().file().is_none() {
            return Err(StoreError::NotSignedFor.into());
        }
        // The record is compared first, because resuming may take seconds.
        record.require(server.latest())?;
        server.check_record(&record)?;
        // An attacker with write access to the store must not make the record, or the next version,
        // follow a head that the author never signed.
        let latest = server.latest();
        if latest != Version::EMPTY && server.check_head(latest).is_err() {
            return Err(
                StoreError::Damaged("the latest version is not signed by the author").into(),
            );
        }
        let mut author = Self {
            server,
            record,
            changes: Vec::new(),
            unfinished: false,
        };
        author.server.keeper.resume(keys)?;
        // After a crash the store may have a newer head than the record. The record is then
        // advanced to it.
        author.remember()?;
        Ok(author)
    }
}

impl Author {
    /// Opens a store like [`Author::open_with`], without naming the family of the dictionary as a
    /// type. The family is read from the public key in `keys`.
    ///
    /// # Errors
    /// The errors of [`Author::open`].
    pub fn of_any(
        path: impl AsRef<Path>,
        keys: impl Into<SigningKeys>,
        record: SigningRecord,
    ) -> Result<Self, AuthorError> {
        Self::open_with(path, keys, record)
    }
}

impl<F> Author<F> {
    /// Sets the value of a key in the next version. In a dictionary log, adds the value to the
    /// key's values. In a set log, adds the key as a member. Its value must be empty, or
    /// [`Author::commit`] fails.
    ///
    /// # Errors
    /// [`InputError`] if the key or the value is too long.
    pub fn put<K, V>(&mut self, key: K, value: V) -> Result<(), InputError>
    where
        K: TryInto<Key, Error: Into<InputError>>,
        V: TryInto<Value, Error: Into<InputError>>,
    {
        let key = key.try_into().map_err(Into::into)?;
        let value = value.try_into().map_err(Into::into)?;
        self.changes.push(Operation::Put(key, value));
        Ok(())
    }

    /// Removes a key in the next version. Removing an absent key changes nothing. Logs do not
    /// support removals: [`Author::commit`] fails with [`AuthorError::NotOffered`], until
    /// [`Author::take_changes`] drops the change.
    ///
    /// # Errors
    /// [`InputError`] if the key is too long.
    pub fn remove<K>(&mut self, key: K) -> Result<(), InputError>
    where
        K: TryInto<Key, Error: Into<InputError>>,
    {
        let key = key.try_into().map_err(Into::into)?;
        self.changes.push(Operation::Remove(key));
        Ok(())
    }

    /// Returns the changes made since the last commit, which are not signed yet. They are in the
    /// order in which they were made, or sorted by key if the signer refused them.
    pub fn changes(&self) -> &[Operation] {
        &self.changes
    }

    /// Removes and returns the changes made since the last commit, in order. The next commit does
    /// not sign them.
    pub fn take_changes(&mut self) -> Vec<Operation> {
        core::mem::take(&mut self.changes)
    }

    /// Signs the changes since the last commit as the next version, and makes the version durable.
    /// Without changes, the new version has the contents of the previous version. The last change
    /// of a key wins. A log appends all changes.
    ///
    /// # Errors
    /// [`AuthorError`]. [`Author::changes`] still returns the changes, except in two cases:
    ///
    /// * The signer refused ([`AuthorError::Signing`]) in an accumulator design or a log. The next
    ///   commit first signs these changes, as a version of their own.
    /// * The version is signed, but not durable or not recorded. The next commit completes it.
    ///
    /// After [`StoreError::Closed`], reopen the author. It then contains only the durable versions.
    pub fn commit(&mut self) -> Result<Version, AuthorError> {
        if !(self.unfinished && self.changes.is_empty()) {
            let signed = self.stage(Vec::new());
            if matches!(signed, Err(AuthorError::Signing(_))) {
                self.unfinished = false;
            }
            signed?;
        }
        self.unfinished = true;
        let version = self.flush(&[])?;
        self.unfinished = false;
        Ok(version)
    }

    /// Signs the pending changes, and then `batch`, as the next version in memory.
    /// [`Author::flush`] makes the version durable. Then `update_message` of [`crate::Keeper`]
    /// returns the update to hand out.
    ///
    /// If the signer refuses, all these changes are kept for the next call. Dictionaries kept whole
    /// ([`crate::Keeper`]) then sign them as a version of their own. After any other error, `batch`
    /// is dropped.
    ///
    /// # Errors
    /// [`AuthorError`].
    #[doc(hidden)]
    pub fn stage(&mut self, batch: Vec<Operation>) -> Result<Version, AuthorError> {
        let pending = self.changes.clone();
        self.changes.extend(batch);
        span!("sign", operations = self.changes.len());
        let signed = self.server.keeper.sign(&mut self.changes);
        self.kept(signed, pending)
    }

    /// Returns an empty collection for the changes of the next version.
    ///
    /// For trees without pending changes, the collection keeps about `memory` bytes of changes in
    /// memory. It writes the rest to an unnamed temporary file in the folder of the file `base`.
    /// Otherwise, all changes stay in memory.
    pub fn gather(&self, base: &Path, memory: usize) -> Changes {
        if self.changes.is_empty() && self.server.keeper.streams() {
            Changes::sorted(base, memory, Workers::all_cores())
        } else {
            Changes::in_memory()
        }
    }

    /// Signs the pending changes and the gathered ones as the next version. The version is durable
    /// only after [`Author::checkpoint`].
    ///
    /// Changes of an empty tree, and many changes of a tree, are streamed instead of collected in
    /// memory. If the signer refuses, streamed changes are not kept.
    ///
    /// # Errors
    /// [`AuthorError`].
    pub fn stage_gathered(&mut self, changes: Changes) -> Result<Version, AuthorError> {
        if !self.changes.is_empty() || matches!(changes.0, ChangeStorage::InMemory(_)) {
            return self.stage(changes.into_batch()?);
        }
        let signed = self.server.keeper.sign_gathered(changes, &mut self.changes);
        self.kept(signed, Vec::new())
    }

    /// Restores the changes `pending` if signing failed, unless the signer refused, or the version
    /// with the changes is sealed.
    fn kept(
        &mut self,
        signed: Result<Version, AuthorError>,
        pending: Vec<Operation>,
    ) -> Result<Version, AuthorError> {
        let is_refused = matches!(signed, Err(AuthorError::Signing(_)));
        if signed.is_err() && !is_refused && !self.changes.is_empty() {
            self.changes = pending;
        }
        signed
    }

    /// Makes all staged versions durable, together with the changes `records` to records in the
    /// store. Either all of them become durable, or none. Pending changes that are not signed yet
    /// move to the new version.
    ///
    /// # Errors
    /// [`AuthorError::Repository`]: the versions stay staged. [`AuthorError::Record`]: the versions
    /// are durable, but must not be handed out yet.
    #[doc(hidden)]
    pub fn flush(&mut self, records: &[RecordChange]) -> Result<Version, AuthorError> {
        let version = self.flush_and_go_on(records)?;
        self.server.settle();
        Ok(version)
    }

    /// Makes versions durable like [`Author::flush`], but does not write data derived from the
    /// updates yet. Intended for loops of commits. [`crate::Keeper::checkpoint`] or the next
    /// [`Author::flush`] writes the derived data. Until then, opening the store applies the updates
    /// again.
    ///
    /// # Errors
    /// The errors of [`Author::flush`].
    #[doc(hidden)]
    pub fn flush_and_go_on(&mut self, records: &[RecordChange]) -> Result<Version, AuthorError> {
        let (before, staged) = (self.server.latest(), self.server.staged());
        span!("commit", version = staged.number());
        let version = if before == staged {
            self.server.commit(records)?
        } else {
            // Pending changes that are not signed yet move to the staged version.
            let carried = pending::carried(before, staged);
            let records: Vec<_> = records.iter().cloned().chain([carried]).collect();
            self.server.commit(&records)?
        };
        self.remember()?;
        Ok(version)
    }

    /// Writes the newest durable head to the signing record, before the head is handed out.
    fn remember(&mut self) -> Result<(), AuthorError> {
        let latest = self.server.latest();
        if latest == Version::EMPTY {
            return Ok(());
        }
        // The record never moves to an older version or to another head of the same version.
        self.server.check_record(&self.record)?;
        let head = self.server.head_message(latest);
        Ok(self.record.advance(&head.map_err(RepositoryError::from)?)?)
    }

    /// Returns the author's own server, for queries, exports and updates to hand out.
    pub const fn server(&self) -> &Server<F> {
        &self.server
    }

    /// Makes staged versions durable and writes a checkpoint or derived data
    /// ([`crate::Keeper::checkpoint`]).
    ///
    /// # Errors
    /// The errors of [`Author::flush`] and [`crate::Keeper::checkpoint`].
    pub fn checkpoint(&mut self) -> Result<(), AuthorError> {
        self.flush(&[])?;
        Ok(self.server.checkpoint()?)
    }

    /// Makes staged versions durable and drops the contents of all versions before `oldest`
    /// ([`crate::Keeper::prune`]).
    ///
    /// # Errors
    /// The errors of [`Author::flush`] and [`crate::Keeper::prune`].
    pub fn prune(&mut self, oldest: Version) -> Result<(), AuthorError> {
        self.flush(&[])?;
        Ok(self.server.prune(oldest)?)
    }
}

/// Opens the existing signing record next to the key file that `keys` were read from.
fn begun<F: Scheme>(keys: &SigningKeys) -> Result<SigningRecord, AuthorError> {
    F::require(keys.public())?;
    let key = keys.path().ok_or(AuthorError::NoRecord)?;
    let path = pad_disk::companion(key, ".signed").map_err(StoreError::from)?;
    SigningRecord::require_file(&path)?;
    Ok(SigningRecord::open(&path)?)
}
