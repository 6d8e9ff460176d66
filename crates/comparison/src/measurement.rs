//! Figures of one scheme under one workload, measured or estimated.

use serde::{Deserialize, Serialize};

/// Name and numbers that define a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Name of the workload, for example `updates` or `growing`.
    pub workload: String,
    /// The number of keys when the measured snapshots begin.
    pub keys: u64,
    /// Number of changes in each snapshot.
    pub changes: u64,
    /// Bytes of each key.
    pub key_bytes: u64,
    /// Bytes of each value.
    pub value_bytes: u64,
    /// Seed of the pseudorandom keys, values and changes.
    pub seed: u64,
}

/// Figures of one scheme under one workload, measured or estimated.
///
/// Times are microseconds on one thread, means or medians as each field documents. Sizes are bytes
/// of messages as sent. `None` means that there is no such figure: the scheme cannot answer such a
/// lookup, or the run ended before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Name of the scheme in [`crate::schemes()`].
    pub scheme: String,
    /// Name and numbers of the workload.
    #[serde(flatten)]
    pub shape: Shape,
    /// Number of snapshots over which the figures are averaged.
    pub snapshots: u64,
    /// Whether the run covers whole cycles: epochs of speculation, or hash chains. Otherwise the
    /// means lack the work at the end of a cycle.
    #[serde(default)]
    pub whole_cycles: bool,
    /// Reason why the run ended: `finished`, or `time` or `memory` if that ran out.
    pub stopped: String,
    /// Author and server together: time of loading one key in the first snapshot.
    pub load_us_per_key: Option<f64>,
    /// Author: time of the changes, the snapshot and its signatures; mean over snapshots. For a
    /// stored dictionary, the processor time, which includes the work of making it durable.
    pub author_us: f64,
    /// Bytes of the update as sent; mean over snapshots.
    pub update_bytes: f64,
    /// Server: time of applying an update, without decoding it; mean over snapshots. For a stored
    /// dictionary, the processor time, which includes decoding.
    pub apply_us: f64,
    /// Server: time of proving a present key in the latest version; median.
    pub prove_us: Option<f64>,
    /// Server: time of proving a present key in a random version; median.
    pub prove_old_us: Option<f64>,
    /// Bytes of the proof of a present key as sent. Includes the head if the client needs it for
    /// each version.
    pub proof_bytes: Option<f64>,
    /// Bytes of the proof of an absent key in the latest version, as sent.
    pub absent_proof_bytes: Option<f64>,
    /// Client: time of verifying a decoded proof of a present key; median. Includes the head's
    /// signature if the proof depends on it. For a stored dictionary, includes decoding.
    pub verify_us: Option<f64>,
    /// Server: bytes of memory per key, of the loaded dictionary.
    pub memory_bytes_per_key: Option<f64>,
    /// Server: additional bytes of memory for each version that it keeps.
    pub memory_bytes_per_snapshot: Option<f64>,
    /// Server: bytes in files per key, of the loaded dictionary; `None` for a dictionary in memory.
    #[serde(default)]
    pub file_bytes_per_key: Option<f64>,
    /// Server: additional bytes in files for each version that it keeps. `None` if the files did
    /// not grow in the run.
    #[serde(default)]
    pub file_bytes_per_snapshot: Option<f64>,
    /// Author: time of waiting for files, in addition to `author_us`; mean over snapshots. `None`
    /// for a dictionary in memory.
    #[serde(default)]
    pub author_wait_us: Option<f64>,
    /// Server: time of waiting for files, in addition to `apply_us`; mean over snapshots.
    #[serde(default)]
    pub apply_wait_us: Option<f64>,
    /// Author: part of `author_us` for signatures; mean over snapshots.
    #[serde(default)]
    pub author_cryptography_us: Option<f64>,
    /// Server: part of `apply_us` for signatures; mean over snapshots.
    #[serde(default)]
    pub apply_cryptography_us: Option<f64>,
    /// Client: part of `verify_us` for signatures; median.
    #[serde(default)]
    pub verify_cryptography_us: Option<f64>,
}

impl Measurement {
    /// Returns the microseconds in which the author makes a snapshot, and in which a server applies
    /// it. Includes waiting for files.
    pub fn turns_us(&self) -> [f64; 2] {
        [
            self.author_us + self.author_wait_us.unwrap_or(0.0),
            self.apply_us + self.apply_wait_us.unwrap_or(0.0),
        ]
    }
}
