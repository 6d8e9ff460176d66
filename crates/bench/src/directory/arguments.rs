//! The command line of `bench directory`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::prelude::Manner;

/// The command line of `bench directory`.
#[derive(Clone, Debug, Args)]
pub struct DirectoryArguments {
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
    /// The entries of the directories whose operations are measured.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [1_000_000, 10_000_000],
        value_parser = clap::value_parser!(u64).range(1_000..=1 << 30),
    )]
    pub(super) entries: Vec<u64>,
    /// The insertions of figures 3 and 4.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub(super) inserts: u64,
    /// The sizes of the blocks of figures 3 and 4: an element takes 240 bytes.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536],
        value_parser = clap::value_parser!(u64).range(512..=240_000),
    )]
    pub(super) block_bytes: Vec<u64>,
    /// The entries with which the traces of figure 5 begin.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [
            100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 100_000_000,
        ],
        value_parser = clap::value_parser!(u64).range(1..=1 << 40),
    )]
    pub(super) prefill: Vec<u64>,
    /// The operations of each trace.
    #[arg(long, default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub(super) operations: u64,
    /// Of 100 writes to known objects, those that overwrite it.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [0, 25, 50, 100],
        value_parser = clap::value_parser!(u64).range(0..=100),
    )]
    pub(super) update_percent: Vec<u64>,
    /// The seed of the traces.
    #[arg(long, default_value_t = 2010)]
    pub(super) seed: u64,
    /// Contenders of figures 3 and 4 whose primitives alone take more seconds than this are left out; with --quick 1.
    #[arg(long, default_value = "60", default_value_if("quick", "true", "1"))]
    longest: u64,
}

impl DirectoryArguments {
    /// The longest time for one contender.
    pub(super) const fn longest(&self) -> Duration {
        Duration::from_secs(self.longest)
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Experiment {
    /// Figures 3 and 4: insertions one by one, by the size of blocks.
    Inserts,
    /// Figure 5: block reads of a trace, with and without hints.
    Hints,
    /// A directory's operations in memory.
    Operations,
    /// A directory on disk: loading, durable updates, reading blocks, reopening.
    Stored,
    /// One change of one block, each strategy beside its primitives.
    Strategies,
    /// A plain map on disk and an authenticated tree, over the same ids.
    Beside,
}
