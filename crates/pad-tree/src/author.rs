//! The author: the latest contents, and a signed update for each snapshot.

use pad_core::{
    Authority, Dictionary, DictionaryId, Frontier, HeadSignature, Key, Operation, SignedHead,
    SnapshotHead, Suite, Update, Value, Version, Workers, internals::PendingChanges,
};
use rayon::prelude::*;
use signature::{Error as SigningError, Signer};

use crate::{
    annotation::Authenticated,
    balancing::BalancingScheme,
    entries::Probe,
    repository::TreeRepository,
    store::{VersionedStore, in_place::InPlace},
    tree::Tree,
};

/// An author of a tree dictionary under suite `S` and balancing scheme `B`, with a signer `K`.
///
/// Space: proportional to the number of entries. Changes by `put` and `remove` wait in memory until
/// [`Dictionary::snapshot`]. The snapshot applies them in ascending order of keys, hashes each
/// changed node once and signs.
///
/// Source: Crosby & Wallach 2010, section 2.
#[derive(Debug)]
pub struct TreeAuthor<S: Suite, B: BalancingScheme, K> {
    tree: Tree<InPlace<Authenticated<S>, B>>,
    authority: Authority,
    signer: K,
    frontier: Frontier<S>,
    head: Option<SignedHead<S>>,
    pending: PendingChanges,
    /// The operations and head of a snapshot whose signature failed. The next snapshot retries the
    /// signature.
    unsigned: Option<(Vec<Operation>, SnapshotHead<S>)>,
    workers: Workers,
}

impl<S: Suite, B: BalancingScheme, K> TreeAuthor<S, B, K>
where
    K: Signer<HeadSignature>,
{
    /// Creates the author of a new, empty dictionary.
    ///
    /// `author` is the public half of `signer`. Clients need the [`Dictionary::authority`] of the
    /// returned author.
    pub fn new(dictionary: DictionaryId, author: pad_core::AuthorKey, signer: K) -> Self {
        Self {
            tree: Tree::default(),
            authority: Authority {
                author,
                dictionary,
                scheme: B::ID,
            },
            signer,
            frontier: Frontier::default(),
            head: None,
            pending: PendingChanges::default(),
            unsigned: None,
            workers: Workers::sequential(),
        }
    }

    /// Resumes an author from the latest version in `repository`. The author must trust the
    /// repository: use only its own backup.
    ///
    /// Never resume from a repository that may lack a published snapshot. The author would then
    /// sign a second head for the same version.
    pub fn resume<St>(repository: &TreeRepository<S, St>, signer: K) -> Self
    where
        St: VersionedStore<Annotation = Authenticated<S>, Scheme = B> + Send + Sync,
    {
        let heads = repository.heads();
        let past = (*heads.authority(), heads.frontier(), heads.latest_head());
        let latest = &repository.tree.tree;
        let (store, root) = InPlace::copy_of(&latest.store, latest.root);
        let tree = Tree::with_store(store, root, latest.population);
        Self::of_parts(tree, past, signer)
    }

    /// Creates an author whose latest version has the contents `tree`. The tuple contains the
    /// authority, the history log's frontier, and the latest signed head, if any.
    pub(crate) fn of_parts(
        tree: Tree<InPlace<Authenticated<S>, B>>,
        (authority, frontier, head): (Authority, Frontier<S>, Option<SignedHead<S>>),
        signer: K,
    ) -> Self {
        let Authority {
            dictionary, author, ..
        } = authority;
        Self {
            tree,
            frontier,
            head,
            ..Self::new(dictionary, author, signer)
        }
    }

    /// Sets the threads that apply large batches.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// Applies a whole batch as one snapshot, together with the pending changes.
    ///
    /// If an earlier snapshot still lacks its signature, that snapshot is signed and returned. The
    /// batch then stays pending for the next snapshot.
    ///
    /// The last operation on a key wins; removing an absent key does nothing. For large batches,
    /// this method is faster than single calls, and fastest if the batch is already in ascending
    /// order of keys.
    ///
    /// # Errors
    /// The signer's error. The next call retries the signature of this snapshot.
    ///
    /// # Panics
    /// If the contents exceed the capacity of about 2^31 entries.
    pub fn snapshot_of(&mut self, batch: Vec<Operation>) -> Result<Update<S>, SigningError> {
        if self.unsigned.is_some() || !self.pending.is_empty() {
            let tree = &self.tree;
            self.pending.extend(batch, |key| tree.find(key).is_some());
            return self.snapshot();
        }
        let operations = self.normalize(batch);
        self.seal(operations)
    }

    /// Sorts a batch, keeps the last operation on each key, and drops removals of absent keys.
    fn normalize(&self, batch: Vec<Operation>) -> Vec<Operation> {
        let mut batch = in_order(batch, &self.workers);
        batch.retain(|operation| match operation {
            Operation::Put(..) => true,
            Operation::Remove(key) => self.is_in_tree(key.as_bytes()),
        });
        batch
    }

    fn seal(&mut self, operations: Vec<Operation>) -> Result<Update<S>, SigningError> {
        let applied = self.tree.apply(&operations, &self.workers);
        applied.expect("author: batches are ordered, and removals checked");
        let root = self.tree.hash(&self.workers);
        let (store, sealed) = self.tree.sealed();
        if sealed.parallel && self.workers.threads() > 1 {
            self.workers.run(|| store.commit(&sealed));
        } else {
            store.commit(&sealed);
        }
        let head = SnapshotHead {
            scheme: B::ID,
            dictionary: self.authority.dictionary,
            version: Version::new(self.frontier.entries() + 1),
            root,
            history: self.frontier.root(),
        };
        self.frontier.append(&root);
        self.sign(operations, head)
    }

    fn sign(
        &mut self,
        operations: Vec<Operation>,
        head: SnapshotHead<S>,
    ) -> Result<Update<S>, SigningError> {
        match head.sign(&self.signer) {
            Ok(signed) => {
                self.head = Some(signed);
                let base = Version::new(head.version.number() - 1);
                Ok(Update {
                    base,
                    operations,
                    head: signed,
                    attachment: (),
                })
            }
            Err(error) => {
                self.unsigned = Some((operations, head));
                Err(error)
            }
        }
    }

    fn is_in_tree(&self, key: &[u8]) -> bool {
        self.tree.find(key).is_some()
    }
}

