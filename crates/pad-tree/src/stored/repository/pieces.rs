//! Updates of a version that are larger than memory.
//!
//! The operations of such an update arrive in the order of their keys and are split into pieces.
//! Each piece is applied, hashed and stored before the next piece is read, as if it were a version
//! of its own, but unsigned. Because keys are in order, only the few paths that neighbouring pieces
//! share are stored twice.

use core::{iter::Fuse, num::NonZeroUsize};

use pad_core::{
    ApplyError, HeadSignature, Key, Operation, Repository as _, SignedHead, StoreFault, Suite,
};
use signature::Signer;

use super::{Contents, StoredRepository, error::SortedError};
use crate::{
    balancing::BalancingScheme,
    stored::{draft::Draft, log::NodeLog},
};

/// The number of bytes of operations at which a piece is full.
const PIECE_BYTES: usize = 1 << 24;

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Publishes operations as the next version: applies, signs and stores it. The operations must
    /// be in strictly ascending order of their keys. The latest version must have entries.
    ///
    /// The root equals the root after [`StoredRepository::publish`] with the same operations.
    /// Removing an absent key does nothing.
    ///
    /// Time: as for [`StoredRepository::publish`]. Memory: as for an update with `together`
    /// operations, or with about 16 MiB of operations if that is less. Each operation takes a few
    /// kilobytes for the nodes on its path, and the size of its key's old value.
    ///
    /// The version is durable only after [`StoredRepository::synchronise`]. Do not release the
    /// version before that call succeeds.
    ///
    /// # Errors
    /// [`SortedError`]. The repository is unchanged and the signature is not released, unless the
    /// log fails while it publishes. The repository is then closed.
    pub fn publish_changes<K, E>(
        &mut self,
        operations: impl IntoIterator<Item = Result<Operation, E>>,
        together: NonZeroUsize,
        signer: &K,
    ) -> Result<SignedHead<S>, SortedError<E>>
    where
        K: Signer<HeadSignature>,
    {
        self.require_open().map_err(ApplyError::from)?;
        if self.latest_contents().root.is_none() {
            return Err(SortedError::Empty);
        }
        let pieces = Pieces {
            operations: operations.into_iter().fuse(),
            together,
            last: None,
        };
        let published = self.apply_and_sign(pieces, signer);
        if published.is_err() && !self.is_closed {
            self.nodes.withdraw();
        }
        published
    }

    fn apply_and_sign<K, E>(
        &mut self,
        mut pieces: Pieces<impl Iterator<Item = Result<Operation, E>>>,
        signer: &K,
    ) -> Result<SignedHead<S>, SortedError<E>>
    where
        K: Signer<HeadSignature>,
    {
        let mut contents = self.latest_contents();
        let mut digest = self.head(self.latest()).map_err(|_| damaged())?.head.root;
        while let Some(mut piece) = pieces.next()? {
            (digest, contents) = self.applied_piece(contents, &mut piece)?;
            self.nodes.show_appended();
        }
        let head = self.signed_next(digest, signer)?;
        self.record(&head, Some(contents))
            .map_err(ApplyError::from)?;
        Ok(head)
    }

    /// Applies a piece of operations to the tree `contents`, and appends the new nodes. Returns the
    /// digest of the new root and the new tree.
    fn applied_piece(
        &mut self,
        contents: Contents<S::Digest>,
        piece: &mut Vec<Operation>,
    ) -> Result<(S::Digest, Contents<S::Digest>), ApplyError> {
        let (mut draft, mut root) = Draft::<S, B, L>::new(&self.nodes, contents.root);
        self.keep_effective(&mut draft, &mut root, piece)?;
        // Unlike a whole batch, a piece that finds an empty tree does not bulk load it.
        let applied = self.applied((draft, root), contents, piece, false)?;
        Ok((applied.digest, self.place(&applied)?))
    }
}

fn damaged() -> ApplyError {
    StoreFault::Damaged.into()
}

/// Splits an iterator of operations into pieces, and checks the order of keys.
struct Pieces<I> {
    operations: Fuse<I>,
    /// The maximum number of operations in a piece.
    together: NonZeroUsize,
    /// The greatest key read so far.
    last: Option<Key>,
}

impl<E, I: Iterator<Item = Result<Operation, E>>> Pieces<I> {
    /// Reads the next piece of operations; `None` at the end.
    fn next(&mut self) -> Result<Option<Vec<Operation>>, SortedError<E>> {
        let (mut piece, mut bytes) = (Vec::<Operation>::new(), 0_usize);
        while piece.len() < self.together.get() && bytes < PIECE_BYTES {
            let Some(operation) = self.operations.next() else {
                break;
            };
            let operation = operation.map_err(SortedError::Source)?;
            let before = piece.last().map(Operation::key).or(self.last.as_ref());
            if before.is_some_and(|before| before >= operation.key()) {
                return Err(SortedError::Unordered);
            }
            bytes = bytes.saturating_add(operation.key().as_bytes().len());
            if let Operation::Put(_, value) = &operation {
                bytes = bytes.saturating_add(value.as_bytes().len());
            }
            piece.push(operation);
        }
        let Some(last) = piece.last() else {
            return Ok(None);
        };
        self.last = Some(last.key().clone());
        Ok(Some(piece))
    }
}
