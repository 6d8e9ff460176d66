//! The lines of the report: one JSON object per measured configuration.
//!
//! Times are microseconds (`_us`) or nanoseconds (`_ns`), sizes bytes; README.md explains each.

use serde::{Deserialize, Serialize};

use crate::{counting::HashCounts, machine::Machine, primitives::Primitives, workload::Experiment};

/// One line of `bench tree --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeRecord {
    /// The microbenchmark.
    pub experiment: Experiment,
    /// The balancing scheme.
    pub scheme: String,
    /// The repository's strategy.
    pub repository: String,
    /// The suite.
    pub suite: String,
    /// The number of keys in the latest version.
    pub keys: u64,
    /// The number of snapshots.
    pub versions: u64,
    /// Always 1: nothing of this experiment runs in parallel.
    pub threads: usize,
    /// What the author did.
    #[serde(flatten)]
    pub author: AuthorFigures,
    /// What server and client did.
    #[serde(flatten)]
    pub server: ServerFigures,
    /// Bytes of proof sent per second of a server that only proves, old versions: table 5.
    pub lookup_kilobytes_per_second: f64,
    /// Bytes of update sent per second of author and server: table 5.
    pub update_kilobytes_per_second: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// What an author's pass measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuthorFigures {
    /// Put and snapshot, mean over the last tenth of the snapshots.
    pub insert_snapshot_us: f64,
    /// The same, median chunk instead of mean.
    pub insert_snapshot_median_us: f64,
    /// The same, mean over all snapshots.
    pub insert_snapshot_overall_us: f64,
    /// A signature and the hashes that the update needs.
    pub author_limit_us: f64,
    /// `insert_snapshot_us / author_limit_us`.
    pub author_ratio: f64,
    /// `insert_snapshot_median_us / author_limit_us`.
    pub author_ratio_median: f64,
    /// The digests of inner nodes that an update needs.
    pub node_hashes_per_update: f64,
    /// The digests of leaves and values that an update needs.
    pub leaf_hashes_per_update: f64,
    /// The history log's hashes per update.
    pub history_hashes_per_update: f64,
    /// An encoded update.
    pub update_bytes: f64,
    /// A signature, measured beside the updates.
    pub sign_us: f64,
    /// A node's hash on a path, measured beside the updates.
    pub author_node_hash_ns: f64,
    /// What the author's process holds at the end.
    pub author_resident_bytes: u64,
}

/// What a server's pass measured, and a client's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerFigures {
    /// Apply, mean over the last tenth of the snapshots.
    pub apply_us: f64,
    /// The same, median chunk instead of mean.
    pub apply_median_us: f64,
    /// The same, mean over all snapshots.
    pub apply_overall_us: f64,
    /// A strict verification of a signature and the hashes that the update needs.
    pub apply_limit_us: f64,
    /// `apply_us / apply_limit_us`.
    pub apply_ratio: f64,
    /// `apply_median_us / apply_limit_us`.
    pub apply_ratio_median: f64,
    /// A proof of a random key in the latest version.
    pub prove_us_latest: f64,
    /// A proof of a random key in a random version.
    pub prove_us_random_version: f64,
    /// A proof out of a batch of up to 1024, latest version.
    pub prove_many_us_latest: f64,
    /// A proof out of a batch of up to 1024, random versions.
    pub prove_many_us_random_version: f64,
    /// A proof that a random key is absent from the latest version.
    pub prove_absent_us_latest: f64,
    /// The check of a head's signature and of a proof.
    pub verify_us: f64,
    /// The check of a proof against a head verified before.
    pub verify_with_known_head_us: f64,
    /// The hashes of that check.
    pub verify_limit_us: f64,
    /// `verify_with_known_head_us / verify_limit_us`.
    pub verify_ratio: f64,
    /// A proof from its bytes.
    pub decode_us: f64,
    /// The body of a proof of a present key in the latest version, without the head.
    pub proof_bytes: f64,
    /// The same of an absent key.
    pub absent_proof_bytes: f64,
    /// What a client does not know of a signed head: root, history and signature.
    pub head_bytes: usize,
    /// The depth of a leaf in the latest version.
    pub depth: f64,
    /// What the process grew by, per version.
    pub resident_bytes_per_version: f64,
    /// What the repository says that it stores, per version.
    pub counted_bytes_per_version: f64,
    /// The stored inner nodes per version.
    pub nodes_per_version: f64,
    /// The stored digests per version.
    pub digests_per_version: f64,
    /// The most that the process held, look-ups included.
    pub peak_resident_bytes: u64,
    /// A node's hash on a path.
    pub node_hash_ns: f64,
    /// A node's hash that waits for no other.
    pub node_hash_independent_ns: f64,
    /// A leaf's hash.
    pub leaf_hash_ns: f64,
    /// The hash of a value of 32 bytes.
    pub value_hash_ns: f64,
    /// A signature's strict verification.
    pub verify_signature_us: f64,
}

/// What the author's process hands on to the server's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuthorPass {
    /// For the report.
    pub figures: AuthorFigures,
    /// The hashes that an update needs, mean over the last tenth.
    pub hashes: HashCounts,
}

/// One line of `bench primitives --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrimitivesRecord {
    /// Always `primitives`.
    pub experiment: String,
    /// The suite.
    pub suite: String,
    /// Always 1.
    pub threads: usize,
    /// The times.
    #[serde(flatten)]
    pub primitives: Primitives,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// One line of `bench batch --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchRecord {
    /// Always `batch`.
    pub experiment: String,
    /// The balancing scheme.
    pub scheme: String,
    /// The repository's strategy.
    pub repository: String,
    /// The suite.
    pub suite: String,
    /// The number of keys.
    pub keys: u64,
    /// The number of updates in each snapshot.
    pub batch: usize,
    /// The number of measured snapshots.
    pub snapshots: usize,
    /// The threads of author, server and bare hashes.
    pub threads: usize,
    /// The first snapshot, which loads all keys.
    pub author_load_ms: f64,
    /// The same on the server.
    pub server_load_ms: f64,
    /// One snapshot of the author, median.
    pub author_snapshot_ms: f64,
    /// The same, mean.
    pub author_snapshot_mean_ms: f64,
    /// One update of the server, median.
    pub apply_ms: f64,
    /// The same, mean.
    pub apply_mean_ms: f64,
    /// The hashes of one snapshot and nothing else, on the same threads, median.
    pub bare_hashes_ms: f64,
    /// The same, but one input of each node's hash is read from memory at a random place.
    pub scattered_hashes_ms: f64,
    /// `bare_hashes_ms / author_snapshot_ms`: 1 is the speed of the bare hashes.
    pub author_speed: f64,
    /// `bare_hashes_ms / apply_ms`.
    pub apply_speed: f64,
    /// `scattered_hashes_ms / author_snapshot_ms`.
    pub author_speed_scattered: f64,
    /// `scattered_hashes_ms / apply_ms`.
    pub apply_speed_scattered: f64,
    /// The author's time on the first number of threads, divided by that on this one.
    pub author_speed_up: f64,
    /// The same of the server.
    pub apply_speed_up: f64,
    /// The same of the bare hashes.
    pub bare_speed_up: f64,
    /// The distinct inner nodes above the updated leaves, mean.
    pub node_hashes_per_snapshot: f64,
    /// The digests of leaves and of values.
    pub leaf_hashes_per_snapshot: f64,
    /// The most that the process held so far.
    pub peak_resident_bytes: u64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}
