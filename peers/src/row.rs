//! The lines of a run.

use serde::Serialize;

use crate::{load::SEED, peer::About};

/// Cost of one operation of one dictionary.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Figure {
    /// The name of the operation.
    pub operation: &'static str,
    /// The keys that the dictionary holds.
    pub keys: u64,
    /// The keys that the snapshot changes, where it is about one.
    pub changes: Option<u64>,
    /// Microseconds of one operation, mean.
    pub us: Option<f64>,
    /// Median microseconds.
    pub median_us: Option<f64>,
    /// Mean bytes of a proof, of an update as sent, or of memory, depending on the operation.
    pub bytes: Option<f64>,
    /// The author's signature, or its verification by the server: not in the times.
    pub signature_us: Option<f64>,
    /// Memory that only the author needs: not in the bytes.
    pub author_bytes: Option<f64>,
    /// The bytes in files.
    pub stored_bytes: Option<u64>,
    /// Number of timings of the operation.
    pub samples: usize,
    /// Work that the figure includes, where it is not the same for all.
    pub includes: &'static str,
}

/// A line: a figure, and the description of its dictionary.
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
    /// The line of a figure.
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
