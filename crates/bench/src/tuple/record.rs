//! The lines of `bench tuple --json`.
//!
//! Times are microseconds (`_us`), nanoseconds (`_ns`) or seconds, sizes bytes; README.md explains each.

use serde::{Deserialize, Serialize};

use crate::{costs::Prices, machine::Machine};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "experiment")]
pub enum TupleLine {
    /// From empty, one key per snapshot: tables 7 to 9.
    #[serde(rename = "tuple_growing")]
    Growing(Box<GrowingRecord>),
    /// Many snapshots of one key each at one size.
    #[serde(rename = "tuple_steady")]
    Steady(Box<SteadyRecord>),
    /// How a figure grows with the number of keys.
    #[serde(rename = "tuple_exponent")]
    Exponent(ExponentRecord),
    /// All tuples signed by several threads.
    #[serde(rename = "tuple_threads")]
    Threads(ThreadsRecord),
    /// A recorded trace: tables 10 and 11.
    #[serde(rename = "tuple_macrobenchmark")]
    Macrobenchmark(Box<MacrobenchmarkRecord>),
    /// One line of figure 7 or 8.
    #[serde(rename = "tuple_lookup_costs")]
    Costs(CostsRecord),
    /// Which design is the cheapest where.
    #[serde(rename = "tuple_cheapest")]
    Cheapest(CheapestRecord),
}

/// What bounds every design, measured beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitFigures {
    /// An Ed25519 signature.
    pub sign_us: f64,
    /// Its strict verification.
    pub verify_signature_us: f64,
    /// A step of a hash chain.
    pub chain_step_ns: f64,
    /// A hash of two digests.
    pub hash_ns: f64,
}

/// Why a design did not get further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// It reached the end.
    Finished,
    /// It had its time.
    Time,
    /// It took too much memory.
    Memory,
}

/// What server and client do with look-ups of the latest version.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookupFigures {
    /// A proof of a random present key.
    pub prove_us: f64,
    /// `1e6 / prove_us`.
    pub lookups_per_second: f64,
    /// The check of an answer.
    pub verify_us: f64,
    /// `1e6 / verify_us`.
    pub verifications_per_second: f64,
    /// Verifications of signatures and of witnesses and steps of hash chains, as a share of the time.
    pub verify_cryptography_share: f64,
    /// Signatures that a client verifies for one answer; not counted with accumulators.
    pub signatures_per_proof: Option<f64>,
    /// Steps of hash chains that a client takes for one answer.
    pub chain_steps_per_proof: f64,
    /// So many verifications and steps, and nothing else; none with accumulators.
    pub verify_limit_us: Option<f64>,
    /// `verify_us / verify_limit_us`.
    pub verify_ratio: Option<f64>,
    /// An answer: the proof, for trees with the head. Mean over random present keys.
    pub proof_bytes: f64,
}

/// A row of tables 7, 8 and 9.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowingRecord {
    /// The design.
    pub design: String,
    /// The number of keys that were asked for.
    pub keys: u64,
    /// The number that was inserted, one in each snapshot.
    pub inserted: u64,
    /// Why no more.
    pub stopped: Stopped,
    /// Always 1.
    pub threads: usize,
    /// Snapshots of the author per second, over the whole run.
    pub inserts_per_second: f64,
    /// Put and snapshot, mean over the whole run.
    pub author_us: f64,
    /// The same, mean over the last tenth of the snapshots.
    pub author_last_tenth_us: f64,
    /// Signatures and accumulators as timed and steps of hash chains as counted, as a share of the
    /// author's time.
    pub author_cryptography_share: f64,
    /// Signatures per snapshot, mean over the whole run.
    pub signatures_per_snapshot: f64,
    /// Steps of hash chains per snapshot, mean over the whole run.
    pub chain_steps_per_snapshot: f64,
    /// The time of one signature among them, as timed.
    pub signature_us: f64,
    /// So many bare signatures and steps, and nothing else; none with accumulators.
    pub author_limit_us: Option<f64>,
    /// `author_us / author_limit_us`.
    pub author_ratio: Option<f64>,
    /// An encoded update, mean over the last tenth.
    pub update_bytes: f64,
    /// The same, mean over the whole run.
    pub update_overall_bytes: f64,
    /// The server's work on an update, mean over the whole run.
    pub apply_us: f64,
    /// The same, mean over the last tenth.
    pub apply_last_tenth_us: f64,
    /// `1e6 / apply_us`.
    pub updates_per_second: f64,
    /// The verification of the head's signature, and accumulators, as a share of `apply_us`.
    pub server_cryptography_share: f64,
    /// Look-ups.
    #[serde(flatten)]
    pub lookups: LookupFigures,
    /// The server's memory at the end.
    pub memory_bytes: u64,
    /// Bytes of update per second of author and server, over the whole run: table 9.
    pub update_kilobytes_per_second: f64,
    /// Bytes of proof per second of a server that only proves: table 9.
    pub lookup_kilobytes_per_second: f64,
    /// Where computing and sending cost the same at these prices.
    pub equilibrium_kilobytes_per_second: f64,
    /// The prices.
    #[serde(flatten)]
    pub prices: Prices,
    /// A signature on a tuple and its verification, if tuples are signed; else those on a head.
    pub tuple_sign_us: f64,
    /// The same.
    pub tuple_verify_us: f64,
    /// The primitives.
    #[serde(flatten)]
    pub limits: LimitFigures,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// Many snapshots of one key each, after one that loads all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyRecord {
    /// The design.
    pub design: String,
    /// The number of keys at the start.
    pub keys: u64,
    /// The number of snapshots that the means are over.
    pub snapshots: u64,
    /// The number of epochs, or of uses of a whole hash chain, among them.
    pub cycles: u64,
    /// Whether these snapshots are whole epochs and whole hash chains.
    pub whole_cycles: bool,
    /// Always 1.
    pub threads: usize,
    /// Put and snapshot.
    pub author_us: f64,
    /// `1e6 / author_us`.
    pub snapshots_per_second: f64,
    /// The rate, divided by that of `base-superseding` with as many keys in the same run.
    pub times_base_superseding: Option<f64>,
    /// What signing all tuples again whenever their hash chains end adds to each snapshot in the long
    /// run, if these snapshots do not contain it: computed, not measured.
    pub later_chains_us: f64,
    /// An encoded update.
    pub update_bytes: f64,
    /// The server's work on it.
    pub apply_us: f64,
    /// What the server's memory grows by.
    pub memory_bytes_per_update: f64,
    /// A proof of a random present key in a random version of those snapshots.
    pub proof_bytes: f64,
    /// The making of one.
    pub prove_us: f64,
    /// The prices.
    #[serde(flatten)]
    pub prices: Prices,
    /// The primitives.
    #[serde(flatten)]
    pub limits: LimitFigures,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// The exponent of the power of the number of keys that a figure grows with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExponentRecord {
    /// The design.
    pub design: String,
    /// The figure.
    pub quantity: String,
    /// The numbers of keys.
    pub keys: Vec<u64>,
    /// The figures.
    pub values: Vec<f64>,
    /// The slope of the line through their logarithms.
    pub exponent: f64,
}

