//! Author of a tuple dictionary: stores the tuples of all generations, and signs an update for each
//! snapshot.

use std::collections::BTreeMap;

use pad_core::{
    AuthorKey, Authority, Dictionary, DictionaryId, Frontier, HeadSignature, Key, Operation,
    SignedHead, SnapshotHead, Suite, Untrusted, Update, Value, Version, Workers,
    internals::PendingChanges,
};
use signature::Signer;

use crate::{
    design::{AuthorError, Design, UnsignedSnapshot},
    layers::{Layers, Transition},
    repository::TupleRepository,
    scheme::Expectation,
    speculation::Speculation,
    statement::Context,
    tuple::generation_index,
    update::{self, TupleAttachment},
};

/// A snapshot whose changes are applied to the layers but not signed. It contains the operations,
/// and the state to restore if it cannot be signed.
struct PendingSnapshot<S: Suite, A> {
    operations: Vec<Operation>,
    transition: Transition<S, A>,
    entries_before: usize,
    operations_before: u64,
}

/// Author of a tuple dictionary of design `D` under suite `S`, with a signer `K`.
///
/// Space: proportional to the number of entries. Calls of `put` and `remove` are buffered in memory
/// until [`Dictionary::snapshot`].
///
/// Source: Crosby & Wallach 2010, section 4.
pub struct TupleAuthor<S: Suite, D: Design<S>, K> {
    layers: Layers<S, D::TupleState>,
    state: D::State,
    authority: Authority,
    secret: D::Secret,
    signer: K,
    frontier: Frontier<S>,
    head: Option<SignedHead<S>>,
    entries: usize,
    pending: PendingChanges,
    /// A snapshot whose changes are applied, but whose signature failed. The next snapshot retries
    /// the signature.
    unsigned: Option<PendingSnapshot<S, D::TupleState>>,
    speculation: Speculation,
    /// The number of operations in all snapshots after the first. The mean for [`Speculation`] is
    /// computed from it.
    operations: u64,
    workers: Workers,
}

impl<S: Suite, D: Design<S>, K> core::fmt::Debug for TupleAuthor<S, D, K> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("TupleAuthor")
            .field("design", &D::NAME)
            .field("authority", &self.authority)
            .field("entries", &self.entries)
            .finish_non_exhaustive()
    }
}

impl<S: Suite, D: Design<S>, K: Signer<HeadSignature> + Sync> TupleAuthor<S, D, K> {
    /// Creates the author of a new, empty dictionary.
    ///
    /// `author` is the public half of `signer`. Clients need the returned author's
    /// [`Dictionary::authority`] and [`TupleAuthor::key`].
    pub fn new(dictionary: DictionaryId, author: AuthorKey, signer: K, secret: D::Secret) -> Self {
        let authority = Authority {
            author,
            dictionary,
            scheme: D::SCHEME,
        };
        Self {
            layers: Layers::new(D::GENERATIONS),
            state: D::state(&secret, Context::of(&authority)),
            authority,
            secret,
            signer,
            frontier: Frontier::default(),
            head: None,
            entries: 0,
            pending: PendingChanges::default(),
            unsigned: None,
            speculation: Speculation::default(),
            operations: 0,
            workers: Workers::sequential(),
        }
    }

    /// Resumes an author from the latest version in `repository`. The author must trust the
    /// repository, which may be the author's own backup.
    ///
    /// Never resume from a repository that may lack a published snapshot: the author would then
    /// sign a second head for the same version.
    ///
    /// # Errors
    /// * [`AuthorError::WrongKey`] if `signer` or `secret` does not belong to the repository.
    ///   Clients would reject the author's updates. Before version 1 the signer is not checked. A
    ///   secret of hash chains is never checked. With another secret, the author signs all tuples
    ///   anew.
    /// * [`AuthorError::Unvouched`] if the repository contains data that the author did not sign.
    /// * [`AuthorError::Signing`] if the signer fails.
    /// * [`AuthorError::Accumulate`] if the value of an accumulator does not match its tuples.
    ///
    /// Time: signed designs verify the signature of each tuple of the latest version. Accumulated
    /// designs compute the values of all generations anew.
    pub fn resume(
        repository: &TupleRepository<S, D>,
        signer: K,
        secret: D::Secret,
    ) -> Result<Self, AuthorError> {
        let authority = *repository.authority();
        let context = Context::of(&authority);
        let head = repository.heads().latest_head();
        require_keys::<S, D, K>(
            &authority,
            repository.key(),
            (&signer, &secret),
            head.as_ref(),
        )?;
        let (records, layers) = (&repository.records, &repository.layers);
        if let Some(head) = &head {
            let expectation = Expectation {
                authority,
                key: repository.key().clone(),
                version: head.head.version,
            };
            let vouched = D::require_vouched(&expectation, head, records, layers);
            vouched.map_err(AuthorError::Unvouched)?;
        }
        let (layers, state) = D::resume(&secret, context, records, layers)?;
        Ok(Self::of_parts(
            (authority, signer, secret),
            (layers, state),
            (repository.heads().frontier(), head),
            (repository.len(), repository.operations),
        ))
    }

