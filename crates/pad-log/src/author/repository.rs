//! The server's side of a log: stores every version and answers queries.

use pad_accumulators::AccumulateError;
use pad_core::{
    ApplyError, AuthorKey, HeadLog, InputError, Key, LookupError, Repository, Sha256Ed25519,
    SignedHead, Update, Version, Workers,
};

use super::{
    building::Building,
    entries::Entries,
    forest::to_usize,
    update::{Appended, MOST_ENTRIES},
};
use crate::{
    log::Log,
    proof::{AbsenceProof, AppendOnlyProof, InclusionProof, LookupScheme, SetScheme},
    scheme::Scheme,
    statement::Entry,
};

/// An untrusted server of a log, without a signing key. It serves every version.
#[derive(Debug)]
pub struct LogRepository<S: Scheme> {
    pub(super) entries: Entries<S>,
    pub(super) heads: HeadLog<Sha256Ed25519>,
    /// The number of entries in each version, from version 0 on.
    pub(super) sizes: Vec<u64>,
}

impl<S: Scheme> LogRepository<S> {
    /// Creates a server without versions, for the updates of one author.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if the parameters have too few powers for the largest
    /// trees.
    pub fn new(log: Log<S>, author: AuthorKey, workers: Workers) -> Result<Self, AccumulateError> {
        Ok(Self {
            heads: HeadLog::new(log.authority(author)),
            entries: Entries::new(log, workers)?,
            sizes: vec![0],
        })
    }

    /// Sets the schedule of node construction: see [`Entries::with_building`].
    #[must_use]
    pub fn with_building(mut self, building: Building) -> Self {
        self.entries = self.entries.with_building(building);
        self
    }

    /// The heads of all versions, and consistency proofs between them.
    pub const fn heads(&self) -> &HeadLog<Sha256Ed25519> {
        &self.heads
    }

    /// All entries of the log. [`Entries`] also creates proofs about entries.
    pub const fn entries(&self) -> &Entries<S> {
        &self.entries
    }

    /// The latest version.
    pub fn latest(&self) -> Version {
        self.heads.latest()
    }

    /// The number of entries that the log contains in a version.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] if the version does not exist.
    pub fn size(&self, version: Version) -> Result<u64, LookupError> {
        let unknown = LookupError::UnknownVersion {
            version,
            latest: self.latest(),
        };
        let size = self.sizes.get(to_usize(version.number()));
        size.copied().ok_or(unknown)
    }

    /// Verifies an update and makes it the latest version.
    ///
    /// # Errors
    /// [`ApplyError`] if the update is rejected. The repository is then unchanged.
    pub fn apply(
        &mut self,
        update: &Update<Sha256Ed25519, Appended>,
    ) -> Result<Version, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        if !update.operations.is_empty() {
            return Err(ApplyError::OperationsNotAllowed);
        }
        let before = self.entries.size();
        if let Err(error) = self.append(update) {
            self.entries.truncate(before);
            return Err(error);
        }
        self.heads.append(&update.head);
        self.sizes.push(self.entries.size());
        Ok(self.latest())
    }

    /// Appends the entries of an update, and checks that the log then has the root in the update's
    /// head.
    fn append(&mut self, update: &Update<Sha256Ed25519, Appended>) -> Result<(), ApplyError> {
        let entries = &update.attachment.entries;
        if entries.len() > MOST_ENTRIES {
            return Err(InputError::CapacityExceeded.into());
        }
        self.entries
            .extend(entries.iter().cloned())
            .map_err(|_| ApplyError::AttachmentMismatch)?;
        let built = self.entries.build();
        built.map_err(|_| InputError::CapacityExceeded)?;
        if self.entries.digest(self.entries.size()) != update.head.head.root {
            return Err(ApplyError::RootMismatch);
        }
        Ok(())
    }

    /// Proves that an entry was appended by `version`. Proves its first occurrence if it was
    /// appended several times.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] if the version does not exist. [`LookupError::InvalidQuery`]
    /// if the entry was not appended.
    pub fn prove_inclusion(
        &self,
        version: Version,
        entry: &Entry,
    ) -> Result<InclusionProof<S>, LookupError> {
        let size = self.size(version)?;
        let positions = self.entries.positions(entry.key.as_bytes(), size);
        let same = |position: &&u64| self.entries.entry(**position) == Some(entry);
        let position = positions.iter().find(same);
        let position = position.ok_or(LookupError::InvalidQuery)?;
        Ok(self.entries.prove_inclusion(size, *position))
    }

    /// Proves that version `newer` contains all entries of version `older`, at the same positions.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] if one of the versions does not exist.
    /// [`LookupError::InvalidQuery`] if `older` is greater than `newer`.
    pub fn prove_append_only(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<AppendOnlyProof<S>, LookupError> {
        let (from, to) = (self.size(older)?, self.size(newer)?);
        if older > newer {
            return Err(LookupError::InvalidQuery);
        }
        Ok(self.entries.prove_append_only(from, to))
    }

    /// Returns the author's signed head of a version. Version 0 has no head.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] if the version does not exist.
    pub fn head(&self, version: Version) -> Result<SignedHead<Sha256Ed25519>, LookupError> {
        self.heads.head(version)
    }
}

impl<S: SetScheme> LogRepository<S> {
    /// Proves that a set does not contain a member in a version.
    ///
    /// # Errors
    /// * [`LookupError::UnknownVersion`] if the version does not exist.
    /// * [`LookupError::InvalidQuery`] if the set contains the member.
    /// * [`LookupError::Damaged`] if the proof cannot be made.
    pub fn prove_absence(
        &self,
        version: Version,
        member: &Key,
    ) -> Result<AbsenceProof<S>, LookupError> {
        self.prove(version, member)
    }
}

/// Answers look-ups. Other proofs have separate methods, such as the proof that a set contains a
/// member.
impl<S: LookupScheme> Repository for LogRepository<S> {
    type Suite = Sha256Ed25519;
    type Attachment = Appended;
    type Query = Key;
    type Proof = S::Lookup;

    fn latest(&self) -> Version {
        Self::latest(self)
    }

    fn oldest(&self) -> Version {
        Version::EMPTY
    }

    fn apply(&mut self, update: &Update<Sha256Ed25519, Appended>) -> Result<Version, ApplyError> {
        Self::apply(self, update)
    }

    fn head(&self, version: Version) -> Result<SignedHead<Sha256Ed25519>, LookupError> {
        Self::head(self, version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<S::Lookup, LookupError> {
        let size = self.size(version)?;
        let proof = self.entries.prove_lookup(size, key.as_bytes());
        let proof = proof.map_err(|_| LookupError::Damaged { version })?;
        proof.ok_or(LookupError::InvalidQuery)
    }
}
