//! Format of the results: one row for each measured operation, printed as a JSON object.

use serde::Serialize;

use crate::{load::SEED, peer::About};

/// Measured cost of one operation of one dictionary.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Figure {
    /// Name of the operation, for example `snapshot`.
    pub operation: &'static str,
    /// Number of keys in the dictionary.
    pub keys: u64,
    /// Number of keys that the snapshot changes; `None` for operations other than snapshots.
    pub changes: Option<u64>,
    /// Mean time of one operation, in microseconds.
    pub us: Option<f64>,
    /// Median time of one operation, in microseconds.
    pub median_us: Option<f64>,
    /// Mean size in bytes of a proof, of an update as sent, or of memory, depending on the
    /// operation.
    pub bytes: Option<f64>,
    /// Time of the author's signature, or of its verification by the server, in microseconds. Not
    /// included in `us`.
    pub signature_us: Option<f64>,
    /// Bytes of memory that only the author needs. Not included in `bytes`.
    pub author_bytes: Option<f64>,
    /// Bytes of the files that store the dictionary; `None` if it is in memory.
    pub stored_bytes: Option<u64>,
    /// Number of timings of the operation.
    pub samples: usize,
    /// Work that the figure includes, if that differs between dictionaries; otherwise empty.
    pub includes: &'static str,
}

/// Result row: the cost of an operation, and the description of its dictionary.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    experiment: &'static str,
    peer: &'static str,
    version: String,
    ours: bool,
    #[serde(flatten)]
    figure: Figure,
    hash: &'static str,
    threads: &'static str,
    medium: &'static str,
    can_not: &'static [&'static str],
    differs: &'static str,
    licence: &'static str,
    key_bytes: usize,
    value_bytes: usize,
    seed: u64,
}

impl Row {
    /// Creates the result row of a figure.
    pub fn new(about: &About, figure: Figure) -> Self {
        Self {
            experiment: "peers",
            peer: about.name,
            version: about.version(),
            ours: about.is_ours,
            figure,
            hash: about.hash,
            threads: about.threads,
            medium: about.medium,
            can_not: about.can_not,
            differs: about.differs,
            licence: about.licence,
            key_bytes: 32,
            value_bytes: 32,
            seed: SEED,
        }
    }
}
