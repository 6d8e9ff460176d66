//! The lines of `bench flexlist --json`.
//!
//! Times are milliseconds (`_ms`), microseconds (`_us`) or nanoseconds (`_ns`), sizes bytes; README.md
//! explains each.

use serde::{Deserialize, Serialize};

use crate::{
    machine::Machine,
    timing::{median, rounded},
};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "experiment")]
pub enum FlexlistLine {
    /// Building a list: figures 6 and 7.
    #[serde(rename = "flexlist_build")]
    Build(BuildRecord),
    /// An update with and without its hashes: figure 8.
    #[serde(rename = "flexlist_hash_share")]
    HashShare(HashShareRecord),
    /// Updates at once and one by one: figures 9 and 10, table 2.
    #[serde(rename = "flexlist_multi")]
    Multi(MultiRecord),
    /// A challenge: section 4.4.
    #[serde(rename = "flexlist_audit")]
    Audit(Box<AuditRecord>),
    /// A version-control trace.
    #[serde(rename = "flexlist_replay")]
    Replay(Box<ReplayRecord>),
    /// Many clients at once: figures 11 to 13.
    #[serde(rename = "flexlist_network")]
    Network(Box<NetworkRecord>),
}

/// A point of figures 6 and 7.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildRecord {
    /// The number of blocks.
    pub blocks: u64,
    /// The bytes of each.
    pub block_bytes: u64,
    /// The number of threads.
    pub threads: usize,
    /// The scheme of the tags that were made as well; none: the list alone.
    pub tags: Option<String>,
    /// `build_ms + tag_ms`.
    pub total_ms: f64,
    /// The list from blocks with known tag digests: median.
    pub build_ms: f64,
    /// Tags from the blocks' bytes in memory, and their digests: once.
    pub tag_ms: f64,
    /// `total_ms` per block.
    pub ns_per_block: f64,
    /// The hashes of the list's nodes, counted.
    pub hashes: u64,
    /// So many bare hashes of 82 bytes on the same threads, in turns with the builds.
    pub bare_hashes_ms: f64,
    /// `build_ms / bare_hashes_ms`.
    pub ratio: f64,
    /// `total_ms` with the first number of threads, divided by this one.
    pub speed_up: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// A point of figure 8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HashShareRecord {
    /// The number of blocks.
    pub blocks: u64,
    /// `insert`, `modify` or `remove`, at a random block.
    pub operation: String,
    /// One update with its witness: median.
    pub update_us: f64,
    /// The same with a hash that does nothing.
    pub without_hashes_us: f64,
    /// `1 - without_hashes_us / update_us`.
    pub hash_share: f64,
    /// The witness: mean.
    pub witness_bytes: f64,
    /// Hashes of one update, counted: mean.
    pub hashes: f64,
    /// A bare hash of a node.
    pub node_hash_ns: f64,
    /// The same, each waiting for the one before.
    pub node_hash_chained_ns: f64,
    /// `hashes` of them.
    pub limit_us: f64,
    /// `update_us / limit_us`.
    pub ratio: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// Where updates are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// On neighbouring blocks.
    Consecutive,
    /// On any blocks.
    Random,
}

impl Order {
    /// As in the lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consecutive => "consecutive",
            Self::Random => "random",
        }
    }
}

/// A point of figures 9 and 10, and a row of table 2. Medians over the rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiRecord {
    /// The number of blocks.
    pub blocks: u64,
    /// The bytes of each.
    pub block_bytes: u64,
    /// The number of updates in the batch.
    pub updates: u64,
    /// Where they are.
    pub order: Order,
    /// How often, each time elsewhere.
    pub rounds: usize,
    /// Updates and witnesses: figure 9.
    pub server: SideFigures,
    /// Checks: figure 10.
    pub client: SideFigures,
    /// The witness of the batch.
    pub witness_bytes: f64,
    /// All witnesses of the single updates.
    pub singles_witness_bytes: f64,
    /// A bare hash of a node.
    pub node_hash_ns: f64,
    /// The same, each waiting for the one before.
    pub node_hash_chained_ns: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// One side of [`MultiRecord`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideFigures {
    /// The batch.
    pub batch_us: f64,
    /// The same operations one by one.
    pub singles_us: f64,
    /// `1 - batch_us / singles_us`.
    pub gain: f64,
    /// Hashes of the batch, counted.
    pub batch_hashes: f64,
    /// Hashes of the single operations.
    pub singles_hashes: f64,
    /// `batch_hashes` bare hashes.
    pub limit_us: f64,
    /// `batch_us / limit_us`.
    pub ratio: f64,
}

