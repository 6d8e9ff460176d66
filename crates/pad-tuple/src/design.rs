//! What one design of tuple PADs decides: how a tuple is authenticated, kept fresh and proved.

use core::fmt::Debug;

use accumulators::AccumulateError;
use pad_core::{
    ApplyError, HeadSignature, SchemeId, Suite, VerifyError, Version, Workers, head::Authority,
};
use serde::{Serialize, de::DeserializeOwned};
use signature::Signer;

use crate::{
    layers::{Layers, Transition},
    statement::Context,
    tuple::GenerationIndex,
    update::TupleAttachment,
};

/// Any Ed25519 signer that several threads may use.
pub type SharedSigner<'a> = &'a (dyn Signer<HeadSignature> + Sync);

/// What a client expects to be told about: one version of one dictionary, by one author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation<Key> {
    /// Whose word is taken, for which dictionary and design.
    pub authority: Authority,
    /// What the design's statements are verified with beyond the author's key, if anything.
    pub key: Key,
    /// The version asked about.
    pub version: Version,
}

impl<Key> Expectation<Key> {
    /// The place that statements must have been made for.
    pub const fn context(&self) -> Context {
        Context::of(&self.authority)
    }
}

/// One tuple that a proof shows, and the instant at which it must have been there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<S: Suite> {
    /// The generation.
    pub generation: GenerationIndex,
    /// The instant on the generation's clock.
    pub instant: u64,
    /// The digest of the tuple.
    pub tuple: S::Digest,
}

/// A tuple's number in a repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
pub struct TupleId(pub(crate) u32);

impl TupleId {
    /// The tuple's place in side tables.
    pub(crate) fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Why an author could not take a snapshot. The changes are then still pending.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer failed.
    Signing(String),
    /// The accumulator cannot hold the tuples, or a fault was detected.
    Accumulate(AccumulateError),
}

impl core::fmt::Display for AuthorError {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Signing(error) => write!(formatter, "the signer refused: {error}"),
            Self::Accumulate(error) => core::fmt::Display::fmt(error, formatter),
        }
    }
}

impl core::error::Error for AuthorError {}

impl From<signature::Error> for AuthorError {
    fn from(error: signature::Error) -> Self {
        Self::Signing(error.to_string())
    }
}

impl From<AccumulateError> for AuthorError {
    fn from(error: AccumulateError) -> Self {
        Self::Accumulate(error)
    }
}

/// What the author sends about one generation whose clock moved.
pub trait TickMessage: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned {
    /// Appends an injective encoding, which the signed root covers.
    fn absorb(&self, bytes: &mut Vec<u8>);
}

/// A design of tuple PADs: authentication, refresh and number of generations together.
///
/// The three roles share the layers ([`Layers`]); a design adds what authenticates their tuples.
///
/// Laws: `check` accepts the evidence that `evidence` and `seal` give for a tuple that was in the
/// layers at that instant, and accepts nothing else short of a forgery. `authenticate` may be called
/// again after an error. `admit` changes nothing if it fails.
///
/// Source: Crosby & Wallach 2010, section 4.
pub trait Design<S: Suite>: Clone + Debug + Send + Sync + 'static {
    /// The number of generations, 1 without speculation, at most 15.
    const GENERATIONS: usize;
    /// The number of this design in heads and statements.
    const SCHEME: SchemeId;
    /// The name of this design for people, for example `spec-lightweight`.
    const NAME: &'static str;

    /// What clients and servers must know beyond the authority: a public key, or nothing.
    type Key: Clone + Debug + Send + Sync;
    /// What the author must know beyond its signer.
    type Secret: Send + Sync;
    /// What the author remembers of each tuple.
    type Mark: Clone + Debug + Default + Send + Sync;
    /// What the author remembers of each generation.
    type State: Clone + Debug + Send + Sync;
    /// What an update says of each generation whose clock moved.
    type Tick: TickMessage;
    /// What the server keeps of each tuple and each generation.
    type Records: Clone + Debug + Send + Sync;
    /// What a proof shows of each tuple.
    type Evidence: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// What a proof shows once.
    type Seal: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// The public half of a secret.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// The author's state before the first snapshot.
    fn state(secret: &Self::Secret, context: Context) -> Self::State;

    /// The server's records before the first snapshot.
    fn records(key: &Self::Key, context: Context) -> Self::Records;

    /// Authenticates every tuple of the generations whose clock moved; one tick for each.
    ///
    /// # Errors
    /// [`AuthorError`]; the marks may have changed, and the call can be repeated.
    #[allow(clippy::too_many_arguments, reason = "each is another role's own")]
    fn authenticate(
        secret: &Self::Secret,
        signer: SharedSigner<'_>,
        context: Context,
        state: &mut Self::State,
        layers: &mut Layers<S, Self::Mark>,
        transition: &Transition<S, Self::Mark>,
        workers: &Workers,
    ) -> Result<Vec<Self::Tick>, AuthorError>;

    /// What the signed root binds of an attachment: its digest, unless a design has clients recompute
    /// it from what a proof shows.
    fn attachment_digest(attachment: &TupleAttachment<Self::Tick>) -> S::Digest {
        attachment.digest::<S>()
    }

    /// Takes the author's ticks into the records. `layers` is the state after the transition, with
    /// the numbers of its tuples.
    ///
    /// # Errors
    /// [`ApplyError::AttachmentMismatch`] if the ticks do not fit the layers; the records are then
    /// unchanged.
    fn admit(
        key: &Self::Key,
        context: Context,
        records: &mut Self::Records,
        layers: &Layers<S, TupleId>,
        transition: &Transition<S, TupleId>,
        ticks: &[Self::Tick],
        workers: &Workers,
    ) -> Result<(), ApplyError>;

    /// The evidence for a tuple that was there at an instant.
    fn evidence(
        records: &Self::Records,
        generation: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Self::Evidence;

    /// What a proof of the first `shown` generations shows once.
    fn seal(records: &Self::Records, version: Version, shown: usize) -> Self::Seal;

    /// The records as bytes, to be stored with a checkpoint.
    fn store(records: &Self::Records) -> Vec<u8>;

    /// The inverse of [`Design::store`]. `None` if the bytes are not records of this design.
    fn restore(key: &Self::Key, context: Context, stored: &[u8]) -> Option<Self::Records>;

    /// Forgets a tuple that no remaining version has.
    fn forget(records: &mut Self::Records, tuple: TupleId);

    /// The bytes of memory that the records take, without spare capacity.
    fn memory_bytes(records: &Self::Records) -> usize;

    /// The author's marks and state, from what a server has.
    fn resume(
        secret: &Self::Secret,
        context: Context,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
        workers: &Workers,
    ) -> Result<(Layers<S, Self::Mark>, Self::State), AuthorError>;

    /// Checks the evidence for all claims of a proof.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold.
    fn check(
        expectation: &Expectation<Self::Key>,
        claims: &[Claim<S>],
        evidence: Vec<Self::Evidence>,
        seal: Self::Seal,
    ) -> Result<(), VerifyError>;
}
