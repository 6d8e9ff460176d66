//! Interface of an adapter to a dictionary, and the description of a dictionary.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

pub use comparison::ensure;

use crate::{Outcome, lock};

/// Key of 32 evenly distributed bytes, so that libraries that need a hash as key can use it
/// unchanged.
pub type Key = [u8; 32];

/// Value of 32 bytes.
pub type Value = [u8; 32];

/// A key with its value, or with its new value.
pub type Entry = (Key, Value);

/// Key of a lookup, with the value that the key should have; `None` if it should be absent.
pub type Claim<'a> = (&'a Key, Option<&'a Value>);

/// Returns the element for `version`, which counts from 1, of a list with one for each version.
pub fn of_version<T>(all: &[T], version: usize) -> Outcome<&T> {
    let index = version.checked_sub(1);
    let found = index.and_then(|index| all.get(index));
    Ok(found.ok_or("no such version")?)
}

/// Fails unless `version` is the latest of a list with one element for each version.
pub fn require_latest<T>(all: &[T], version: usize) -> Outcome<()> {
    ensure(version == all.len(), "only the latest version is there")
}

/// Returns the allocated bytes of all files in a folder. A file with holes has fewer than its
/// length.
pub fn allocated_bytes(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for file in fs::read_dir(folder)? {
        bytes += file?.metadata()?.blocks() * 512;
    }
    Ok(bytes)
}

/// Encodes an entry as one byte string: the key and the value, each after its length.
pub fn length_prefixed((key, value): (&Key, &Value)) -> Vec<u8> {
    let parts = [&key[..], &value[..]];
    let encode = |part: &[u8]| [&(part.len() as u64).to_le_bytes(), part].concat();
    parts.map(encode).concat()
}

/// Features that a dictionary may lack, as named in result rows.
pub mod limits {
    /// The dictionary proves entries of the latest version only.
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
    /// Name of the crate, with the options that were chosen.
    pub name: &'static str,
    /// Name of the crate's package.
    pub package: &'static str,
    /// Licence of the crate.
    pub licence: &'static str,
    /// Whether the dictionary belongs to this repository.
    pub is_ours: bool,
    /// Name of the hash function, or of the primitive that the dictionary uses instead of one.
    pub hash: &'static str,
    /// Description of the threads that the dictionary uses during measurements.
    pub threads: &'static str,
    /// Medium that stores the contents: memory, or files.
    pub medium: &'static str,
    /// Features that the dictionary lacks: constants of [`limits`], and others.
    pub can_not: &'static [&'static str],
    /// Work that the times of loading and of a snapshot include.
    pub snapshot_includes: &'static str,
    /// Differences of its proofs and answers from those of other dictionaries; empty if there are
    /// none.
    pub differs: &'static str,
    /// Maximum number of keys with which the dictionary is measured, unless the command line names
    /// the dictionary.
    pub most_keys: u64,
}

impl About {
    /// Description of a dictionary of this repository, without its name.
    pub const OURS: Self = Self {
        licence: "MIT OR Apache-2.0",
        is_ours: true,
        ..Self::THEIRS
    };

    /// Description of a third party's dictionary in memory with SHA-256, without its name.
    pub const THEIRS: Self = Self {
        name: "",
        package: "",
        licence: "",
        is_ours: false,
        hash: "SHA-256",
        threads: "1",
        medium: "memory",
        can_not: &[],
        snapshot_includes: "",
        differs: "",
        most_keys: 1_000_000,
    };

    /// Returns the version of the crate, from the lock file.
    pub fn version(&self) -> String {
        lock::version(self.package).unwrap_or_else(|| "unknown".to_owned())
    }

    /// Returns whether the dictionary can prove entries of versions before the latest.
    pub fn keeps_old_versions(&self) -> bool {
        !self.can_not.contains(&limits::OLD_VERSIONS)
    }

    /// Returns whether the dictionary can prove that a key is absent.
    pub fn proves_absence(&self) -> bool {
        !self.can_not.contains(&limits::ABSENCE)
    }
}

/// Cost of publishing a snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Published {
    /// Time from the changes to the new root, without signatures, in microseconds.
    pub us: f64,
    /// Time of the author's signature in microseconds; `None` if the dictionary does not sign.
    pub signature_us: Option<f64>,
    /// Time to apply the update on a server in microseconds, including the verification of the
    /// signature. `None` if there is no separate server.
    pub apply_us: Option<f64>,
    /// Time to verify the author's signature in microseconds, measured separately. `None` if there
    /// is no separate server.
    pub verify_signature_us: Option<f64>,
    /// Bytes of the update as it is sent; `None` if there is no update message.
    pub update_bytes: Option<usize>,
}

impl Published {
    /// Returns the cost of a snapshot of a dictionary that neither signs nor sends updates.
    pub fn alone(us: f64) -> Self {
        Self {
            us,
            ..Self::default()
        }
    }
}

/// Adapter of an authenticated dictionary, ours or a third party's. Versions count from 1, one for
/// each snapshot.
///
/// The adapter stores the roots of all versions, which a verifier trusts.
pub trait Peer: Sized {
    /// Proof of an answer, decoded.
    type Proof: Clone;

    /// Describes the dictionary.
    fn about() -> About;

    /// Creates an empty dictionary that will have up to `keys` keys.
    fn new(keys: u64) -> Outcome<Self>;

    /// Stores new values of distinct keys, and takes a snapshot of the dictionary. Returns the
    /// cost.
    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published>;

    /// Proves the value of a key in a version, or its absence.
    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Self::Proof>;

    /// Verifies a proof of a claim under the trusted root of `version`.
    ///
    /// Fails if the proof does not prove it.
    fn verify(&self, version: usize, claim: Claim<'_>, proof: Self::Proof) -> Outcome<()>;

    /// Encodes a proof as the bytes that a server sends.
    fn encode(proof: &Self::Proof) -> Outcome<Vec<u8>>;

    /// Decodes a proof from the bytes that a server sends.
    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof>;

    /// Proves that the latest version contains all entries of the version `_from`. Encodes the
    /// proof as it is sent. `None` if the dictionary supports no such proofs.
    fn prove_growth(&mut self, _from: usize) -> Outcome<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Decodes and verifies a proof that [`Peer::prove_growth`] made from the version `_from`.
    fn verify_growth(&self, _from: usize, _proof: &[u8]) -> Outcome<()> {
        Err("there are no such proofs".into())
    }

    /// Frees data that only the author needs, if the author is separate from the server. Called
    /// before the server's memory is measured.
    fn forget_author(&mut self) {}

    /// Returns the size of all files in bytes, or `None` without files.
    fn stored_bytes(&self) -> Outcome<Option<u64>> {
        Ok(None)
    }
}
