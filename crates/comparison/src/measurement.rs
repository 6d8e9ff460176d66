//! What one scheme took for one load.

use serde::{Deserialize, Serialize};

/// The numbers that say what work was done.
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
    /// Where the pseudorandom keys, values and choices come from.
    pub seed: u64,
}

/// What one scheme took for one load.
///
/// Times are microseconds on one thread, means or medians as the field says; sizes are bytes of messages as they are sent.
/// `None` where the scheme has no such figure: it cannot answer that, or the run ended before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The name of a scheme in [`crate::schemes()`].
    pub scheme: String,
    /// What work it was.
    #[serde(flatten)]
    pub shape: Shape,
    /// The snapshots that the figures were taken over.
    pub snapshots: u64,
    /// Whether these are whole cycles of what snapshots repeat: epochs of speculation, hash chains. Otherwise a part of one, so that
    /// what comes at its end is not in the means.
    #[serde(default)]
    pub whole_cycles: bool,
    /// Why the run ended: `finished`, `time` or `memory`.
    pub stopped: String,
    /// Author and server together: the first snapshot, which loads the keys; for each key.
    pub load_us_per_key: Option<f64>,
    /// Author: the changes of a snapshot, the snapshot and its signatures; for each snapshot, mean.
    pub author_us: f64,
    /// The update as sent; for each snapshot, mean.
    pub update_bytes: f64,
    /// Server: decoding is not in it; for each snapshot, mean.
    pub apply_us: f64,
    /// Server: the proof of a present key in the latest version; median.
    pub prove_us: Option<f64>,
    /// Server: the same in random versions that it has; median.
    pub prove_old_us: Option<f64>,
    /// The proof of a present key as sent, with the head if the client needs it for each version.
    pub proof_bytes: Option<f64>,
    /// The proof of an absent key.
    pub absent_proof_bytes: Option<f64>,
    /// Client: verifying a proof of a present key, decoded before, and the head's signature where the proof is nothing without it;
    /// median.
    pub verify_us: Option<f64>,
    /// Server: memory of the loaded dictionary; for each key.
    pub memory_bytes_per_key: Option<f64>,
    /// Server: what each kept version adds; for each snapshot.
    pub memory_bytes_per_snapshot: Option<f64>,
    /// Author: of `author_us` what signatures take; for each snapshot, mean.
    #[serde(default)]
    pub author_cryptography_us: Option<f64>,
    /// Server: of `apply_us` the same; for each snapshot, mean.
    #[serde(default)]
    pub apply_cryptography_us: Option<f64>,
    /// Client: of `verify_us` the same; median.
    #[serde(default)]
    pub verify_cryptography_us: Option<f64>,
}
