//! The command `bench flexlist`: its arguments, and its experiments in sequence.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, ValueEnum};
use flexlist::tag::TagKind;

use super::{audit, build, hash_share, locality, multi, network, replay, table};
use crate::prelude::*;

/// The command line of `bench flexlist`.
#[derive(Clone, Debug, Args)]
pub struct FlexlistArguments {
    #[command(flatten)]
    manner: Manner,
    /// Restricts the run to these experiments.
    #[arg(long, value_delimiter = ',')]
    pub experiment: Vec<FlexlistExperiment>,
    /// Number of blocks for updates and audits, 2 KiB each (1 GB in the paper); with --quick 3000.
    #[arg(
        long,
        default_value = "500000",
        default_value_if("quick", "true", "3000"),
        value_parser = clap::value_parser!(u64).range(LEAST_BLOCKS..=MOST_BLOCKS),
    )]
    pub blocks: u64,
    /// Numbers of blocks in the experiment `build`; with --quick 9000.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "100000,500000,4000000",
        default_value_if("quick", "true", "9000"),
        value_parser = clap::value_parser!(u64).range(1..=MOST_BLOCKS),
    )]
    pub build_blocks: Vec<u64>,
    /// Numbers of blocks in the experiment `hash_share`; with --quick 3000.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "100000,200000,500000,1000000,2000000",
        default_value_if("quick", "true", "3000"),
        value_parser = clap::value_parser!(u64).range(1..=MOST_BLOCKS),
    )]
    pub update_blocks: Vec<u64>,
    /// Numbers of building threads; by default 1, 2, 4, .. up to the number of cores.
    #[arg(long, value_delimiter = ',')]
    pub threads: Vec<NonZeroUsize>,
    /// Numbers of updates in the experiment `multi`; with --quick 3,10.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "10,20,50,100,120,200,240,300,360,480,600",
        default_value_if("quick", "true", "3,10"),
        value_parser = clap::value_parser!(u64).range(1..=MOST_UPDATES),
    )]
    pub updates: Vec<u64>,
    /// Number of challenged bytes in an audit.
    #[arg(long, default_value_t = 460, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub challenges: u32,
    /// Tag schemes; by default all, with --quick all but `rsa-2048` and `rsa-3072`. A key of
    /// `rsa-3072` can take minutes.
    #[arg(long, value_delimiter = ',')]
    pub tags: Vec<TagKind>,
    /// Version-control traces for the experiments `replay` and `locality`, written by
    /// `scripts/trace-of-history.py`; by default the history of this workspace in `data`.
    #[arg(long)]
    pub trace: Vec<PathBuf>,
    /// Numbers of clients in the experiment `network`; with --quick 1,2.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,2,5,10,20,50",
        default_value_if("quick", "true", "1,2")
    )]
    pub clients: Vec<NonZeroUsize>,
    /// Number of blocks of the file that the clients audit; with --quick 1000. The file that each
    /// client updates has a tenth of that.
    #[arg(
        long,
        default_value = "50000",
        default_value_if("quick", "true", "1000"),
        value_parser = clap::value_parser!(u64).range(1..=MOST_BLOCKS),
    )]
    pub network_blocks: u64,
}

/// The experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum FlexlistExperiment {
    /// Building a list on several threads.
    Build,
    /// Updates with and without their hashes.
    HashShare,
    /// Many updates at once and one by one.
    Multi,
    /// Challenges and their proofs.
    Audit,
    /// A version-control trace.
    Replay,
    /// Locality of the changes of each commit in a trace.
    Locality,
    /// Many clients at once.
    Network,
}

/// The trace bundled with the workspace.
const TRACE: &str = "history.csv.zst";

/// Maximum number of updates in one batch.
const MOST_UPDATES: u64 = 10_000;

/// Fewest blocks of updates and audits: four for each of the most updates that `multi` makes by
/// default.
const LEAST_BLOCKS: u64 = 2_400;

/// Maximum number of blocks, which take some gigabytes of nodes.
const MOST_BLOCKS: u64 = 16_000_000;

impl FlexlistArguments {
    /// Runs the requested measurements.
    pub fn run(&self) -> Outcome<()> {
        use FlexlistExperiment as Experiment;
        let mut report = self.manner.report()?;
        for experiment in Experiment::value_variants() {
            if !self.experiment.is_empty() && !self.experiment.contains(experiment) {
                continue;
            }
            let report = &mut report;
            match experiment {
                Experiment::Build => build::run(&self.build_blocks, &self.threads(), report)?,
                Experiment::HashShare => hash_share::run(&self.update_blocks, report)?,
                Experiment::Multi => multi::run(self.blocks, &self.updates, report)?,
                Experiment::Audit => {
                    audit::run(self.blocks, self.challenges, &self.tags(), report)?;
                }
                Experiment::Replay => {
                    for trace in &self.traces() {
                        replay::run(trace, report)?;
                    }
                }
                Experiment::Locality => {
                    for trace in &self.traces() {
                        locality::run(trace, report)?;
                    }
                }
                Experiment::Network => {
                    network::run(self.network_blocks, self.challenges, &self.clients, report)?;
                }
            }
        }
        report.finish(table::report)
    }

    /// Returns the paths of the traces.
    fn traces(&self) -> Vec<PathBuf> {
        if self.trace.is_empty() {
            let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data");
            return vec![data.join(TRACE)];
        }
        self.trace.clone()
    }

    /// Returns the numbers of threads.
    fn threads(&self) -> Vec<NonZeroUsize> {
        if !self.threads.is_empty() {
            return self.threads.clone();
        }
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let doubled = |number: &NonZeroUsize| number.checked_add(number.get());
        std::iter::successors(Some(NonZeroUsize::MIN), doubled)
            .take_while(|number| *number < cores)
            .chain([cores])
            .collect()
    }

    /// Returns the tag schemes. A quick run has none whose keys take long.
    fn tags(&self) -> Vec<TagKind> {
        if !self.tags.is_empty() {
            return self.tags.clone();
        }
        let fast = |kind: &TagKind| !self.manner.quick || !audit::is_slow(*kind);
        TagKind::ALL.into_iter().filter(fast).collect()
    }
}
