//! The command line of `bench aad`.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

use crate::prelude::Manner;

/// The command line of `bench aad`.
#[derive(Clone, Debug, Args)]
pub struct AadArguments {
    #[command(flatten)]
    pub(super) manner: Manner,
    /// Experiments, in addition to the primitives.
    #[arg(
        long = "experiment",
        value_enum,
        value_delimiter = ',',
        default_values_t = Experiment::value_variants().to_vec(),
    )]
    pub(super) experiments: Vec<Experiment>,
    /// Schemes, by the way in which look-ups are proved complete.
    #[arg(
        long = "scheme",
        value_enum,
        value_delimiter = ',',
        default_values_t = LogKind::value_variants().to_vec(),
    )]
    pub(super) schemes: Vec<LogKind>,
    /// Numbers of entries in counted logs, powers of two; with --quick 32,128.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "32,128,512,2048,8192",
        default_value_if("quick", "true", "32,128"),
        value_parser = power_of_two,
    )]
    pub(super) elements: Vec<u64>,
    /// Numbers of entries in frontier logs, powers of two; with --quick 32.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "32,128",
        default_value_if("quick", "true", "32"),
        value_parser = power_of_two,
    )]
    pub(super) frontier_elements: Vec<u64>,
    /// Number of single appends to a counted log, for the worst case; with --quick 128.
    #[arg(
        long,
        default_value = "8192",
        default_value_if("quick", "true", "128"),
        value_parser = power_of_two,
    )]
    pub(super) appends: u64,
    /// Number of single appends to a frontier log, for the worst case; with --quick 32.
    #[arg(
        long,
        default_value = "128",
        default_value_if("quick", "true", "32"),
        value_parser = power_of_two,
    )]
    pub(super) frontier_appends: u64,
    /// Numbers of entries for the bytes of visits. `131072,1048576` takes an hour. With --quick
    /// 256.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1024,8192",
        default_value_if("quick", "true", "256"),
        value_parser = power_of_two,
    )]
    pub(super) bandwidth_elements: Vec<u64>,
    /// Numbers of entries per version in the append experiment. Numbers larger than the log are
    /// skipped.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [1, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192],
        value_parser = clap::value_parser!(u64).range(1..=1 << 20),
    )]
    pub(super) batches: Vec<u64>,
    /// Numbers of threads of author and server.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(super) threads: Vec<NonZeroUsize>,
    /// Skips logs of the append experiment whose sums alone take more seconds than this; with
    /// --quick 2.
    #[arg(long, default_value = "90", default_value_if("quick", "true", "2"))]
    pub(super) longest: u64,
}

/// Experiment of `bench aad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Experiment {
    /// Time of the author per entry, by entries per version.
    Append,
    /// Look-ups and inclusion: bytes, time of the server and of the client.
    Lookup,
    /// Append-only proofs.
    AppendOnly,
    /// Memory at rest and at its peak.
    Memory,
    /// Single appends, with both schedules.
    WorstCase,
    /// Bytes of a visit, compared with two other kinds of logs.
    Bandwidth,
}

/// A measured scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LogKind {
    /// [`pad_log::AadCounted`].
    #[value(name = "aad-counted")]
    Counted,
    /// [`pad_log::AadFrontier`].
    #[value(name = "aad-frontier")]
    Frontier,
}

/// A number of entries on a command line.
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
