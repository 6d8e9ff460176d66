//! What an adapter says of itself, and what it does.

use crate::{Outcome, lock};

/// A key of 32 bytes, spread evenly, so that those who ask for a hash as a key take it as it is.
pub type Key = [u8; 32];

/// A value of 32 bytes.
pub type Value = [u8; 32];

/// A key and its new value.
pub type Entry = (Key, Value);

/// What dictionaries cannot do, in the words of the rows.
pub mod limits {
    /// Only the latest version can be asked.
    pub const OLD_VERSIONS: &str = "old versions";
    /// That a key is absent cannot be proved.
    pub const ABSENCE: &str = "absence";
    /// That these are all keys between two cannot be proved.
    pub const RANGES: &str = "ranges";
    /// Roots come without the author's signature, and without proofs that one continues another.
    pub const SIGNATURES: &str = "signatures";
    /// There is no message from an author to a server that checks it: one party does both.
    pub const UPDATES: &str = "updates to an untrusted server";
    /// Keys stay.
    pub const REMOVAL: &str = "removal";
}

/// What a dictionary is; the same in each of its rows.
#[derive(Clone, Debug)]
pub struct About {
    /// Its name: the crate's, with what was chosen of it.
    pub name: &'static str,
    /// The crate that is measured.
    pub package: &'static str,
    /// The crate's licence.
    pub licence: &'static str,
    /// Whether it is of this repository.
    pub is_ours: bool,
    /// The hash function, or what stands in its place.
    pub hash: &'static str,
    /// The threads that work.
    pub threads: &'static str,
    /// Where the contents are: memory, or files.
    pub medium: &'static str,
    /// What it cannot do, [`limits`] and others.
    pub can_not: &'static [&'static str],
    /// What the time of a snapshot, and of loading, includes.
    pub snapshot_includes: &'static str,
    /// What its proofs and answers differ in, if anything.
    pub differs: &'static str,
    /// The most keys that are measured unless asked otherwise.
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

/// What publishing a snapshot took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Published {
    /// From the changes to the new root, in microseconds, without signatures.
    pub us: f64,
    /// The author's signature.
    pub signature_us: Option<f64>,
    /// A server that applies the update, its verification of the signature included.
    pub apply_us: Option<f64>,
    /// Verifying that signature once more, alone.
    pub verify_signature_us: Option<f64>,
    /// The update as sent.
    pub update_bytes: Option<usize>,
}

/// An authenticated dictionary, whoever made it. Versions count from 1, one for each snapshot.
///
/// The adapter holds the roots of all versions: what a verifier trusts.
pub trait Peer: Sized {
    /// The evidence for an answer.
    type Proof: Clone;

    /// What this is.
    fn about() -> About;

    /// An empty dictionary that will hold up to so many keys.
    fn new(keys: u64) -> Outcome<Self>;

    /// Puts distinct keys, and takes a snapshot.
    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published>;

    /// Proves what a version says about a key.
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

    /// The proof with these bytes.
    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof>;

    /// Proves that the latest version contains all of an older one, as sent; none where there are no such proofs.
    fn prove_growth(&mut self, _from: usize) -> Outcome<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Checks such a proof, decoding included.
    fn verify_growth(&self, _from: usize, _proof: &[u8]) -> Outcome<()> {
        Err("there are no such proofs".into())
    }

    /// Frees what only the author needs, where that is apart from the server's.
    fn forget_author(&mut self) {}

    /// The bytes in files.
    fn stored_bytes(&self) -> Outcome<Option<u64>> {
        Ok(None)
    }
}
