//! The command line of `bench aad`.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

use crate::prelude::Manner;

/// The command line of `bench aad`.
#[derive(Clone, Debug, Args)]
pub struct AadArguments {
    #[command(flatten)]
    pub(super) manner: Manner,
    /// What to measure, beside the primitives.
    #[arg(
        long = "experiment",
        value_enum,
        value_delimiter = ',',
        default_values_t = Experiment::value_variants().to_vec(),
    )]
    pub(super) experiments: Vec<Experiment>,
    /// How look-ups are shown to be complete.
    #[arg(
        long = "scheme",
        value_enum,
        value_delimiter = ',',
        default_values_t = Measured::value_variants().to_vec(),
    )]
    pub(super) schemes: Vec<Measured>,
    /// The numbers of entries of counted logs, powers of two; with --quick 32,128.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "32,128,512,2048,8192",
        default_value_if("quick", "true", "32,128"),
        value_parser = power_of_two,
    )]
    pub(super) elements: Vec<u64>,
    /// The numbers of entries of frontier logs, powers of two; with --quick 32.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "32,128",
        default_value_if("quick", "true", "32"),
        value_parser = power_of_two,
    )]
    pub(super) frontier_elements: Vec<u64>,
    /// The entries that are appended one by one to a counted log, for the worst case; with --quick 128.
    #[arg(
        long,
        default_value = "8192",
        default_value_if("quick", "true", "128"),
        value_parser = power_of_two,
    )]
    pub(super) appends: u64,
    /// The same of a frontier log; with --quick 32.
    #[arg(
        long,
        default_value = "128",
        default_value_if("quick", "true", "32"),
        value_parser = power_of_two,
    )]
    pub(super) frontier_appends: u64,
    /// The numbers of entries for which the bytes of visits are measured; `131072,1048576` take long; with --quick 256.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1024,8192",
        default_value_if("quick", "true", "256"),
        value_parser = power_of_two,
    )]
    pub(super) bandwidth_elements: Vec<u64>,
    /// The numbers of entries in each version of the append experiment, as far as they are not larger than the log.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [1, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192],
        value_parser = clap::value_parser!(u64).range(1..=1 << 20),
    )]
    pub(super) batches: Vec<u64>,
    /// The numbers of threads of author and server.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(super) threads: Vec<NonZeroUsize>,
    /// Logs whose sums alone take more seconds than this are left out of the append experiment; with --quick 2.
    #[arg(long, default_value = "90", default_value_if("quick", "true", "2"))]
    pub(super) longest: u64,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Experiment {
    /// The author's time for each entry, by the size of the versions.
    Append,
    /// Look-ups and inclusion: bytes, the server's and the client's time.
    Lookup,
    /// Append-only proofs.
    AppendOnly,
    /// Memory at rest and at most.
    Memory,
    /// Single appends, with both schedules.
    WorstCase,
    /// Bytes of a visit, beside two other kinds of logs.
    Bandwidth,
}

/// The measured schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Measured {
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
