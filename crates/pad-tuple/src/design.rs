//! The interface of a design of tuple PADs for authors and servers: authentication, refresh and
//! proofs of tuples.

use core::fmt::Debug;

#[cfg(feature = "accumulators")]
use pad_accumulators::AccumulateError;
use pad_core::{
    ApplyError, HeadSignature, SignedHead, Suite, VerifyError, Version, Workers, head::Authority,
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
    /// Returns the tuple's index in side tables.
    pub(crate) fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Error returned when an author cannot take a snapshot, resume or generate a secret. The changes
/// of a failed snapshot are kept for the next.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer failed, or an author could not read the stored rows from which it resumes.
    #[error("the signer refused: {0}")]
    Signing(String),
    /// The signer or the secret does not belong to the repository.
    #[error("the signing key or the secret does not belong to the repository")]
    WrongKey,
    /// The repository contains data that no signature of the author covers.
    #[error("contents of the repository are not signed by the author: {0}")]
    Unvouched(#[source] VerifyError),
    /// The system provides no randomness for a new secret.
    #[error("the operating system gives no random bytes")]
    NoRandomness,
    #[cfg(feature = "accumulators")]
    /// The accumulator cannot contain the tuples, or a fault was detected.
    #[error(transparent)]
    Accumulate(#[from] AccumulateError),
}

impl From<signature::Error> for AuthorError {
    fn from(error: signature::Error) -> Self {
        Self::Signing(error.to_string())
    }
}

/// A snapshot that an author has laid out and is about to sign.
#[derive(Debug)]
pub struct UnsignedSnapshot<'a, S: Suite, A> {
    /// The design and dictionary to which the signed statements are bound.
    pub context: Context,
    /// The layers after the transition.
    pub layers: &'a mut Layers<S, A>,
    /// The changes that the snapshot made to the layers.
    pub transition: &'a Transition<S, A>,
    /// The threads that signing may use.
    pub workers: &'a Workers,
}

/// An update that a server applies: signed by the author, and laid out.
#[derive(Debug)]
pub struct Admission<'a, S: Suite, T> {
    /// The author and dictionary of the update.
    pub authority: &'a Authority,
    /// The layers after the transition, with the numbers of their tuples.
    pub layers: &'a Layers<S, TupleId>,
    /// The changes that the update made to the layers.
    pub transition: &'a Transition<S, TupleId>,
    /// The author's extensions (parts of the update), youngest generation first. [`Design::admit`]
    /// checks that there is one for each generation whose clock moved.
    pub extensions: &'a [T],
    /// The digest of the update's operations, which the head's root binds.
    pub operations: S::Digest,
}

/// Layers and per-generation state from which an author resumes.
pub type Resumed<S, D> = (
    Layers<S, <D as Design<S>>::TupleState>,
    <D as Design<S>>::State,
);

/// A design of tuple PADs, as authors and servers see it. The design determines authentication,
/// refresh and the number of generations.
///
/// Both roles share the layers ([`Layers`]). A design adds the authentication of their tuples.
///
/// Laws:
/// - [`TupleScheme::check`] accepts the evidence and the seal that `evidence` and `seal` return for
///   a tuple that was in the layers at that instant.
/// - `authenticate` may be called again after an error.
/// - `admit` changes nothing if it fails.
///
/// Source: Crosby & Wallach 2010, section 4.
pub trait Design<S: Suite>: TupleScheme<S> {
    /// The author's secret, in addition to its signer.
    type Secret: Send + Sync;
    /// The author's state of each tuple: the state of its signature or of its accumulated element.
    type TupleState: Clone + Debug + Default + Send + Sync;
    /// The author's state of all generations.
    type State: Clone + Debug + Send + Sync;
    /// The part of an update for each generation whose clock moved.
    ///
    /// An extension prolongs the validity of the tuples that stay by one instant of their
    /// generation's clock.
    type Extension: EpochExtension;
    /// The data that the server stores to prove all tuples: signatures, links or witnesses.
    type Records: Clone + Debug + Send + Sync;

    /// Returns the public half of a secret.
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
    /// [`AuthorError`] if signing or accumulating fails. The states of tuples may have changed. The
    /// call can be repeated.
    fn authenticate(
        secret: &Self::Secret,
        signer: SharedSigner<'_>,
        state: &mut Self::State,
        snapshot: UnsignedSnapshot<'_, S, Self::TupleState>,
    ) -> Result<Vec<Self::Extension>, AuthorError>;

    /// Returns the digest of an attachment that the signed root binds. A design overrides this
    /// function if clients recompute the digest from a proof.
    fn attachment_digest(attachment: &TupleAttachment<Self::Extension>) -> S::Digest {
        attachment.digest::<S>()
    }

    /// Applies the author's extensions to the records.
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

    /// Returns the evidence for a tuple that existed at `instant`. `None` if the records lack it,
    /// because they are damaged or another party wrote them.
    fn evidence(
        records: &Self::Records,
        generation: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Option<Self::Evidence>;

    /// Returns the evidence that a proof contains once (the seal), for the version of `head` and
    /// its first `shown` generations. `None` as for [`Design::evidence`].
    fn seal(records: &Self::Records, head: &SignedHead<S>, shown: usize) -> Option<Self::Seal>;

    /// Encodes the records, to be stored with a checkpoint.
    fn store(records: &Self::Records) -> Vec<u8>;

    /// Decodes the output of [`Design::store`]. `None` if the bytes are not records of this design.
    ///
    /// Does not check signatures. A server with records of another party can produce evidence that
    /// clients refuse. An author must not resume from such records. Implementations must not panic
    /// on them.
    fn restore(key: &Self::Key, context: Context, stored: &[u8]) -> Option<Self::Records>;

    /// Drops the records of `tuples`, which are in no version from `oldest` on, and per-version
    /// records before `oldest`. Tuples that stay may keep the records of earlier instants.
    fn forget(records: &mut Self::Records, oldest: Version, tuples: &[TupleId]);

    /// Returns the bytes of memory that the records take, without spare capacity.
    fn memory_bytes(records: &Self::Records) -> usize;

    /// Refuses the tuples of the latest version unless statements signed by the author cover them.
    /// A statement that covers a creation instant must also confirm this instant, because another
    /// party may have written the records.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold.
    fn require_vouched(
        expectation: &Expectation<Self::Key>,
        head: &SignedHead<S>,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<(), VerifyError>;

    /// Returns the author's layers and state, from records that [`Design::require_vouched`] has
    /// accepted.
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

/// A tuple for a proof, and an instant at which the tuple existed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The generation, 0 for the youngest.
    pub generation: usize,
    /// The instant on the generation's clock: a version, or an epoch of an older generation.
    pub instant: u64,
    /// The tuple's number in the repository.
    pub tuple: TupleId,
}

/// A design that aggregates the evidence for many tuples.
///
/// Law: [`AggregateScheme::check_all`] accepts the output of `gather` for distinct tuples that
/// existed at those instants, with their claims in the same order.
pub trait AggregateDesign<S: Suite>: Design<S> + AggregateScheme<S> {
    /// Returns the evidence for at least one tuple, no two equal: the evidence of each tuple in the
    /// given order, and the aggregate. `None` as for [`Design::evidence`].
    fn gather(
        records: &Self::Records,
        version: Version,
        tuples: &[Placed],
    ) -> Option<(Vec<Self::TupleData>, Self::Aggregate)>;
}
