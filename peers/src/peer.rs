//! Interface of an adapter, and its description.

use crate::{Outcome, lock};

/// A key of 32 bytes, spread evenly, so that libraries that need a hash as key can take it
/// unchanged.
pub type Key = [u8; 32];

/// A value of 32 bytes.
pub type Value = [u8; 32];

/// A key and its new value.
pub type Entry = (Key, Value);

/// Limits of dictionaries, as named in the rows.
pub mod limits {
    /// The dictionary answers about the latest version only.
    pub const OLD_VERSIONS: &str = "old versions";
    /// The dictionary cannot prove that a key is absent.
    pub const ABSENCE: &str = "absence";
    /// The dictionary cannot prove that a list contains all keys of a range.
    pub const RANGES: &str = "ranges";
    /// The dictionary does not sign roots, and does not prove that a version continues an older
    /// one.
    pub const SIGNATURES: &str = "signatures";
    /// The dictionary defines no update message from an author to a server that verifies it: one
    /// party is both author and server.
    pub const UPDATES: &str = "updates to an untrusted server";
    /// The dictionary cannot remove keys.
    pub const REMOVAL: &str = "removal";
}

/// Description of a dictionary, repeated in each of its rows.
#[derive(Clone, Debug)]
pub struct About {
    /// Name of the crate, with the chosen options.
    pub name: &'static str,
    /// The crate that is measured.
    pub package: &'static str,
    /// The crate's licence.
    pub licence: &'static str,
    /// Whether the dictionary belongs to this repository.
    pub is_ours: bool,
    /// Name of the hash function, or of its substitute.
    pub hash: &'static str,
    /// Description of the threads that the dictionary uses.
    pub threads: &'static str,
    /// Storage of the contents: memory, or files.
    pub medium: &'static str,
    /// Missing features: [`limits`] and others.
    pub can_not: &'static [&'static str],
    /// Work included in the time of a snapshot and of loading.
    pub snapshot_includes: &'static str,
    /// Differences of its proofs and answers from those of other dictionaries, if any.
    pub differs: &'static str,
    /// Maximum number of keys that is measured by default.
    pub most_keys: u64,
}

impl About {
    /// The version of the crate, from the lock file.
    pub fn version(&self) -> String {
        lock::version(self.package).unwrap_or_else(|| "unknown".to_owned())
    }

    /// Returns whether proofs about versions before the latest are available.
    pub fn keeps_old_versions(&self) -> bool {
        !self.can_not.contains(&limits::OLD_VERSIONS)
    }

    /// Returns whether the dictionary can prove absence.
    pub fn proves_absence(&self) -> bool {
        !self.can_not.contains(&limits::ABSENCE)
    }
}

/// Cost of publishing a snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Published {
    /// Microseconds from the changes to the new root, without signatures.
    pub us: f64,
    /// Microseconds of the author's signature.
    pub signature_us: Option<f64>,
    /// Microseconds of applying the update on a server, including the verification of the
    /// signature.
    pub apply_us: Option<f64>,
    /// Microseconds of verifying that signature separately.
    pub verify_signature_us: Option<f64>,
    /// Length in bytes of the update as sent.
    pub update_bytes: Option<usize>,
}

/// An authenticated dictionary, ours or a third party's. Versions count from 1, one for each
/// snapshot.
///
/// The adapter stores the roots of all versions, which a verifier trusts.
pub trait Peer: Sized {
    /// The evidence for an answer.
    type Proof: Clone;

    /// Describes the dictionary.
    fn about() -> About;

    /// Creates an empty dictionary for up to `keys` keys.
    fn new(keys: u64) -> Outcome<Self>;

    /// Stores the values of distinct keys, and takes a snapshot.
    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published>;

    /// Proves the value or the absence of a key in a version.
    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Self::Proof>;

    /// Verifies a proof under the trusted root of a version: the key has this value, or is absent.
    ///
    /// Fails if the proof does not prove the answer.
    fn verify(
        &self,
        version: usize,
        key: &Key,
        value: Option<&Value>,
        proof: Self::Proof,
    ) -> Outcome<()>;

    /// Encodes a proof as it is sent.
    fn encode(proof: &Self::Proof) -> Outcome<Vec<u8>>;

    /// Decodes a proof from these bytes.
    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof>;

    /// Proves that the latest version contains all of an older version, and encodes the proof as it
    /// is sent. `None` if the dictionary supports no such proofs.
    fn prove_growth(&mut self, _from: usize) -> Outcome<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Decodes and verifies a proof of [`Peer::prove_growth`].
    fn verify_growth(&self, _from: usize, _proof: &[u8]) -> Outcome<()> {
        Err("there are no such proofs".into())
    }

    /// Frees data that only the author needs, where it is separate from the server's.
    fn forget_author(&mut self) {}

    /// Returns the size of all files in bytes, or `None` without files.
    fn stored_bytes(&self) -> Outcome<Option<u64>> {
        Ok(None)
    }
}
