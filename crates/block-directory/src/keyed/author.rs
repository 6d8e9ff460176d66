//! The author of a keyed directory, with all of its blocks.

use pad_core::{
    ApplyError, AuthorKey, Dictionary, DictionaryId, HeadSignature, HeadSigner, InputError, Key,
    PendingChanges, SignedHead, StoreFault, Suite, Update, Value, VerifyError, head::Authority,
    history::Frontier,
};
use signature::{Keypair, Signer};

use super::{
    BLOCK_TREE,
    block::Capacity,
    directory::KeyedDirectory,
    edit::{self, check_entry},
    error::KeyedError,
    tree::KeyedTree,
};
use crate::author::{
    AuthorError,
    signing::{Sealed, Sequence},
};

/// The author of a keyed directory, in memory.
///
/// Changes wait until [`Dictionary::snapshot`] applies them in ascending order of keys, and signs.
///
/// Laws: those of [`Dictionary`]. Its `put` takes what is too long as well; the snapshot then refuses it, until the key is removed.
#[derive(Debug)]
pub struct KeyedAuthor<S: Suite> {
    tree: KeyedTree<S>,
    pending: PendingChanges,
    sequence: Sequence<S>,
    /// The next version, which is part of the blocks already, and which the signer failed to sign.
    unsigned: Option<Sealed<S>>,
    signer: HeadSigner,
}

impl<S: Suite> KeyedAuthor<S> {
    /// The author of a new, empty directory.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the signer's public key is not one.
    pub fn new<K>(dictionary: impl Into<DictionaryId>, signer: K) -> Result<Self, VerifyError>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        Self::with_capacity(dictionary, signer, Capacity::BLOCK_TREE)
    }

    /// The same with blocks of another capacity, to test the algorithm with: no scheme has them.
    ///
    /// # Errors
    /// As [`KeyedAuthor::new`].
    pub fn with_capacity<K>(
        dictionary: impl Into<DictionaryId>,
        signer: K,
        capacity: Capacity,
    ) -> Result<Self, VerifyError>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        let authority = Authority {
            author: AuthorKey::of(&signer)?,
            dictionary: dictionary.into(),
            scheme: BLOCK_TREE,
        };
        Ok(Self::empty(authority, HeadSigner::new(signer), capacity))
    }

    /// The author of an empty directory; `signer` is the secret half of the authority, and the scheme is the right one.
    pub(super) fn empty(authority: Authority, signer: HeadSigner, capacity: Capacity) -> Self {
        Self {
            tree: KeyedTree::new(capacity),
            pending: PendingChanges::default(),
            sequence: Sequence::at(authority, Frontier::default(), None),
            unsigned: None,
            signer,
        }
    }

    /// The author who goes on where a directory stands, which it trusts: its own backup. `signer` is the secret half of what the
    /// directory verifies with.
    ///
    /// Never go on from one that may lack a version that was already handed out.
    pub fn resume(directory: &KeyedDirectory<S>, signer: HeadSigner) -> Self {
        let heads = directory.heads();
        Self {
            tree: directory.contents().clone(),
            pending: PendingChanges::default(),
            sequence: Sequence::at(*heads.authority(), heads.frontier(), heads.latest_head()),
            unsigned: None,
            signer,
        }
    }

    /// Sets the value of a key in the next version.
    ///
    /// # Errors
    /// [`InputError::KeyTooLong`] above [`super::LONGEST_KEY`], [`InputError::ValueTooLong`] above [`super::LONGEST_VALUE`].
    pub fn put(&mut self, key: Key, value: Value) -> Result<(), InputError> {
        check_entry(key.as_bytes(), value.as_bytes())?;
        self.pending.put(key, value);
        Ok(())
    }

    fn seal(&mut self) -> Result<Sealed<S>, AuthorError> {
        let operations = self.pending.take();
        let edited = match edit::plan(&self.tree, &operations) {
            Ok(edited) => edited,
            Err(error) => {
                self.pending.take_back(operations);
                return Err(refused(error));
            }
        };
        let sealed = self.sequence.seal(edited.root.digest(), operations)?;
        self.tree.replace(edited);
        Ok(sealed)
    }
}

/// An author's changes are in order, and its blocks are there: what is left are bounds.
fn refused(error: KeyedError) -> AuthorError {
    match ApplyError::from(error) {
        ApplyError::Input(error) => AuthorError::Input(error),
        _ => AuthorError::Store(StoreFault::Damaged),
    }
}

impl<S: Suite> Dictionary for KeyedAuthor<S> {
    type Suite = S;
    type Attachment = ();
    type Error = AuthorError;

    fn authority(&self) -> Authority {
        self.sequence.authority
    }

    fn head(&self) -> Option<&SignedHead<S>> {
        self.sequence.head.as_ref()
    }

    /// Time: one search for each pending change.
    fn len(&self) -> usize {
        let published = usize::try_from(self.tree.len()).unwrap_or(usize::MAX);
        self.pending
            .len(published, |key| self.tree.get(key).is_some())
    }

    fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.pending.get(key, || self.tree.get(key))
    }

    fn put(&mut self, key: Key, value: Value) {
        self.pending.put(key, value);
    }

    fn remove(&mut self, key: &Key) -> bool {
        let is_published = self.tree.get(key.as_bytes()).is_some();
        self.pending.remove(key, is_published)
    }

    /// Seals and signs the pending changes as the next version. If the signer failed, the next call signs the same version, and
    /// changes made in between wait for the one after it.
    fn snapshot(&mut self) -> Result<Update<S>, AuthorError> {
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
}
