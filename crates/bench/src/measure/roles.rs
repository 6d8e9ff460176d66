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

/// An author, a server that applies its updates, and a client's checks; for one scheme of any
/// family.
///
/// [`Roles::publish`], [`Roles::apply`], [`Roles::prove`] and [`Roles::verify`] are timed;
/// everything around them is not.
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
    /// The scheme cannot do that.
    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Self::Changes>;

    /// The author: makes the changes, takes the snapshot and signs it.
    ///
    /// # Errors
    /// The author's.
    fn publish(&mut self, changes: Self::Changes) -> Outcome<Self::Update>;

    /// The bytes of an update as sent.
    fn update_bytes(&self, update: &Self::Update) -> usize;

    /// The server: verifies an update and makes it the latest version.
    ///
    /// # Errors
    /// The server's.
    fn apply(&mut self, update: &Self::Update) -> Outcome<()>;

    /// The server's latest version.
    fn latest(&self) -> Version;

    /// Returns the question for a key.
    fn question(&self, key: &Key) -> Self::Question;

    /// A verified head.
    ///
    /// # Errors
    /// The server has no such version.
    fn head(&self, version: Version) -> Outcome<Self::Head>;

    /// The server: proves the answer to a question about a version.
    ///
    /// # Errors
    /// The scheme does not answer it.
    fn prove(&self, version: Version, question: &Self::Question) -> Outcome<Self::Proof>;

    /// Bytes of a proof as sent, with the part of a needed head that a client does not know for
    /// each version.
    fn proof_bytes(&self, proof: &Self::Proof) -> usize;

    /// Client: verifies a decoded proof, and returns its answer. The head was verified before.
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

    /// The bytes of memory of the server, as it counts them itself; `None` if it does not.
    fn memory_bytes(&self) -> Option<usize>;

    /// Reports whether a cycle ends with this snapshot, counted from 1 after the load: an epoch of
    /// speculation, a hash chain.
    fn ends_cycle(_snapshot: u64, _update: &Self::Update) -> bool {
        true
    }

    /// Reports whether hash chains end after more than this number of cycles. The means then lack
    /// the signatures that begin new chains.
    fn has_longer_chains(_cycles: u64) -> bool {
        false
    }
}
