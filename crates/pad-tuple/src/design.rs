//! The interface that each design of tuple dictionaries implements for authors and servers:
//! authentication, refresh and proofs of tuples.

use core::fmt::Debug;

#[cfg(feature = "accumulators")]
use pad_accumulators::AccumulateError;
use pad_core::{
    ApplyError, Authority, HeadSignature, SignedHead, Suite, VerifyError, Version, Workers,
    internals::refusal_reason,
};
use serde::{Deserialize, Serialize};
use signature::Signer;

use crate::{
    layers::{Layers, Transition},
    scheme::{AggregateScheme, Expectation, TupleScheme},
    statement::Context,
    update::{EpochExtension, TupleAttachment},
};

/// Any Ed25519 signer that several threads may use.
pub type SharedSigner<'a> = &'a (dyn Signer<HeadSignature> + Sync);

/// The number under which a repository stores a tuple.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TupleId(pub(crate) u32);

impl TupleId {
    /// Returns the tuple's index in tables with one element for each tuple.
    pub(crate) fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Error returned when an author cannot take a snapshot, resume or generate a secret. The changes
/// of a failed snapshot are kept for the next one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer failed.
    #[error("the signer refused: {}", refusal_reason(.0))]
    Signing(#[from] signature::Error),
    /// The stored rows, from which an author resumes, cannot be read.
    #[error("the stored rows cannot be read: {0}")]
    Unreadable(#[source] ApplyError),
    /// The signer or the secret does not belong to the repository.
    #[error("the signing key or the secret does not belong to the repository")]
    WrongKey,
    /// The repository contains data that the author has not signed.
    #[error("contents of the repository are not signed by the author: {0}")]
    Unvouched(#[source] VerifyError),
    /// The operating system provides no randomness for a new secret.
    #[error("the operating system gives no random bytes")]
    NoRandomness,
    #[cfg(feature = "accumulators")]
    /// The accumulator cannot contain the tuples, or a fault in the computation was detected.
    #[error(transparent)]
    Accumulate(#[from] AccumulateError),
}

/// A snapshot whose changes are applied to the layers, and which the author is about to sign.
#[derive(Debug)]
pub struct UnsignedSnapshot<'a, S: Suite, A> {
    /// The design and dictionary for which the signed statements are valid.
    pub context: Context,
    /// The tuples of all generations after the snapshot's changes.
    pub layers: &'a mut Layers<S, A>,
    /// The changes that the snapshot made to the layers.
    pub transition: &'a Transition<S, A>,
    /// The threads that signing may use.
    pub workers: &'a Workers,
}

/// An update that a server is about to apply. The author signed it, and its changes are applied to
/// the layers.
#[derive(Debug)]
pub struct Admission<'a, S: Suite, T> {
    /// The author, dictionary and scheme of the update.
    pub authority: &'a Authority,
    /// The tuples of all generations after the update's changes, with their numbers in the
    /// repository.
    pub layers: &'a Layers<S, TupleId>,
    /// The changes that the update made to the layers.
    pub transition: &'a Transition<S, TupleId>,
    /// The extensions in the update, youngest generation first. An extension extends a generation's
    /// tuples to its new instant. [`Design::admit`] checks that there is one for each generation
    /// whose clock moved.
    pub extensions: &'a [T],
    /// The digest of the update's operations, to which the signed root commits.
    pub operations: S::Digest,
}

/// The layers (tuples of all generations) and the author's state of the generations, from which an
/// author resumes.
pub type Resumed<S, D> = (
    Layers<S, <D as Design<S>>::TupleState>,
    <D as Design<S>>::State,
);

/// A design of tuple dictionaries, as authors and servers see it. It determines how tuples are
/// authenticated and refreshed, and the number of generations.
///
/// Authors and servers compute the same tuples ([`Layers`]). A design adds the authentication of
/// these tuples.
///
/// Laws:
/// - [`TupleScheme::check`] accepts the evidence and the seal that `evidence` and `seal` return for
///   a tuple that was in the layers at the requested instant.
/// - `authenticate` may be called again after an error.
/// - `admit` changes nothing if it fails.
///
/// Source: Crosby & Wallach 2010, section 4.
pub trait Design<S: Suite>: TupleScheme<S> {
    /// The author's secret, in addition to its signing key.
    type Secret: Send + Sync;
    /// The author's state of each tuple: the state of its signature or of its accumulated element.
    type TupleState: Clone + Debug + Default + Send + Sync;
    /// The data that the author stores in addition to the tuples, for example accumulators.
    type State: Clone + Debug + Send + Sync;
    /// The part of an update for each generation whose clock moved.
    ///
    /// An extension authenticates the tuples of one generation for the new instant on its clock.
    type Extension: EpochExtension;
    /// The data with which the server proves all tuples: signatures, hash chain links or witnesses.
    type Records: Clone + Debug + Send + Sync;

    /// Returns the public half of a secret, which clients need.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// Returns whether `key` is the public half of `secret`.
    fn is_key_of(secret: &Self::Secret, key: &Self::Key) -> bool;

    /// Returns the author's state before the first snapshot.
    fn state(secret: &Self::Secret, context: Context) -> Self::State;

    /// Returns the server's records before the first snapshot.
    fn records(key: &Self::Key, context: Context) -> Self::Records;

    /// Authenticates every tuple of the generations whose clock moved. Returns one extension for
    /// each of these generations.
    ///
    /// # Errors
    /// [`AuthorError`] if signing or accumulating fails. The states of some tuples may have changed
    /// then. The call can be repeated.
    fn authenticate(
        secret: &Self::Secret,
        signer: SharedSigner<'_>,
        state: &mut Self::State,
        snapshot: UnsignedSnapshot<'_, S, Self::TupleState>,
    ) -> Result<Vec<Self::Extension>, AuthorError>;

    /// Returns the digest of an attachment, to which the signed root commits. A design overrides
    /// this function if clients recompute the digest from a proof.
    fn attachment_digest(attachment: &TupleAttachment<Self::Extension>) -> S::Digest {
        attachment.digest::<S>()
    }

    /// Checks the extensions of an update and adds their data to the server's records.
    ///
    /// # Errors
    /// [`ApplyError::AttachmentMismatch`] if the extensions do not match the layers;
    /// [`ApplyError::Input`] if an accumulator cannot contain the tuples. The records are then
    /// unchanged.
    fn admit(
        key: &Self::Key,
        records: &mut Self::Records,
        admission: &Admission<'_, S, Self::Extension>,
        workers: &Workers,
    ) -> Result<(), ApplyError>;

    /// Returns the evidence for a tuple that existed at `instant`. `None` if the records lack the
    /// evidence, because they are damaged or another party wrote them.
    fn evidence(
        records: &Self::Records,
        generation: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Option<Self::Evidence>;

    /// Returns the seal, the evidence that a proof contains once for all its tuples. It belongs to
    /// the version of `head` and the `shown` youngest generations. `None` as for
    /// [`Design::evidence`].
    fn seal(records: &Self::Records, head: &SignedHead<S>, shown: usize) -> Option<Self::Seal>;

    /// Encodes the server's records, to be stored in a checkpoint.
    fn store(records: &Self::Records) -> Vec<u8>;

    /// Decodes the output of [`Design::store`]. `None` if the bytes are not records of this design.
    ///
    /// Does not check signatures. With records that another party wrote, a server can produce
    /// evidence that clients reject. An author must not resume from such records. Implementations
    /// must not panic on them.
    fn restore(key: &Self::Key, context: Context, stored: &[u8]) -> Option<Self::Records>;

    /// Drops the records of `tuples`, none of which exists in a version from `oldest` on. Also
    /// drops data that is stored once per version, for the versions before `oldest`. Other tuples
    /// may keep their records of earlier instants.
    fn forget(records: &mut Self::Records, oldest: Version, tuples: &[TupleId]);

    /// Returns the memory, in bytes, of the server's records, without spare capacity.
    fn memory_bytes(records: &Self::Records) -> usize;

    /// Rejects the tuples in `layers` unless the author signed them for the latest version. If the
    /// signed data includes a tuple's creation instant, the instant in the records must match,
    /// because another party may have written the records.
    ///
    /// # Errors
    /// The [`VerifyError`] of the first check that fails.
    fn require_vouched(
        expectation: &Expectation<Self::Key>,
        head: &SignedHead<S>,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<(), VerifyError>;

    /// Creates an author's layers and state from a server's layers and records, which
    /// [`Design::require_vouched`] must have accepted.
    ///
    /// # Errors
    /// [`AuthorError::Accumulate`] if the accumulators cannot be rebuilt.
    fn resume(
        secret: &Self::Secret,
        context: Context,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<Resumed<S, Self>, AuthorError>;
}

/// A tuple to be proved, and an instant at which it existed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The tuple's generation, 0 for the youngest.
    pub generation: usize,
    /// The instant on the generation's clock: a version, or an epoch of an older generation.
    pub instant: u64,
    /// The tuple's number in the repository.
    pub tuple: TupleId,
}

/// A design that aggregates the evidence for many tuples.
///
/// Law: [`AggregateScheme::check_all`] accepts the output of `gather` for distinct tuples that
/// existed at the given instants. The claims must be in the same order.
pub trait AggregateDesign<S: Suite>: Design<S> + AggregateScheme<S> {
    /// Returns the evidence for `tuples`, which are distinct and at least one: the data of each
    /// tuple in the same order, and the aggregate. `None` as for [`Design::evidence`].
    fn gather(
        records: &Self::Records,
        version: Version,
        tuples: &[Placed],
    ) -> Option<(Vec<Self::TupleData>, Self::Aggregate)>;
}
