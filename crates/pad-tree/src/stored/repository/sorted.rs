//! Bulk publication of a dictionary's first contents, of any size, as one version.

use core::iter::Fuse;

use pad_core::{ApplyError, HeadSignature, Key, SignedHead, StoreFault, Suite, Value, Workers};
use signature::Signer;

use super::{
    StoredRepository,
    error::{PublishError, SortedError},
    head::Contents,
};
use crate::{
    balancing::BalancingScheme,
    stored::{
        build::{Build, Leaf},
        layout::LayoutError,
        link::Link,
        log::NodeLog,
    },
};

impl<E> From<LayoutError> for SortedError<E> {
    fn from(unplaced: LayoutError) -> Self {
        Self::Publish(PublishError::Apply(unplaced.into()))
    }
}

impl<E> From<ApplyError> for SortedError<E> {
    fn from(error: ApplyError) -> Self {
        Self::Publish(PublishError::Apply(error))
    }
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Publishes `number` entries, in ascending order of their keys, as the next version: builds,
    /// signs and stores it. The latest version must be empty. The result equals the result of
    /// [`StoredRepository::publish`], byte for byte.
    ///
    /// Time: linear in the number of entries. With several workers, reading, hashing and storing
    /// run in parallel.
    ///
    /// Memory: the nodes of one path, and a few batches of 4096 entries or 1 MiB, independent of
    /// `number`. For treaps and skip lists the path is logarithmic unless an attacker chose keys by
    /// their digests.
    ///
    /// The version is durable only after [`StoredRepository::synchronise`]. Do not release the
    /// version before that call succeeds.
    ///
    /// # Errors
    /// [`SortedError`]. The repository is unchanged and the signature is not released, unless the
    /// log fails while it publishes. The repository is then closed.
    pub fn publish_sorted<K, E>(
        &mut self,
        number: u64,
        entries: impl IntoIterator<Item = Result<(Key, Value), E>, IntoIter: Send>,
        signer: &K,
    ) -> Result<SignedHead<S>, SortedError<E>>
    where
        K: Signer<HeadSignature>,
        E: Send,
    {
        self.require_open().map_err(ApplyError::from)?;
        if self.latest_contents().root.is_some() {
            return Err(SortedError::NotEmpty);
        }
        let published = self.build_and_sign(number, entries.into_iter(), signer);
        if published.is_err() && !self.is_closed {
            self.nodes.log.discard();
        }
        published
    }

    fn build_and_sign<K, E>(
        &mut self,
        number: u64,
        entries: impl Iterator<Item = Result<(Key, Value), E>> + Send,
        signer: &K,
    ) -> Result<SignedHead<S>, SortedError<E>>
    where
        K: Signer<HeadSignature>,
        E: Send,
    {
        let (position, nodes) = (self.nodes.log.end(), &mut self.nodes);
        let build = Build::<S, B, _>::new(number, position, |bytes| nodes.append(bytes));
        let batches = Batches {
            entries: entries.fuse(),
            expected: number,
            actual: 0,
            last: None,
        };
        let root = laid_out(build, batches, &self.workers)?;
        let digest = root.map_or_else(S::empty_tree, |root| root.digest);
        let head = self.signed_next(digest, signer)?;
        let contents = Contents {
            root,
            population: number,
        };
        self.record(&head, Some(contents))
            .map_err(ApplyError::from)?;
        Ok(head)
    }
}

/// Entries (key, value) that are hashed and stored together.
type Batch = Vec<(Key, Value)>;

/// Splits an iterator of entries into batches, and checks the order of keys and the number of
/// entries.
struct Batches<I> {
    entries: Fuse<I>,
    /// The number of entries that the caller announced.
    expected: u64,
    actual: u64,
    /// The greatest key read so far.
    last: Option<Key>,
}

impl<I, E> Batches<I>
where
    I: Iterator<Item = Result<(Key, Value), E>>,
{
    /// Reads the next batch of entries; empty at the end.
    fn next(&mut self) -> Result<Batch, SortedError<E>> {
        let (mut batch, mut bytes) = (Batch::new(), 0);
        while batch.len() < BATCH_ENTRIES && bytes < BATCH_BYTES {
            let Some(entry) = self.entries.next() else {
                break;
            };
            let (key, value) = entry.map_err(SortedError::Source)?;
            let before = batch.last().map(|(key, _)| key).or(self.last.as_ref());
            if before.is_some_and(|before| *before >= key) {
                return Err(SortedError::Unordered);
            }
            self.actual = self.actual.saturating_add(1);
            if self.actual > self.expected {
                return Err(self.wrong_number());
            }
            bytes += key.as_bytes().len() + value.as_bytes().len();
            batch.push((key, value));
        }
        match batch.last() {
            Some((key, _)) => self.last = Some(key.clone()),
            None if self.actual < self.expected => return Err(self.wrong_number()),
            None => {}
        }
        Ok(batch)
    }

    const fn wrong_number(&self) -> SortedError<E> {
        let (expected, actual) = (self.expected, self.actual);
        SortedError::Number { expected, actual }
    }
}

/// Builds the tree of all entries in a pipeline. One batch is read while the previous batch is
/// hashed and the batch before that is stored. Returns the link to the root.
fn laid_out<S, B, A, I, E>(
    mut build: Build<S, B, A>,
    mut batches: Batches<I>,
    workers: &Workers,
) -> Result<Option<Link<S::Digest>>, SortedError<E>>
where
    S: Suite,
    B: BalancingScheme,
    A: FnMut(&[u8]) -> Result<(), StoreFault> + Send,
    I: Iterator<Item = Result<(Key, Value), E>> + Send,
    E: Send,
{
    let (mut read, mut hashed) = (Batch::new(), (Batch::new(), Vec::new()));
    loop {
        let (entries, leaves) = hashed;
        let place = || {
            let mut leaves = entries.into_iter().zip(&leaves);
            leaves.try_for_each(|((key, value), leaf)| build.add(key, &value, leaf))
        };
        let hash = || {
            let leaf = |(key, value): &(Key, Value)| Leaf::of::<S, B>(key, value);
            read.iter().map(leaf).collect::<Vec<_>>()
        };
        let (next, (leaves, placed)) =
            workers.both(|| batches.next(), || workers.both(hash, place));
        placed?;
        let next = next?;
        if next.is_empty() && read.is_empty() {
            return Ok(build.finish()?);
        }
        hashed = (read, leaves);
        read = next;
    }
}

/// The maximum number of entries in a batch.
const BATCH_ENTRIES: usize = 4096;

/// The number of bytes of keys and values at which a batch is full.
const BATCH_BYTES: usize = 1 << 20;
