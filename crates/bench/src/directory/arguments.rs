//! The command line of `bench directory`.

use clap::{Args, ValueEnum};

use crate::prelude::*;

/// The command line of `bench directory`.
#[derive(Clone, Debug, Args)]
pub struct DirectoryArguments {
    #[command(flatten)]
    pub(super) manner: Manner,
    /// Experiments to run; the primitives are always measured, too.
    #[arg(long = "experiment", value_delimiter = ',', default_value = ALL)]
    pub(super) experiments: Vec<Experiment>,
    /// Numbers of entries of the directories whose operations are measured.
    #[arg(long, list("1000000,10000000", within(1_000..=1 << 30)))]
    pub(super) entries: Vec<u64>,
    /// Number of insertions in figures 3 and 4.
    #[arg(long, default_value = "100000", value_parser = within(1..=1 << 30))]
    pub(super) inserts: u64,
    /// Block sizes in figures 3 and 4, in bytes. Each slot of a block takes 240 bytes.
    #[arg(long, list("512,1024,2048,4096,8192,16384,32768,65536", within(512..=240_000)))]
    pub(super) block_bytes: Vec<u64>,
    /// Numbers of entries that a directory already has when a trace of figure 5 starts.
    #[arg(long, list("100000,200000,500000,1000000,2000000,5000000,10000000,100000000", within(1..=1 << 40)))]
    pub(super) prefill: Vec<u64>,
    /// Number of operations in each trace of figure 5.
    #[arg(long, default_value = "400000", value_parser = within(1..=1 << 32))]
    pub(super) operations: u64,
    /// Percentages of updates in the traces: writes to known objects that overwrite the object
    /// instead of inserting another one.
    #[arg(long, list("0,25,50,100", within(0..=100)))]
    pub(super) update_percent: Vec<u64>,
    /// Skips a contender of figures 3 and 4 if its primitives alone would take more seconds than
    /// this; with --quick 1.
    #[arg(long, usually("60", "1"))]
    pub(super) longest: u64,
}

/// Names of all experiments.
const ALL: &str = "inserts,hints,operations,stored,strategies,beside";

/// Experiment of `bench directory`. Figures are those of Stanton et al. 2010.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Experiment {
    /// Figures 3 and 4: time of single insertions, by block size.
    Inserts,
    /// Figure 5: block reads of lookups in a trace, with and without path hints from clients.
    Hints,
    /// Updates, appends, proofs and verification of a directory in memory.
    Operations,
    /// A directory on disk: loading, durable updates, reading blocks, reopening.
    Stored,
    /// Changes of one block under each digest strategy, next to the primitives; and proofs.
    Strategies,
    /// Alternatives over the same ids: a plain map on disk and an authenticated tree.
    Beside,
}
