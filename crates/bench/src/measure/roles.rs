//! Interface for measuring a scheme of any family: author, server and client of one dictionary.

use pad_core::{Answer, Key, Operation, Version};

use crate::Outcome;

pub mod log;
pub mod numbered;
pub mod signed_entries;
pub mod stored;

pub use log::LogRoles;
pub use numbered::NumberedRoles;
pub use signed_entries::{SignedEntries, SignedScope};
pub use stored::StoredRoles;

/// Author, server and client of one scheme, of any family.
///
/// [`Roles::publish`], [`Roles::apply`], [`Roles::prove`] and [`Roles::verify`] are timed. The
/// other functions are not.
pub trait Roles: Sized {
    /// Changes of a snapshot, in the form that the author takes.
    type Changes;
    /// Update that the author sends to the server.
    type Update;
    /// Question to the server about one key.
    type Question;
    /// Verified head of a version, or other data that a client knows before it asks.
    type Head;
    /// Proof that the server makes, decoded.
    type Proof;
    /// Whether a client needs the signed head of the version, which the server then sends with the
    /// proof.
    const NEEDS_HEAD: bool;
    /// Whether author and server store their versions in files, so that they wait for the disk.
    const IS_STORED: bool = false;

    /// Converts operations to the form that the author takes. Fails if the scheme does not support
    /// an operation, for example a removal.
    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Self::Changes>;

    /// Makes the changes as the author, and takes and signs a snapshot.
    fn publish(&mut self, changes: Self::Changes) -> Outcome<Self::Update>;

    /// Returns the bytes of an update as it is sent.
    fn update_bytes(&self, update: &Self::Update) -> usize;

    /// Verifies an update and makes it the latest version, as the server.
    fn apply(&mut self, update: &Self::Update) -> Outcome<()>;

    /// Returns the server's latest version.
    fn latest(&self) -> Version;

    /// Converts a key to the scheme's question about it.
    fn question(&self, key: &Key) -> Self::Question;

    /// Returns the verified head of a version that the server has.
    fn head(&self, version: Version) -> Outcome<Self::Head>;

    /// Makes the proof that answers `question` in `version`, as the server.
    fn prove(&self, version: Version, question: &Self::Question) -> Outcome<Self::Proof>;

    /// Returns the bytes of a proof as it is sent. If the proof needs a head, adds the bytes of the
    /// head that a client cannot know beforehand.
    fn proof_bytes(&self, proof: &Self::Proof) -> usize;

    /// Verifies a decoded proof under a verified head, as a client. Returns the answer that it
    /// proves.
    fn verify(
        &self,
        head: &Self::Head,
        proof: Self::Proof,
        question: &Self::Question,
    ) -> Outcome<Answer>;

    /// Looks up a key, and verifies the answer like a client that knows only the public key. The
    /// answer is encoded, if the scheme has a format for it.
    fn check(&self, version: Version, key: &Key) -> Outcome<Answer>;

    /// Returns the server's own count of its memory in bytes; `None` if the server keeps no count.
    fn memory_bytes(&self) -> Option<usize> {
        None
    }

    /// Returns the bytes of the server's files; `None` for a server in memory.
    fn file_bytes(&self) -> Outcome<Option<u64>> {
        Ok(None)
    }

    /// Reports whether a cycle (an epoch of speculation, or a hash chain) ends with this snapshot.
    /// The first snapshot after the load has the number 1.
    fn ends_cycle(&self, _snapshot: u64, _update: &Self::Update) -> bool {
        true
    }

    /// Reports whether a hash chain lasts longer than `_cycles` cycles. Means over these cycles
    /// then lack the signatures that begin new chains.
    fn has_longer_chains(&self, _cycles: u64) -> bool {
        false
    }
}