/// A snapshot in which every tuple is signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadsRecord {
    /// The design.
    pub design: String,
    /// The number of keys.
    pub keys: u64,
    /// The number of threads, of the author and of the bare signatures.
    pub threads: usize,
    /// One snapshot, median.
    pub snapshot_ms: f64,
    /// As many bare signatures on as many threads, median.
    pub bare_signatures_ms: f64,
    /// `snapshot_ms / bare_signatures_ms`.
    pub ratio: f64,
    /// The time of the snapshot on the first number of threads, divided by that on this one.
    pub speed_up: f64,
    /// The same of the bare signatures.
    pub bare_speed_up: f64,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// A row of tables 10 and 11.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MacrobenchmarkRecord {
    /// The trace's file.
    pub trace: String,
    /// The design.
    pub design: String,
    /// When generations are merged.
    pub epochs: String,
    /// The number of snapshots of the trace.
    pub snapshots: u64,
    /// The number that was processed.
    pub processed: u64,
    /// Why no more.
    pub stopped: Stopped,
    /// The operations of the processed snapshots.
    pub operations: u64,
    /// The entries of the last version.
    pub keys: u64,
    /// The author's time for all.
    pub author_seconds: f64,
    /// The server's time for all.
    pub server_seconds: f64,
    /// An encoded update, mean.
    pub update_bytes: f64,
    /// Signatures in all.
    pub signatures: u64,
    /// Steps of hash chains in all.
    pub chain_steps: u64,
    /// The signatures that speculation saves, as a share of those of the design without it;
    /// negative: it takes more.
    pub signatures_saved_by_speculation: Option<f64>,
    /// How many times as fast the author is as that of the design without speculation.
    pub times_without_speculation: Option<f64>,
    /// Look-ups of the last version.
    #[serde(flatten)]
    pub lookups: LookupFigures,
    /// Table 10.
    pub update_kilobytes_per_second: f64,
    /// Table 10.
    pub lookup_kilobytes_per_second: f64,
    /// The prices.
    #[serde(flatten)]
    pub prices: Prices,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
}

/// One line of figure 7 or 8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostsRecord {
    /// `figure7`, `figure7-steady`, or `figure8` and the trace.
    pub figure: String,
    /// The design.
    pub design: String,
    /// How many keys were inserted.
    pub keys: u64,
    /// The cost of a look-up alone.
    pub lookup_microdollars: f64,
    /// The cost of an update alone.
    pub update_microdollars: f64,
    /// Look-ups per update, and micro-dollars per look-up.
    pub points: Vec<(f64, f64)>,
    /// The prices.
    #[serde(flatten)]
    pub prices: Prices,
}

/// The cheapest design in a range of look-ups per update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheapestRecord {
    /// `figure7`, `figure7-steady`, or `figure8` and the trace.
    pub figure: String,
    /// The design.
    pub design: String,
    /// From how many look-ups per update on.
    pub from_lookups_per_update: f64,
    /// Up to how many.
    pub to_lookups_per_update: f64,
    /// The cost per look-up at the start of the range.
    pub microdollars_at_start: f64,
    /// The prices.
    #[serde(flatten)]
    pub prices: Prices,
}
