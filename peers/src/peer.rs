//! Interface of an adapter, and its description.

use crate::{Outcome, lock};

/// A key of 32 bytes, spread evenly, so that libraries that need a hash as key can take it
/// unchanged.
pub type Key = [u8; 32];

/// A value of 32 bytes.
pub type Value = [u8; 32];

/// A key and its new value.
pub type Entry = (Key, Value);

/// Limits of dictionaries, in the words of the rows.
pub mod limits {
    /// Answers about the latest version only.
    pub const OLD_VERSIONS: &str = "old versions";
    /// Cannot prove that a key is absent.
    pub const ABSENCE: &str = "absence";
    /// Cannot prove that these are all keys between two.
    pub const RANGES: &str = "ranges";
    /// Has no author's signature on roots, and no proofs that one continues another.
    pub const SIGNATURES: &str = "signatures";
    /// Has no message from an author to a server that checks it: one party does both.
    pub const UPDATES: &str = "updates to an untrusted server";
    /// Cannot remove keys.
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
    /// Whether it is of this repository.
    pub is_ours: bool,
    /// Hash function, or its substitute.
    pub hash: &'static str,
    /// The threads that work.
    pub threads: &'static str,
    /// Storage of the contents: memory, or files.
    pub medium: &'static str,
    /// Missing abilities, [`limits`] and others.
    pub can_not: &'static [&'static str],
    /// Work that the time of a snapshot, and of loading, includes.
    pub snapshot_includes: &'static str,
    /// Differences of its proofs and answers, if any.
    pub differs: &'static str,
    /// Most keys that are measured by default.
    pub most_keys: u64,
}

impl About {
    /// The version of the crate, from the lock file.
    pub fn version(&self) -> String {
        lock::version(self.package).unwrap_or_else(|| "unknown".to_owned())
    }

    /// Whether proofs of older versions than the latest can be asked for.
    pub fn keeps_old_versions(&self) -> bool {
        !self.can_not.contains(&limits::OLD_VERSIONS)
    }

    /// Whether absence can be proved.
    pub fn proves_absence(&self) -> bool {
        !self.can_not.contains(&limits::ABSENCE)
    }
}

/// Cost of publishing a snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Published {
    /// Microseconds from the changes to the new root, without signatures.
    pub us: f64,
    /// The author's signature.
    pub signature_us: Option<f64>,
    /// Applying an update on a server, including its verification of the signature.
    pub apply_us: Option<f64>,
    /// Verifying that signature once more, alone.
    pub verify_signature_us: Option<f64>,
    /// The update as sent.
    pub update_bytes: Option<usize>,
}

/// An authenticated dictionary, ours or a third party's. Versions count from 1, one for each
/// snapshot.
///
/// The adapter holds the roots of all versions, which a verifier trusts.
pub trait Peer: Sized {
    /// The evidence for an answer.
    type Proof: Clone;

    /// Describes the dictionary.
    fn about() -> About;

    /// An empty dictionary that will hold up to `keys` keys.
    fn new(keys: u64) -> Outcome<Self>;

    /// Puts distinct keys, and takes a snapshot.
    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published>;

    /// Proves a version's answer for a key.
    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Self::Proof>;

    /// Checks that under the trusted root of a version a key has this value, or is absent.
    ///
    /// Fails if the proof does not show that.
    fn verify(
        &self,
        version: usize,
        key: &Key,
        value: Option<&Value>,
        proof: Self::Proof,
    ) -> Outcome<()>;

    /// A proof as sent.
    fn encode(proof: &Self::Proof) -> Outcome<Vec<u8>>;

    /// Decodes a proof from these bytes.
    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof>;

    /// Proves that the latest version contains all of an older one, as sent; none where there are
    /// no such proofs.
    fn prove_growth(&mut self, _from: usize) -> Outcome<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Checks such a proof, decoding included.
    fn verify_growth(&self, _from: usize, _proof: &[u8]) -> Outcome<()> {
        Err("there are no such proofs".into())
    }

    /// Frees data that only the author needs, where it is separate from the server's.
    fn forget_author(&mut self) {}

    /// The bytes in files.
    fn stored_bytes(&self) -> Outcome<Option<u64>> {
        Ok(None)
    }
}
