//! Publishes an author's versions without a copy of the contents in memory.

use pad_core::{
    ApplyError, HeadSignature, InputError, Operation, Repository as _, SignedHead, SnapshotHead,
    Suite, Update,
};
use signature::Signer;

use super::{StoredRepository, error::PublishError};
use crate::{
    author::in_order,
    balancing::BalancingScheme,
    id::NodeId,
    stored::{draft::Draft, log::NodeLog},
};

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Publishes a batch as the next version: applies, signs and stores it, without a copy of the
    /// contents in memory.
    ///
    /// The last operation on a key wins; removing an absent key does nothing. Reads the nodes on
    /// the paths of the keys, and of the neighbours of absent keys.
    ///
    /// The signed contents follow only from the latest signed root and the batch. But an attacker
    /// with write access to the log can change the shape of the tree. The signed root can then
    /// differ from the root that other replicas compute, and the dictionary cannot continue from
    /// it.
    ///
    /// The version is durable only after [`StoredRepository::synchronise`]. Do not release the
    /// version before that call succeeds.
    ///
    /// # Errors
    /// [`PublishError`]. `batch` keeps at least the operations that take effect, sorted by key
    /// unless the repository was closed before. The repository is unchanged and the signature is
    /// not released, unless the log fails while it publishes. The repository is then closed.
    pub fn publish<K: Signer<HeadSignature>>(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &K,
    ) -> Result<Update<S>, PublishError> {
        self.require_open().map_err(ApplyError::from)?;
        let contents = self.latest_contents();
        let (mut draft, mut root) = Draft::<S, B, L>::new(&self.nodes, contents.root);
        *batch = in_order(core::mem::take(batch), &self.workers);
        self.keep_effective(&mut draft, &mut root, batch)?;
        let applied = self.applied((draft, root), contents, batch, true)?;
        let base = self.latest();
        let head = self.signed_next(applied.digest, signer)?;
        self.append(&applied, &head)?;
        Ok(Update {
            base,
            operations: core::mem::take(batch),
            head,
            attachment: (),
        })
    }

    /// Drops the removals of keys that the tree below `root` does not contain. `operations` are in
    /// ascending order of their keys. On an error, `operations` is unchanged.
    pub(super) fn keep_effective(
        &self,
        draft: &mut Draft<'_, S, B, L>,
        root: &mut Option<NodeId>,
        operations: &mut Vec<Operation>,
    ) -> Result<(), ApplyError> {
        let ways = draft.open_ways(root, operations, &self.workers)?;
        let mut found = Vec::with_capacity(operations.len());
        for (operation, is_there) in operations.iter().zip(ways) {
            found.push(is_there || draft.contains(root, operation.key().as_bytes())?);
        }
        let mut found = found.into_iter();
        operations.retain(|operation| {
            found.next().unwrap_or(true) || matches!(operation, Operation::Put(..))
        });
        Ok(())
    }

    /// Signs the head of the next version, whose contents have the digest `root`.
    pub(super) fn signed_next<K: Signer<HeadSignature>>(
        &mut self,
        root: S::Digest,
        signer: &K,
    ) -> Result<SignedHead<S>, PublishError> {
        let base = self.latest();
        let full = ApplyError::Input(InputError::CapacityExceeded);
        let head = SnapshotHead {
            scheme: self.authority.scheme,
            dictionary: self.authority.dictionary,
            version: base.next().ok_or(full)?,
            root,
            history: self.frontier().map_err(ApplyError::from)?.root(),
        };
        let head = head.sign(signer).map_err(PublishError::Signer)?;
        self.check_next(base, &head)?;
        Ok(head)
    }
}
