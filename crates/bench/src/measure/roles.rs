//! A dictionary of any family with its author, its server and its client: what measuring needs of a scheme.

use pad_core::{Answer, Key, Operation, Version};

use crate::Outcome;

pub mod log;
pub mod numbered;
pub mod signed_entries;

pub use log::LogRoles;
pub use numbered::NumberedRoles;
pub use signed_entries::{Signed, SignedEntries};

/// An author, a server that takes its updates, and how a client checks answers; for one scheme, whatever its family.
///
/// What is timed are [`Roles::publish`], [`Roles::apply`], [`Roles::prove`] and [`Roles::verify`]; everything around them is not.
pub trait Roles: Sized {
    /// The changes of a snapshot, as the author takes them.
    type Changes;
    /// What the author sends.
    type Update;
    /// A question about one key.
    type Question;
    /// What a client knows of a version before it asks.
    type Head;
    /// A proof as the server makes it, decoded.
    type Proof;
    /// Whether a proof is nothing without its version's head, which is sent with it.
    const NEEDS_HEAD: bool;

    /// The changes that these operations are.
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

    /// What has to be known of a key to ask for it.
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

    /// The bytes of a proof as sent, with what a client does not know of a head that it needs for each version.
    fn proof_bytes(&self, proof: &Self::Proof) -> usize;

    /// The client: what a proof shows. The head was verified before, the proof is decoded.
    ///
    /// # Errors
    /// The proof is refused.
    fn verify(
        &self,
        head: &Self::Head,
        proof: Self::Proof,
        question: &Self::Question,
    ) -> Outcome<Answer>;

    /// Asks the server and checks the answer, by messages in bytes, as a client does that knows nothing but the public key.
    ///
    /// # Errors
    /// The answer is refused.
    fn check(&self, version: Version, key: &Key) -> Outcome<Answer>;

    /// The bytes of memory of the server, as it counts them itself; `None` if it does not.
    fn memory_bytes(&self) -> Option<usize>;

    /// Whether what snapshots repeat ends with this one, counted from 1 after the load: an epoch of speculation, a hash chain.
    fn ends_cycle(_snapshot: u64, _update: &Self::Update) -> bool {
        true
    }

    /// Whether hash chains end after more of these cycles than so many: the signatures that begin new ones are then not in the means.
    fn has_longer_chains(_cycles: u64) -> bool {
        false
    }
}