/// An audit with one tag scheme. Times are medians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// The number of blocks.
    pub blocks: u64,
    /// The bytes of each.
    pub block_bytes: u64,
    /// The challenged bytes.
    pub challenges: usize,
    /// The distinct blocks that they are in.
    pub challenged_blocks: usize,
    /// The tag scheme.
    pub tags: String,
    /// Making the owner's key, once, on all cores.
    pub key_seconds: f64,
    /// The tag of one block.
    pub tag_us: f64,
    /// The list's proof.
    pub list_proof_bytes: usize,
    /// What the leaves of the challenged blocks commit.
    pub committed_bytes: usize,
    /// The proof about blocks and tags.
    pub tag_proof_bytes: usize,
    /// All three.
    pub total_bytes: usize,
    /// The server's list proof.
    pub prove_list_us: f64,
    /// The server's proof about blocks and tags, which are in memory: no block is read from a disk.
    pub prove_tags_us: f64,
    /// The client's check of the list's proof.
    pub verify_list_us: f64,
    /// Its hashes, counted.
    pub verify_list_hashes: u64,
    /// So many bare hashes.
    pub verify_list_limit_us: f64,
    /// `verify_list_us / verify_list_limit_us`.
    pub verify_list_ratio: f64,
    /// A verifier's check of the tags.
    pub verify_tags_us: f64,
    /// The owner's check of the tags.
    pub owner_verify_tags_us: f64,
    /// A bare hash of a node.
    pub node_hash_ns: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// A whole trace. Distributions are over the commits that edit a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayRecord {
    /// The name of the trace's file.
    pub trace: String,
    /// How a tree of files is outsourced.
    pub model: String,
    /// The bytes of a new block.
    pub block_bytes: u64,
    /// The files of the trace.
    pub files: usize,
    /// Its commits with a change.
    pub commits: usize,
    /// Those that edit a file; the others only add and delete.
    pub commits_with_edits: usize,
    /// Updates of one file in one commit, in all.
    pub batches: u64,
    /// Block operations in all.
    pub operations: u64,
    /// Block operations of a commit.
    pub operations_per_commit: Distribution,
    /// Turning edits of bytes into operations on blocks, at the client.
    pub plan_us: Distribution,
    /// Updates and witnesses.
    pub server: ReplaySide,
    /// Checks.
    pub client: ReplaySide,
    /// Witnesses of a commit, one per edited file.
    pub witness_bytes: Distribution,
    /// Witnesses of a commit, one per operation.
    pub singles_witness_bytes: Distribution,
    /// Files that commits added.
    pub uploads: u64,
    /// Building their lists, in all.
    pub upload_us: f64,
    /// A bare hash of a node.
    pub node_hash_ns: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// One side of [`ReplayRecord`], per commit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplaySide {
    /// One batch per edited file.
    pub batch_us: Distribution,
    /// The same operations one by one.
    pub singles_us: Distribution,
    /// `1 - batches / singles`, of the sums over all commits.
    pub gain: f64,
    /// Hashes of the batches.
    pub batch_hashes: Distribution,
    /// Hashes of the single operations.
    pub singles_hashes: Distribution,
    /// All batches, divided by as many bare hashes as they need.
    pub ratio: f64,
}

/// Requests of one kind by many clients at once, each asking again when it has verified its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkRecord {
    /// An audit, or an update and where it is.
    pub request: String,
    /// The blocks of the file: one for all audits, one of each client's own for updates.
    pub blocks: u64,
    /// The bytes of each.
    pub block_bytes: u64,
    /// The number of clients.
    pub clients: usize,
    /// What the server could send, in megabits per second; none: as fast as the loopback interface.
    pub uplink_megabits: Option<f64>,
    /// The number of verified answers.
    pub answers: usize,
    /// Verified answers per second.
    pub per_second: f64,
    /// The bytes of an audit's answer, HTTP's own included.
    pub answer_bytes: Option<u64>,
    /// How many answers per second the uplink could carry.
    pub limit_per_second: Option<f64>,
    /// `limit_per_second / per_second`.
    pub ratio: Option<f64>,
    /// From the request to the verified answer: the median.
    pub p50_us: f64,
    /// The 90th percentile.
    pub p90_us: f64,
    /// The 99th percentile.
    pub p99_us: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// Mean, median and 90th percentile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The smallest number that nine tenths do not exceed.
    pub p90: f64,
}

impl Distribution {
    /// That of these numbers; zeros of none.
    pub fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        let p90 = (numbers.len() * 9).div_ceil(10).saturating_sub(1);
        Self {
            mean: rounded(numbers.iter().sum::<f64>() / numbers.len().max(1) as f64),
            p90: rounded(numbers.get(p90).copied().unwrap_or(0.0)),
            median: rounded(median(numbers)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions() {
        let expected = Distribution {
            mean: 5.5,
            median: 5.5,
            p90: 9.0,
        };
        let numbers = (1..=10).rev().map(f64::from).collect();
        assert_eq!(Distribution::of(numbers), expected);
        assert_eq!(Distribution::of(vec![3.0]).p90.to_bits(), 3.0_f64.to_bits());
        assert_eq!(Distribution::of(Vec::new()), Distribution::default());
    }
}
