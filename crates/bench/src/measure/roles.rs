//! A dictionary of any family with its author, its server and its client: the interface for
//! measuring a scheme.

use pad_core::{Answer, Key, Operation, Version};

use crate::Outcome;

pub mod log;
pub mod numbered;
pub mod signed_entries;

pub use log::LogRoles;
pub use numbered::NumberedRoles;
pub use signed_entries::{SignedEntries, SignedScope};

/// Author, server and client of one scheme, of any family.
///
/// [`Roles::publish`], [`Roles::apply`], [`Roles::prove`] and [`Roles::verify`] are timed. The
/// other functions are not.
pub trait Roles: Sized {
    /// Changes of a snapshot, in the author's form.
    type Changes;
    /// Update that the author sends.
    type Update;
    /// A question about one key.
    type Question;
    /// Head of a version that a client knows before it asks.
    type Head;
    /// A proof as the server makes it, decoded.
    type Proof;
    /// Whether a proof needs its version's head, which is sent with it.
    const NEEDS_HEAD: bool;

    /// Converts operations to the author's changes.
    ///
    /// # Errors
    /// The scheme cannot make such a change.
    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Self::Changes>;

    /// Makes the changes, takes the snapshot and signs it, as the author.
    ///
    /// # Errors
    /// Errors of the author.
    fn publish(&mut self, changes: Self::Changes) -> Outcome<Self::Update>;

    /// Returns the bytes of an update as sent.
    fn update_bytes(&self, update: &Self::Update) -> usize;

    /// Verifies an update and makes it the latest version, as the server.
    ///
    /// # Errors
    /// Errors of the server.
    fn apply(&mut self, update: &Self::Update) -> Outcome<()>;

    /// Returns the server's latest version.
    fn latest(&self) -> Version;

    /// Returns the question for a key.
    fn question(&self, key: &Key) -> Self::Question;

    /// Returns the verified head of a version.
    ///
    /// # Errors
    /// The server has no such version.
    fn head(&self, version: Version) -> Outcome<Self::Head>;

    /// Proves the answer to a question about a version, as the server.
    ///
    /// # Errors
    /// The scheme cannot answer the question.
    fn prove(&self, version: Version, question: &Self::Question) -> Outcome<Self::Proof>;

    /// Returns the bytes of a proof as sent. If the proof needs a head, adds the bytes of the head
    /// that a client cannot know beforehand.
    fn proof_bytes(&self, proof: &Self::Proof) -> usize;

    /// Verifies a decoded proof under a verified head, as a client. Returns its answer.
    ///
    /// # Errors
    /// The proof is refused.
    fn verify(
        &self,
        head: &Self::Head,
        proof: Self::Proof,
        question: &Self::Question,
    ) -> Outcome<Answer>;

    /// Asks the server and checks the answer, as encoded messages, like a client that knows only
    /// the public key.
    ///
    /// # Errors
    /// The answer is refused.
    fn check(&self, version: Version, key: &Key) -> Outcome<Answer>;

    /// Returns the bytes of memory that the server counts; `None` if it does not count them.
    fn memory_bytes(&self) -> Option<usize>;

    /// Reports whether a cycle (an epoch of speculation, or a hash chain) ends with this snapshot.
    /// Snapshots are counted from 1 after the load.
    fn ends_cycle(_snapshot: u64, _update: &Self::Update) -> bool {
        true
    }

    /// Reports whether hash chains end after more than this number of cycles. The means then lack
    /// the signatures that begin new chains.
    fn has_longer_chains(_cycles: u64) -> bool {
        false
    }
}