/// Sorts a batch in ascending order of keys and keeps only the last operation on each key.
pub(crate) fn in_order(batch: Vec<Operation>, workers: &Workers) -> Vec<Operation> {
    if batch.is_sorted_by(|a, b| a.key() < b.key()) {
        return batch;
    }
    // Positions are sorted by the keys' first bytes, so that few whole keys are read.
    let probe = |position: usize| Probe::new(batch[position].key().as_bytes());
    let mut order: Vec<(Probe<'_>, usize)> = (0..batch.len())
        .map(|position| (probe(position), position))
        .collect();
    workers.run(|| {
        if workers.threads() > 1 && order.len() >= PARALLEL_SORT {
            order.par_sort_unstable();
        } else {
            order.sort_unstable();
        }
    });
    order.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 = later.1;
        }
        same
    });
    let order: Vec<usize> = order.into_iter().map(|(_, position)| position).collect();
    let mut batch: Vec<Option<Operation>> = batch.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|position| batch[position].take())
        .collect()
}

/// The least number of operations in a batch that is sorted on several threads.
const PARALLEL_SORT: usize = 4096;

impl<S: Suite, B: BalancingScheme, K: Signer<HeadSignature>> Dictionary for TreeAuthor<S, B, K> {
    type Suite = S;
    type Attachment = ();
    type Error = SigningError;

    fn authority(&self) -> Authority {
        self.authority
    }

    fn head(&self) -> Option<&SignedHead<S>> {
        self.head.as_ref()
    }

    /// The number of entries, pending changes included.
    ///
    /// Time: `O(1)`, and one search for each pending change.
    fn len(&self) -> usize {
        self.pending
            .len(self.tree.population, |key| self.is_in_tree(key))
    }

    fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let published = || {
            let entry = self.tree.find(key)?;
            Some(self.tree.entries().value(entry))
        };
        self.pending.get(key, published)
    }

    fn put(&mut self, key: Key, value: Value) {
        self.pending.put(key, value);
    }

    fn remove(&mut self, key: &Key) -> bool {
        let is_published = self.is_in_tree(key.as_bytes());
        self.pending.remove(key, is_published)
    }

    fn snapshot(&mut self) -> Result<Update<S>, SigningError> {
        if let Some((operations, head)) = self.unsigned.take() {
            return self.sign(operations, head);
        }
        let operations = self.pending.take();
        self.seal(operations)
    }
}
