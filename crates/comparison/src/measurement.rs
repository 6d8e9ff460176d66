//! Figures of one scheme for one load.

use serde::{Deserialize, Serialize};

/// Numbers that define the measured work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The name of the workload, for example `updates` or `growing`.
    pub workload: String,
    /// The number of keys when the measured snapshots begin.
    pub keys: u64,
    /// The changes in each snapshot.
    pub changes: u64,
    /// The bytes of a key.
    pub key_bytes: u64,
    /// The bytes of a value.
    pub value_bytes: u64,
    /// Seed of the pseudorandom keys, values and choices.
    pub seed: u64,
}

/// Figures of one scheme for one load.
///
/// Times are microseconds on one thread, means or medians as each field documents. Sizes are bytes
/// of messages as sent. `None` means that the scheme has no such figure: it cannot answer that, or
/// the run ended before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The name of a scheme in [`crate::schemes()`].
    pub scheme: String,
    /// Shape of the work.
    #[serde(flatten)]
    pub shape: Shape,
    /// The snapshots that the figures were taken over.
    pub snapshots: u64,
    /// Whether the run covers whole cycles of what snapshots repeat: epochs of speculation, hash
    /// chains. Otherwise work at the end of a cycle is missing from the means.
    #[serde(default)]
    pub whole_cycles: bool,
    /// Reason why the run ended: `finished`, `time` or `memory`.
    pub stopped: String,
    /// Author and server together: loading, in the first snapshot; for each key.
    pub load_us_per_key: Option<f64>,
    /// Author: the changes of a snapshot, the snapshot and its signatures; for each snapshot, mean.
    pub author_us: f64,
    /// Bytes of the update as sent; for each snapshot, mean.
    pub update_bytes: f64,
    /// Server: applying an update, without decoding it; for each snapshot, mean.
    pub apply_us: f64,
    /// Server: proving a present key in the latest version; median.
    pub prove_us: Option<f64>,
    /// Server: proving in random versions that it has; median.
    pub prove_old_us: Option<f64>,
    /// Bytes of the proof of a present key as sent, with the head if the client needs it for each
    /// version.
    pub proof_bytes: Option<f64>,
    /// Bytes of the proof of an absent key.
    pub absent_proof_bytes: Option<f64>,
    /// Client: verifying a decoded proof of a present key; median. Includes the head's signature
    /// where the proof depends on it.
    pub verify_us: Option<f64>,
    /// Server: memory of the loaded dictionary; for each key.
    pub memory_bytes_per_key: Option<f64>,
    /// Server: memory of each kept version; for each snapshot.
    pub memory_bytes_per_snapshot: Option<f64>,
    /// Author: the part of `author_us` for signatures; for each snapshot, mean.
    #[serde(default)]
    pub author_cryptography_us: Option<f64>,
    /// Server: the part of `apply_us` for signatures; for each snapshot, mean.
    #[serde(default)]
    pub apply_cryptography_us: Option<f64>,
    /// Client: the part of `verify_us` for signatures; median.
    #[serde(default)]
    pub verify_cryptography_us: Option<f64>,
}
