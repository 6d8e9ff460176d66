//! What `bench tuple` is told.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum, builder::PossibleValuesParser};

use super::{Setting, pair};
use crate::{costs::Prices, machine::Machine};

/// The command line of `bench tuple`.
#[derive(Clone, Debug, Args)]
pub struct TupleArguments {
    /// One JSON object per line instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Only these experiments.
    #[arg(long, value_delimiter = ',')]
    pub experiment: Vec<TupleExperiment>,
    /// The number of keys of the growing and of the steady experiment.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(2..))]
    pub keys: u64,
    /// Further sizes of the steady experiment, for the designs whose growth is of interest.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 100_000])]
    pub sizes: Vec<u64>,
    /// Only these designs.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(pair::names()))]
    pub designs: Vec<String>,
    /// The numbers of threads that sign in the experiment of that name; all else has one.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    pub threads: Vec<NonZeroUsize>,
    /// The most seconds for one design in one experiment.
    #[arg(long, default_value_t = 60)]
    pub limit: u64,
    /// What an hour of computing costs, in cents.
    #[arg(long, default_value_t = Prices::PAPER.cpu_cents_per_hour)]
    pub cpu_cents_per_hour: f64,
    /// What a gigabyte sent costs, in cents.
    #[arg(long, default_value_t = Prices::PAPER.cents_per_gigabyte)]
    pub cents_per_gigabyte: f64,
    /// Traces of the macro-benchmark; without it, prices and exchange rates of the folder `data`.
    #[arg(long)]
    pub trace: Vec<PathBuf>,
    /// Only so many of the last snapshots of each trace; the first of them loads what is there.
    #[arg(long)]
    pub last: Option<usize>,
    /// Measure little: to see that everything works.
    #[arg(long)]
    pub quick: bool,
}

/// The experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum TupleExperiment {
    /// From empty, one key per snapshot.
    Growing,
    /// Many snapshots of one key each at one size.
    Steady,
    /// All tuples signed by several threads.
    Threads,
    /// Recorded traces.
    Macrobenchmark,
}

impl TupleArguments {
    /// What holds for every experiment.
    pub fn setting(&self) -> Setting {
        Setting {
            limit: Duration::from_secs(self.limit),
            quick: self.quick,
            prices: Prices {
                cpu_cents_per_hour: self.cpu_cents_per_hour,
                cents_per_gigabyte: self.cents_per_gigabyte,
            },
            machine: Machine::current(),
        }
    }

    /// Whether an experiment is wanted.
    pub fn wants(&self, experiment: TupleExperiment) -> bool {
        self.experiment.is_empty() || self.experiment.contains(&experiment)
    }

    /// The designs wanted, in the order of the list.
    pub fn designs(&self) -> Vec<&'static str> {
        let mut names = pair::names();
        names.retain(|name| self.wants_design(name));
        // What others are compared with comes first.
        names.sort_by_key(|name| *name != super::threads::DESIGN);
        names
    }

    /// Whether a design is wanted.
    pub fn wants_design(&self, name: &str) -> bool {
        self.designs.is_empty() || self.designs.iter().any(|wanted| wanted == name)
    }

    /// The traces.
    pub fn traces(&self) -> Vec<PathBuf> {
        if self.trace.is_empty() {
            let folder = env!("CARGO_MANIFEST_DIR");
            let data = PathBuf::from(folder).join("../../data");
            TRACES.map(|name| data.join(name)).to_vec()
        } else {
            self.trace.clone()
        }
    }
}

/// Many keys in few snapshots, as in the paper; and few keys, all of which change in every snapshot.
const TRACES: [&str; 2] = ["prices.csv.zst", "exchange-rates.csv.zst"];