    /// Creates an author from its parts, all of which must belong to the version of the head.
    pub(crate) fn of_parts(
        (authority, signer, secret): (Authority, K, D::Secret),
        (layers, state): (Layers<S, D::TupleState>, D::State),
        (frontier, head): (Frontier<S>, Option<SignedHead<S>>),
        (entries, operations): (usize, u64),
    ) -> Self {
        Self {
            layers,
            state,
            frontier,
            head,
            entries,
            operations,
            ..Self::new(authority.dictionary, authority.author, signer, secret)
        }
    }

    /// Sets the threads that sign snapshots.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// Sets the rule that decides when generations are merged.
    #[must_use]
    pub const fn with_speculation(mut self, speculation: Speculation) -> Self {
        self.speculation = speculation;
        self
    }

    /// Returns the public key material that clients need in addition to [`Dictionary::authority`].
    pub fn key(&self) -> D::Key {
        D::key(&self.secret)
    }

    /// Returns whether an earlier snapshot still lacks its signature. The next snapshot signs it.
    #[doc(hidden)]
    pub const fn has_unsigned(&self) -> bool {
        self.unsigned.is_some()
    }

    /// Returns the number of tuples of each generation, youngest first.
    pub fn tuples(&self) -> Vec<usize> {
        self.layers
            .generations()
            .iter()
            .map(BTreeMap::len)
            .collect()
    }

    /// Drops the pending changes, but not a snapshot that only lacks its signature.
    #[doc(hidden)]
    pub fn discard_pending(&mut self) {
        drop(self.pending.take());
    }

    /// Applies a batch as one snapshot, together with the pending changes.
    ///
    /// If an earlier snapshot is still unsigned, that snapshot is signed and returned. The batch
    /// then stays pending for the next snapshot. The last operation on a key wins. Removing an
    /// absent key does nothing.
    ///
    /// # Errors
    /// After [`AuthorError::Signing`] the next call retries the signature of this snapshot. After
    /// any other [`AuthorError`] the changes are pending again.
    pub fn snapshot_of(
        &mut self,
        batch: Vec<Operation>,
    ) -> Result<Update<S, TupleAttachment<D::Extension>>, AuthorError> {
        let layers = &self.layers;
        self.pending.extend(batch, |key| layers.get(key).is_some());
        self.snapshot()
    }

    fn lay_out(&mut self) -> PendingSnapshot<S, D::TupleState> {
        let (entries_before, operations_before) = (self.entries, self.operations);
        self.entries = self.len();
        let operations = self.pending.take();
        let sizes = self.tuples();
        let plan = Plan {
            version: self.layers.version(),
            sizes: &sizes,
            entries: self.entries,
            operations: self.operations,
        };
        let (merged, operations_then) = plan.merged(self.speculation, operations.len());
        self.operations = operations_then;
        let transition = self
            .layers
            .apply(&operations, merged)
            .expect("author: batches are ordered, removals checked, generations counted");
        PendingSnapshot {
            operations,
            transition,
            entries_before,
            operations_before,
        }
    }

    /// Undoes a snapshot that can never be signed. Its operations become pending again, so that the
    /// caller can change them.
    fn take_back(&mut self, laid_out: PendingSnapshot<S, D::TupleState>) {
        self.layers.undo(laid_out.transition);
        self.pending.take_back(laid_out.operations);
        self.entries = laid_out.entries_before;
        self.operations = laid_out.operations_before;
    }

    fn sign(
        &mut self,
        operations: &[Operation],
        transition: &Transition<S, D::TupleState>,
    ) -> Result<(SignedHead<S>, TupleAttachment<D::Extension>), AuthorError> {
        let signing = SigningInputs::<S, D, K> {
            authority: &self.authority,
            secret: &self.secret,
            signer: &self.signer,
            history: self.frontier.root(),
            workers: &self.workers,
        };
        signing.sign(&mut self.state, &mut self.layers, operations, transition)
    }
}

/// The keys and other inputs with which an author signs a snapshot.
pub(crate) struct SigningInputs<'a, S: Suite, D: Design<S>, K> {
    pub(crate) authority: &'a Authority,
    pub(crate) secret: &'a D::Secret,
    pub(crate) signer: &'a K,
    /// The root of the history log before this snapshot.
    pub(crate) history: S::Digest,
    pub(crate) workers: &'a Workers,
}

