//! The author of a repository in the same process, which holds the only copy of the entries.

use pad_core::{ApplyError, HeadSigner, Sha256Ed25519, SnapshotHead, Update, Version};

use super::{
    entries::AppendError,
    forest::to_usize,
    log_author::AuthorError,
    repository::LogRepository,
    update::{Appended, MOST_ENTRIES},
};
use crate::{
    scheme::{Contents, Scheme},
    statement::Entry,
};

/// Signs versions of a [`LogRepository`] in the same process.
///
/// Laws: those of [`LogAuthor`](super::LogAuthor). A repository that got a version from elsewhere
/// is refused.
#[derive(Debug)]
pub struct RepositoryAuthor {
    signer: HeadSigner,
    version: Version,
    /// The entries of the next version, if its head may have been signed already: the signer
    /// failed. The next signature is of the same head.
    sealed: Option<Vec<Entry>>,
}

impl RepositoryAuthor {
    /// Creates the author of a repository's next version. `signer` must contain the secret key for
    /// the repository's author key.
    pub fn new<S: Scheme>(repository: &LogRepository<S>, signer: HeadSigner) -> Self {
        Self {
            signer,
            version: repository.latest(),
            sealed: None,
        }
    }

    /// The latest version that this author signed, or found in the repository.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Whether a version is sealed: complete, but unsigned because the signer failed.
    pub const fn has_unsigned(&self) -> bool {
        self.sealed.is_some()
    }
}

impl<S: Scheme> LogRepository<S> {
    /// Appends entries, and signs them as the next version. In a set, skips members that it has
    /// already. Returns the update for other servers.
    ///
    /// If a version is sealed, signs that version instead, and drops `entries`.
    ///
    /// # Errors
    /// [`AuthorError`]. The repository is then unchanged. If the signer failed, or its signature
    /// does not verify, the version is sealed.
    #[doc(hidden)]
    pub fn sign(
        &mut self,
        author: &mut RepositoryAuthor,
        entries: Vec<Entry>,
    ) -> Result<Update<Sha256Ed25519, Appended>, AuthorError> {
        let (expected, actual) = (self.latest(), author.version);
        if expected != actual {
            return Err(ApplyError::VersionGap { expected, actual }.into());
        }
        let before = self.entries.size();
        let entries = author.sealed.clone().unwrap_or(entries);
        let update = self.appended(entries).and_then(|(head, entries)| {
            let signed = head.sign(&author.signer).map_err(AuthorError::Signer);
            let checked = signed.and_then(|signed| {
                self.heads.check(author.version, &signed)?;
                Ok(signed)
            });
            match checked {
                Ok(head) => Ok(Update {
                    base: author.version,
                    operations: Vec::new(),
                    head,
                    attachment: Appended { entries },
                }),
                Err(error) => {
                    author.sealed = Some(entries);
                    Err(error)
                }
            }
        });
        match &update {
            Ok(update) => {
                self.heads.append(&update.head);
                self.sizes.push(self.entries.size());
                author.version = self.latest();
                author.sealed = None;
            }
            Err(_) => self.entries.truncate(before),
        }
        update
    }

    /// Appends entries and builds their trees. Returns the head of the next version, and the
    /// entries that were appended.
    fn appended(
        &mut self,
        entries: Vec<Entry>,
    ) -> Result<(SnapshotHead<Sha256Ed25519>, Vec<Entry>), AuthorError> {
        let version = self.latest().next();
        let version = version.ok_or(AuthorError::VersionsExhausted)?;
        if entries.len() > MOST_ENTRIES {
            return Err(AppendError::VersionFull.into());
        }
        let before = self.entries.size();
        match S::CONTENTS {
            Contents::Dictionary => self.entries.extend(entries.into_iter())?,
            Contents::Set => {
                for entry in entries {
                    match self.entries.push(entry) {
                        Ok(()) | Err(AppendError::MemberPresent) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
        self.entries.build()?;
        let head = SnapshotHead {
            scheme: S::ID,
            dictionary: self.heads.authority().dictionary,
            version,
            root: self.entries.digest(self.entries.size()),
            history: self.heads.frontier().root(),
        };
        let appended = &self.entries.as_slice()[to_usize(before)..];
        Ok((head, appended.to_vec()))
    }

    /// Becomes a copy of what an author in the same process has signed, for checks that are not
    /// about the computation of nodes.
    #[doc(hidden)]
    pub fn copy_author(&mut self, author: &super::LogAuthor<S>) {
        if let Some(head) = author.head() {
            self.entries = author.entries().clone();
            self.heads.append(head);
            self.sizes.push(self.entries.size());
        }
    }
}
