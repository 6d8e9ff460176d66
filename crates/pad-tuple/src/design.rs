//! What one design of tuple PADs decides for authors and servers: how a tuple is authenticated, kept fresh and
//! proved.

use core::fmt::Debug;

#[cfg(feature = "accumulators")]
use accumulators::AccumulateError;
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

/// A tuple's number in a repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TupleId(pub(crate) u32);

impl TupleId {
    /// The tuple's place in side tables.
    pub(crate) fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Why an author could not take a snapshot. The changes are then still pending.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer failed.
    #[error("the signer refused: {0}")]
    Signing(String),
    /// The signer or the secret does not belong to the repository.
    #[error("the signing key or the secret is not that of the repository")]
    WrongKey,
    /// No signature of the author vouches for contents that its repository has.
    #[error("contents of the repository are not what the author signed: {0}")]
    Unvouched(#[source] VerifyError),
    /// There is no randomness for a new secret.
    #[error("the system gives no random bytes")]
    NoRandomness,
    #[cfg(feature = "accumulators")]
    /// The accumulator cannot hold the tuples, or a fault was detected.
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
    /// The place that statements are made for.
    pub context: Context,
    /// The layers after the transition.
    pub layers: &'a mut Layers<S, A>,
    /// What the snapshot did to the layers.
    pub transition: &'a Transition<S, A>,
    /// The threads that signing may use.
    pub workers: &'a Workers,
}

/// An update that a server takes in: signed by the author, and laid out.
#[derive(Debug)]
pub struct Admission<'a, S: Suite, T> {
    /// Whose update it is.
    pub authority: &'a Authority,
    /// The layers after the transition, with the numbers of their tuples.
    pub layers: &'a Layers<S, TupleId>,
    /// What the update did to the layers.
    pub transition: &'a Transition<S, TupleId>,
    /// What the author sent for each generation whose clock moved, youngest first.
    pub extensions: &'a [T],
    /// The digest of the update's operations, which the head's root binds.
    pub operations: S::Digest,
}

/// Where an author goes on: its layers, and its state of each generation.
pub type Resumed<S, D> = (
    Layers<S, <D as Design<S>>::TupleState>,
    <D as Design<S>>::State,
);

/// A design of tuple PADs as authors and servers know it: authentication, refresh and number of generations
/// together.
///
/// Both roles share the layers ([`Layers`]); a design adds what authenticates their tuples.
///
/// Laws: [`TupleScheme::check`] accepts the evidence that `evidence` and `seal` give for a tuple that was in
/// the layers at that instant. `authenticate` may be called again after an error. `admit` changes nothing if
/// it fails.
///
/// Source: Crosby & Wallach 2010, section 4.
pub trait Design<S: Suite>: TupleScheme<S> {
    /// What the author must know beyond its signer.
    type Secret: Send + Sync;
    /// What the author remembers of each tuple: the state of its signature or of its element.
    type TupleState: Clone + Debug + Default + Send + Sync;
    /// What the author remembers of each generation.
    type State: Clone + Debug + Send + Sync;
    /// What an update says of each generation whose clock moved.
    ///
    /// An extension, as it makes the tuples that stay valid for one more epoch of their generation.
    type Extension: EpochExtension;
    /// What the server keeps of each tuple and each generation.
    type Records: Clone + Debug + Send + Sync;

    /// The public half of a secret.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// Whether this is the secret's public half.
    fn is_key_of(secret: &Self::Secret, key: &Self::Key) -> bool;

    /// The author's state before the first snapshot.
    fn state(secret: &Self::Secret, context: Context) -> Self::State;

    /// The server's records before the first snapshot.
    fn records(key: &Self::Key, context: Context) -> Self::Records;

    /// Authenticates every tuple of the generations whose clock moved; one extension for each.
    ///
    /// # Errors
    /// [`AuthorError`]; the tuples' states may have changed, and the call can be repeated.
    fn authenticate(
        secret: &Self::Secret,
        signer: SharedSigner<'_>,
        state: &mut Self::State,
        snapshot: UnsignedSnapshot<'_, S, Self::TupleState>,
    ) -> Result<Vec<Self::Extension>, AuthorError>;

    /// What the signed root binds of an attachment: its digest, unless a design has clients recompute
    /// it from what a proof shows.
    fn attachment_digest(attachment: &TupleAttachment<Self::Extension>) -> S::Digest {
        attachment.digest::<S>()
    }

    /// Takes the author's extensions into the records.
    ///
    /// # Errors
    /// [`ApplyError::AttachmentMismatch`] if the extensions do not fit the layers; the records are then
    /// unchanged.
    fn admit(
        key: &Self::Key,
        records: &mut Self::Records,
        admission: &Admission<'_, S, Self::Extension>,
        workers: &Workers,
    ) -> Result<(), ApplyError>;

    /// The evidence for a tuple that was there at an instant. `None` if the records have none: they
    /// are damaged, or another party wrote them.
    fn evidence(
        records: &Self::Records,
        generation: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Option<Self::Evidence>;

    /// What a proof of the first `shown` generations in the version of a head shows once; `None` as for
    /// [`Design::evidence`].
    fn seal(records: &Self::Records, head: &SignedHead<S>, shown: usize) -> Option<Self::Seal>;

    /// The records as bytes, to be stored with a checkpoint.
    fn store(records: &Self::Records) -> Vec<u8>;

    /// The inverse of [`Design::store`]. `None` if the bytes are not records of this design.
    ///
    /// Does not check signatures: records that another party wrote can make evidence that clients
    /// refuse, and an author must not resume from them. Implementations must not panic on them.
    fn restore(key: &Self::Key, context: Context, stored: &[u8]) -> Option<Self::Records>;

    /// Forgets all versions before `oldest`, with these tuples, which no remaining version has.
    fn forget(records: &mut Self::Records, oldest: Version, tuples: &[TupleId]);

    /// The bytes of memory that the records take, without spare capacity.
    fn memory_bytes(records: &Self::Records) -> usize;

    /// Refuses the tuples of the latest version unless the author's own statements vouch for each of
    /// them, and for the instant since which it is there. Others may have written the records.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold.
    fn require_vouched(
        expectation: &Expectation<Self::Key>,
        head: &SignedHead<S>,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<(), VerifyError>;

    /// The author's layers and state, from records that [`Design::require_vouched`] has accepted.
    ///
    /// # Errors
    /// [`AuthorError::Accumulate`].
    fn resume(
        secret: &Self::Secret,
        context: Context,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<Resumed<S, Self>, AuthorError>;
}

/// A tuple that a proof is to show, and the instant at which it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The generation, 0 for the youngest.
    pub generation: usize,
    /// The instant on the generation's clock.
    pub instant: u64,
    /// The tuple's number in the repository.
    pub tuple: TupleId,
}

/// A design whose evidence for many tuples has a part that stands once for all of them.
///
/// Law: [`AggregateScheme::check_all`] accepts what `gather` gives for tuples that were there at those
/// instants, with their claims in the same order, none of them twice.
pub trait AggregateDesign<S: Suite>: Design<S> + AggregateScheme<S> {
    /// The evidence for at least one tuple, none of them twice: what is shown of each, in the same
    /// order, and once. `None` as for [`Design::evidence`].
    fn gather(
        records: &Self::Records,
        version: Version,
        tuples: &[Placed],
    ) -> Option<(Vec<Self::Shown>, Self::Aggregate)>;
}