impl<S: Suite, D: Design<S>, K: Signer<HeadSignature> + Sync> SigningInputs<'_, S, D, K> {
    /// Authenticates the tuples and signs the head of a snapshot. `transition` contains the changes
    /// that `operations` made to `layers`. Returns head and attachment.
    pub(crate) fn sign(
        &self,
        state: &mut D::State,
        layers: &mut Layers<S, D::TupleState>,
        operations: &[Operation],
        transition: &Transition<S, D::TupleState>,
    ) -> Result<(SignedHead<S>, TupleAttachment<D::Extension>), AuthorError> {
        let version = layers.version();
        let snapshot = UnsignedSnapshot {
            context: Context::of(self.authority),
            layers,
            transition,
            workers: self.workers,
        };
        let extensions = D::authenticate(self.secret, self.signer, state, snapshot)?;
        let attachment = TupleAttachment {
            merged: generation_index(transition.merged()),
            extensions,
        };
        let head = SnapshotHead {
            scheme: self.authority.scheme,
            dictionary: self.authority.dictionary,
            version,
            root: update::root::<S>(
                &update::operations_digest::<S>(operations),
                &D::attachment_digest(&attachment),
            ),
            history: self.history,
        };
        Ok((head.sign(self.signer)?, attachment))
    }
}

/// Rejects a signer or a secret that does not belong to `authority` and `key`. To check the signer,
/// lets it sign the latest `head` again. Without a head, the signer is not checked.
///
/// # Errors
/// [`AuthorError::WrongKey`] if the signer or the secret does not match. [`AuthorError::Signing`]
/// if the signer fails.
pub(crate) fn require_keys<S: Suite, D: Design<S>, K: Signer<HeadSignature>>(
    authority: &Authority,
    key: &D::Key,
    (signer, secret): (&K, &D::Secret),
    head: Option<&SignedHead<S>>,
) -> Result<(), AuthorError> {
    if !D::is_key_of(secret, key) {
        return Err(AuthorError::WrongKey);
    }
    if let Some(head) = head {
        let again = Untrusted::new(head.head.sign(signer)?);
        let verified = again.verify(authority, &head.head.version);
        verified.map_err(|_| AuthorError::WrongKey)?;
    }
    Ok(())
}

/// Facts about a snapshot from which an author decides how to merge generations.
pub(crate) struct Plan<'a> {
    /// The version before this snapshot.
    pub(crate) version: Version,
    /// The number of tuples of each generation before the snapshot, youngest first.
    pub(crate) sizes: &'a [usize],
    /// The number of entries after the snapshot.
    pub(crate) entries: usize,
    /// The number of operations so far in all snapshots after the first.
    pub(crate) operations: u64,
}

impl Plan<'_> {
    /// Returns the generation into which a snapshot of `batch` operations merges all younger
    /// generations. Also returns the number of operations in all snapshots after the first, this
    /// one included.
    pub(crate) fn merged(&self, speculation: Speculation, batch: usize) -> (usize, u64) {
        if self.version == Version::EMPTY {
            return (self.sizes.len() - 1, self.operations);
        }
        let more = u64::try_from(batch).unwrap_or(u64::MAX);
        let operations = self.operations.saturating_add(more);
        let mean = mean(operations, self.version.number());
        let merged = speculation.merged(self.sizes, self.entries, batch, mean);
        (merged, operations)
    }
}

/// Returns the mean number of operations of a snapshot, given the totals.
fn mean(operations: u64, snapshots: u64) -> f64 {
    let float = |number: u64| u32::try_from(number).map_or(f64::from(u32::MAX), f64::from);
    float(operations) / float(snapshots.max(1))
}

impl<S: Suite, D: Design<S>, K: Signer<HeadSignature> + Sync> Dictionary for TupleAuthor<S, D, K> {
    type Suite = S;
    type Attachment = TupleAttachment<D::Extension>;
    type Error = AuthorError;

    fn authority(&self) -> Authority {
        self.authority
    }

    fn head(&self) -> Option<&SignedHead<S>> {
        self.head.as_ref()
    }

    /// The number of entries, pending changes included.
    ///
    /// Time: `O(1)`, plus one search for each pending change.
    fn len(&self) -> usize {
        self.pending
            .len(self.entries, |key| self.layers.get(key).is_some())
    }

    fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.pending.get(key, || self.layers.get(key))
    }

    fn put(&mut self, key: Key, value: Value) {
        self.pending.put(key, value);
    }

    fn remove(&mut self, key: &Key) -> bool {
        let is_published = self.layers.get(key.as_bytes()).is_some();
        self.pending.remove(key, is_published)
    }

    fn snapshot(&mut self) -> Result<Update<S, Self::Attachment>, AuthorError> {
        let laid_out = match self.unsigned.take() {
            Some(unsigned) => unsigned,
            None => self.lay_out(),
        };
        match self.sign(&laid_out.operations, &laid_out.transition) {
            Ok((head, attachment)) => {
                self.frontier.append(&head.head.root);
                self.head = Some(head);
                let base = Version::new(head.head.version.number() - 1);
                Ok(Update {
                    base,
                    operations: laid_out.operations,
                    head,
                    attachment,
                })
            }
            Err(error @ AuthorError::Signing(_)) => {
                self.unsigned = Some(laid_out);
                Err(error)
            }
            Err(error) => {
                self.take_back(laid_out);
                Err(error)
            }
        }
    }
}
