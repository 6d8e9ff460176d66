//! The command `bench flexlist`, which measures outsourced files: its arguments, and its
//! experiments in sequence.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, ValueEnum};
use flexlist::tag::TagKind;

use super::{audit, build, hash_share, locality, multi, network, replay, table};
use crate::{
    prelude::*,
    sizes::{SizeArgument as _, within},
};

/// The command line of `bench flexlist`.
#[derive(Clone, Debug, Args)]
pub struct FlexlistArguments {
    #[command(flatten)]
    manner: Manner,
    /// Restricts the run to these experiments; by default all.
    #[arg(long, value_delimiter = ',')]
    pub experiment: Vec<FlexlistExperiment>,
    /// Number of blocks of 2 KiB in the file for updates and audits; the default is 1 GB, as in the
    /// paper. With --quick 3000.
    #[arg(long, size("500000", "3000", within(LEAST_BLOCKS..=MOST_BLOCKS)))]
    pub blocks: u64,
    /// Sizes of the lists in the experiment `build`, in blocks; with --quick 9000.
    #[arg(long, sizes("100000,500000,4000000", "9000", within(1..=MOST_BLOCKS)))]
    pub build_blocks: Vec<u64>,
    /// Sizes of the lists in the experiment `hash_share`, in blocks; with --quick 3000.
    #[arg(long, sizes("100000,200000,500000,1000000,2000000", "3000", within(1..=MOST_BLOCKS)))]
    pub update_blocks: Vec<u64>,
    /// Numbers of threads in the experiment `build`; by default 1, 2, 4, .. up to the number of
    /// cores.
    #[arg(long, value_delimiter = ',')]
    pub threads: Vec<NonZeroUsize>,
    /// Numbers of updates per batch in the experiment `multi`; with --quick 3,10.
    #[arg(long, sizes("10,20,50,100,120,200,240,300,360,480,600", "3,10", within(1..=MOST_UPDATES)))]
    pub updates: Vec<u64>,
    /// Tag schemes to audit; by default all, with --quick all but `rsa-2048` and `rsa-3072`.
    /// Generating a key for `rsa-3072` can take minutes.
    #[arg(long, value_delimiter = ',')]
    pub tags: Vec<TagKind>,
    /// Version-control traces for the experiments `replay` and `locality`, written by
    /// `scripts/trace-of-history.py`; by default the history of this workspace in `data`.
    #[arg(long)]
    pub trace: Vec<PathBuf>,
    /// Number of blocks of the file that all clients audit; with --quick 1000. Each client also
    /// updates a file of its own, of a tenth as many blocks.
    #[arg(long, size("50000", "1000", within(1..=MOST_BLOCKS)))]
    pub network_blocks: u64,
}

/// Experiment of `bench flexlist`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum FlexlistExperiment {
    /// Building the list of a file's blocks on several threads.
    Build,
    /// Single updates with and without the time of hashing.
    HashShare,
    /// Batches of updates, compared with the same updates one by one.
    Multi,
    /// Audits: a challenge of many bytes, the server's proof, and the client's check.
    Audit,
    /// Replay of a version-control trace, commit by commit.
    Replay,
    /// Distances between the blocks that each commit of a trace changes.
    Locality,
    /// Audits and updates by many clients of one server, over the loopback interface.
    Network,
}

/// File name of the version-control trace that is bundled with the workspace.
const TRACE: &str = "history.csv.zst";

/// Number of challenged bytes in an audit; the server proves that it stores their blocks.
const CHALLENGES: u32 = 460;

/// Maximum number of updates in a batch.
const MOST_UPDATES: u64 = 10_000;

/// Minimum number of blocks in the file for updates and audits: four for each update of the largest
/// default batch in `multi`.
const LEAST_BLOCKS: u64 = 2_400;

/// Maximum number of blocks of a file. The list of that many blocks takes some gigabytes of memory.
const MOST_BLOCKS: u64 = 16_000_000;

impl FlexlistArguments {
    /// Runs the experiments that the command line requests, and prints their report.
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
                    audit::run(self.blocks, CHALLENGES, &self.tags(), report)?;
                }
                Experiment::Replay => {
                    for trace in &traces(&self.trace, &[TRACE]) {
                        replay::run(trace, report)?;
                    }
                }
                Experiment::Locality => {
                    for trace in &traces(&self.trace, &[TRACE]) {
                        locality::run(trace, report)?;
                    }
                }
                Experiment::Network => network::run(self.network_blocks, CHALLENGES, report)?,
            }
        }
        report.finish(table::report)
    }

    /// Returns the numbers of threads for the experiment `build`: those of the command line, or 1,
    /// 2, 4, .. up to the number of cores.
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

    /// Returns the tag schemes to audit: those of the command line, or all. By default a quick run
    /// leaves out schemes whose keys take long to generate.
    fn tags(&self) -> Vec<TagKind> {
        if !self.tags.is_empty() {
            return self.tags.clone();
        }
        let fast = |kind: &TagKind| !self.manner.quick || !audit::is_slow(*kind);
        TagKind::ALL.into_iter().filter(fast).collect()
    }
}
