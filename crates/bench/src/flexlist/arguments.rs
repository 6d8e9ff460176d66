//! The command `bench flexlist`: what it is told, and its experiments one after the other.

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
    /// Only these experiments.
    #[arg(long, value_delimiter = ',')]
    pub experiment: Vec<FlexlistExperiment>,
    /// The number of blocks of updates and audits, 2 KiB each.
    #[arg(long, value_parser = clap::value_parser!(u64).range(MOST_UPDATES * 4..=MOST_BLOCKS))]
    pub blocks: Option<u64>,
    /// The numbers of blocks of the experiment `build`.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=MOST_BLOCKS))]
    pub build_blocks: Vec<u64>,
    /// The numbers of blocks of the experiment `hash_share`.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=MOST_BLOCKS))]
    pub update_blocks: Vec<u64>,
    /// The numbers of threads that build; without it 1, 2, 4, .. up to the cores.
    #[arg(long, value_delimiter = ',')]
    pub threads: Vec<NonZeroUsize>,
    /// The numbers of updates of the experiment `multi`.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=MOST_UPDATES))]
    pub updates: Vec<u64>,
    /// The number of challenged bytes of an audit.
    #[arg(long, default_value_t = 460, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub challenges: u32,
    /// Only these tag schemes; making a key of `rsa-3072` can take minutes.
    #[arg(long, value_delimiter = ',')]
    pub tags: Vec<TagKind>,
    /// Version-control traces for the experiments `replay` and `locality`, made by `flexlist-trace`.
    #[arg(long)]
    pub trace: Vec<PathBuf>,
    /// The numbers of clients of the experiment `network`.
    #[arg(long, value_delimiter = ',')]
    pub clients: Vec<NonZeroUsize>,
    /// The number of blocks of the file that they audit; a tenth of it for the file that each updates.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MOST_BLOCKS))]
    pub network_blocks: Option<u64>,
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
    /// How near to each other the changes of a trace's commits are.
    Locality,
    /// Many clients at once.
    Network,
}

/// The most updates of one batch.
const MOST_UPDATES: u64 = 10_000;

/// The most blocks: some gigabytes of nodes.
const MOST_BLOCKS: u64 = 16_000_000;

impl FlexlistArguments {
    /// Measures what is asked for.
    pub fn run(&self) -> Outcome<()> {
        use FlexlistExperiment as Experiment;
        let mut report = self.manner.report()?;
        for experiment in Experiment::value_variants() {
            if !self.experiment.is_empty() && !self.experiment.contains(experiment) {
                continue;
            }
            let (blocks, report) = (self.blocks(), &mut report);
            match experiment {
                Experiment::Build => {
                    let full = [100_000, 500_000, 4_000_000];
                    let sizes = self.chosen(&self.build_blocks, &full, &[9_000]);
                    build::run(&sizes, &self.threads(), report)?;
                }
                Experiment::HashShare => {
                    let full = [100_000, 200_000, 500_000, 1_000_000, 2_000_000];
                    let sizes = self.chosen(&self.update_blocks, &full, &[3_000]);
                    hash_share::run(&sizes, report)?;
                }
                Experiment::Multi => {
                    let full = [10, 20, 50, 100, 120, 200, 240, 300, 360, 480, 600];
                    multi::run(blocks, &self.chosen(&self.updates, &full, &[3, 10]), report)?;
                }
                Experiment::Audit => audit::run(blocks, self.challenges, &self.tags(), report)?,
                Experiment::Replay => {
                    for trace in &self.trace {
                        replay::run(trace, report)?;
                    }
                }
                Experiment::Locality => {
                    for trace in &self.trace {
                        locality::run(trace, report)?;
                    }
                }
                Experiment::Network => {
                    let default = if self.manner.quick { 1_000 } else { 50_000 };
                    let blocks = self.network_blocks.unwrap_or(default);
                    network::run(blocks, self.challenges, &self.clients(), report)?;
                }
            }
        }
        report.finish(table::report)
    }

    /// The number of blocks of updates and audits: 1 GB in the paper.
    fn blocks(&self) -> u64 {
        let default = if self.manner.quick { 3_000 } else { 500_000 };
        self.blocks.unwrap_or(default)
    }

    /// The numbers of clients.
    fn clients(&self) -> Vec<usize> {
        match (self.clients.as_slice(), self.manner.quick) {
            ([], true) => vec![1, 2],
            ([], false) => vec![1, 2, 5, 10, 20, 50],
            (chosen, _) => chosen.iter().map(|clients| clients.get()).collect(),
        }
    }

    fn chosen(&self, wanted: &[u64], full: &[u64], quick: &[u64]) -> Vec<u64> {
        let chosen = match (wanted, self.manner.quick) {
            ([], true) => quick,
            ([], false) => full,
            _ => wanted,
        };
        chosen.to_vec()
    }

    /// The numbers of threads.
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

    /// The tag schemes; those whose keys take long only in full.
    fn tags(&self) -> Vec<TagKind> {
        if !self.tags.is_empty() {
            return self.tags.clone();
        }
        let fast = |kind: &TagKind| {
            !self.manner.quick || !matches!(kind, TagKind::Rsa2048 | TagKind::Rsa3072)
        };
        TagKind::ALL.into_iter().filter(fast).collect()
    }
}
