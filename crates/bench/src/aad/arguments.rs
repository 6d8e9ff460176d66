//! The command line of `bench aad`.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

use crate::prelude::*;

/// The command line of `bench aad`.
#[derive(Clone, Debug, Args)]
pub struct AadArguments {
    #[command(flatten)]
    pub(super) manner: Manner,
    /// Experiments to run; the cryptographic primitives are always measured, too.
    #[arg(long = "experiment", value_delimiter = ',', default_value = ALL)]
    pub(super) experiments: Vec<Experiment>,
    /// Schemes to measure; they differ in how a lookup proof shows that it lists all values.
    #[arg(
        long = "scheme",
        value_delimiter = ',',
        default_value = "aad-counted,aad-frontier"
    )]
    pub(super) schemes: Vec<LogKind>,
    /// Sizes of the `aad-counted` logs, in entries, powers of two; with --quick 32,128.
    #[arg(long, sizes("32,128,512,2048,8192", "32,128", power_of_two))]
    pub(super) elements: Vec<u64>,
    /// Sizes of the `aad-frontier` logs, in entries, powers of two; with --quick 32.
    #[arg(long, sizes("32,128", "32", power_of_two))]
    pub(super) frontier_elements: Vec<u64>,
    /// Number of entries in `worst_case` that are appended one by one to an `aad-counted` log; with
    /// --quick 128.
    #[arg(long, size("8192", "128", power_of_two))]
    pub(super) appends: u64,
    /// Number of entries in `worst_case` that are appended one by one to an `aad-frontier` log;
    /// with --quick 32.
    #[arg(long, size("128", "32", power_of_two))]
    pub(super) frontier_appends: u64,
    /// Sizes of the logs in `bandwidth`, in entries. `131072,1048576` takes an hour. With --quick
    /// 256.
    #[arg(long, sizes("1024,8192", "256", power_of_two))]
    pub(super) bandwidth_elements: Vec<u64>,
    /// Numbers of entries per version in the experiment `append`. Numbers larger than the log are
    /// skipped.
    #[arg(long, list("1,32,64,128,256,512,1024,2048,4096,8192", within(1..=1 << 20)))]
    pub(super) batches: Vec<u64>,
    /// Numbers of threads that author and server use; the measurements are repeated for each
    /// number.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(super) threads: Vec<NonZeroUsize>,
    /// Skips logs of the experiment `append` whose sums in G1 alone take more seconds than this;
    /// with --quick 2.
    #[arg(long, usually("90", "2"))]
    pub(super) longest: u64,
}

/// Names of all experiments.
const ALL: &str = "append,lookup,append_only,memory,worst_case,bandwidth";

/// Experiment of `bench aad`, the benchmark of append-only dictionaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Experiment {
    /// Author's time per appended entry, for several numbers of entries per version.
    Append,
    /// Lookup proofs and inclusion proofs: their bytes, and the times of server and client.
    Lookup,
    /// Append-only proofs between two versions: their bytes, and the times of server and client.
    AppendOnly,
    /// Author's memory per entry: after all appends, and at the peak.
    Memory,
    /// Mean and longest time of single appends, with the eager and the deferred schedule.
    WorstCase,
    /// Bytes that a returning client receives, compared with logs as in Certificate Transparency
    /// and CONIKS.
    Bandwidth,
}

/// Log scheme that `bench aad` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LogKind {
    /// [`pad_log::AadCounted`]: a lookup proves how many values the key has.
    #[value(name = "aad-counted")]
    Counted,
    /// [`pad_log::AadFrontier`]: a lookup proves that prefixes do not occur, such as a prefix of an
    /// absent key.
    #[value(name = "aad-frontier")]
    Frontier,
}

/// Parses a number of entries: a power of two from 16 to 2^20.
fn power_of_two(text: &str) -> Result<u64, String> {
    let number: u64 = text
        .parse()
        .map_err(|_| format!("{text} is not a number"))?;
    if !number.is_power_of_two() {
        return Err(format!("{number} is not a power of two"));
    }
    if !(16..=1 << 20).contains(&number) {
        return Err(format!("{number} is not between 16 and 1048576"));
    }
    Ok(number)
}
