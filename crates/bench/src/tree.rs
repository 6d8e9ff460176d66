//! Benchmarks of tree dictionaries: growing from empty, and a steady state (Crosby & Wallach 2010,
//! section 6).
//!
//! - [`author`] and [`server`] measure one tree each, in a separate [`process`]. The author writes
//!   its updates to a file for the servers.
//! - [`batch`] measures large snapshots, [`paper_layout`] trees with entries in all nodes.
//! - [`list`] names all trees.
//! - [`what_if`] computes the effect of other prices.

use std::{collections::BTreeSet, path::Path};

use clap::{Args, ValueEnum};

pub mod author;
pub mod batch;
pub mod list;
pub mod paper_layout;
pub mod process;
pub mod server;
pub mod table;
pub mod what_if;

use crate::{line, prelude::*, workload::Workload};
pub use batch::BatchArguments;
use list::{SUITES, names, possible, trees};
use process::Order;

/// The command line of `bench tree`.
#[derive(Clone, Debug, Args)]
pub struct TreeArguments {
    #[command(flatten)]
    manner: Manner,
    /// Numbers of keys in the trees; with --quick 1000.
    #[arg(long, sizes("10000", "1000", within(2..)))]
    keys: Vec<u64>,
    /// Restricts the run to these balancing schemes; by default all.
    #[arg(long, value_delimiter = ',', value_parser = possible(|tree| tree.scheme))]
    scheme: Vec<String>,
    /// Restricts the run to these repositories (ways of storing versions); by default all.
    #[arg(long, value_delimiter = ',', value_parser = possible(|tree| tree.repository))]
    repository: Vec<String>,
    /// Suites of hash and signature under which trees are measured.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = SUITES[0].0,
        value_parser = possible(|tree| tree.suite),
    )]
    suite: Vec<String>,
    /// Experiments to run.
    #[arg(long, value_delimiter = ',', default_value = "growing,steady_state")]
    experiment: Vec<Experiment>,
}

/// Experiment of `bench tree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Experiment {
    /// Trees that grow from empty, with one new key in each snapshot.
    Growing,
    /// Trees of constant size: the first snapshot adds all keys, each further one adds one key and
    /// removes one.
    SteadyState,
    /// Growing trees with entries in all nodes, as in the paper, for table 3.
    PaperLayout,
    /// Costs if computing, sending or cryptography were cheaper. Needs `growing` in the same run.
    WhatIf,
}

impl TreeArguments {
    /// Runs the experiments that the command line requests, and prints their report.
    pub fn run(&self) -> Outcome<()> {
        let mut report = self.manner.report()?;
        for suite in &self.suite {
            for workload in self.workloads() {
                for scheme in names(|tree| tree.scheme) {
                    self.measure(suite, &workload, scheme, &mut report)?;
                }
            }
            if self.wants(Experiment::PaperLayout) {
                self.paper_layout(suite, &mut report)?;
            }
        }
        if self.wants(Experiment::WhatIf) {
            what_if::run(&mut report)?;
        }
        report.finish(table::report)
    }

    fn wants(&self, experiment: Experiment) -> bool {
        self.experiment.contains(&experiment)
    }

    /// Measures every scheme in the paper's layout, with entries in all nodes, at every number of
    /// keys.
    fn paper_layout(&self, suite: &str, report: &mut Report) -> Outcome<()> {
        for keys in &self.keys {
            for scheme in paper_layout::SCHEMES {
                if !chosen(&self.scheme, scheme) {
                    continue;
                }
                report.announce(format!("{scheme} with entries in all nodes, {keys} keys"));
                let workload = Workload::growing(*keys);
                let names = [scheme, "path-copying", suite];
                let order = self.order(&workload, names, &std::env::temp_dir());
                report.measured(order.send("paper-layout")?)?;
            }
        }
        Ok(())
    }

    fn order(
        &self,
        workload: &Workload,
        [scheme, repository, suite]: [&str; 3],
        folder: &Path,
    ) -> Order {
        Order {
            workload: workload.clone(),
            scheme: scheme.to_owned(),
            repository: repository.to_owned(),
            suite: suite.to_owned(),
            folder: folder.to_owned(),
            quick: self.manner.quick,
        }
    }

    /// Measures the author of one scheme, and the servers of its repositories, which apply the
    /// author's updates.
    fn measure(
        &self,
        suite: &str,
        workload: &Workload,
        scheme: &str,
        report: &mut Report,
    ) -> Outcome<()> {
        // Sizes that were not requested are only measured for figure 5, on red-black trees.
        let keys = workload.final_keys();
        if !self.keys.contains(&keys) && scheme != "red-black" {
            return Ok(());
        }
        let folder = tempfile::tempdir()?;
        let mut author = None;
        for tree in trees() {
            let is_chosen =
                chosen(&self.scheme, scheme) && chosen(&self.repository, tree.repository);
            if [tree.scheme, tree.suite] != [scheme, suite] || !is_chosen {
                continue;
            }
            report.announce(format!("{scheme} {}, {keys} keys", tree.repository));
            let order = self.order(workload, [scheme, tree.repository, suite], folder.path());
            let author = match &author {
                Some(pass) => pass,
                None => &*author.insert(order.measure_author()?),
            };
            report.measured(order.measure_server(author)?)?;
        }
        Ok(())
    }

    /// Lists the workloads: growing trees, then trees in steady state, which have more sizes.
    fn workloads(&self) -> Vec<Workload> {
        let growing = self.keys.iter().map(|keys| Workload::growing(*keys));
        let steady = self.steady_sizes().into_iter();
        let steady = steady.map(|keys| Workload::steady_state(keys, keys.min(10_000)));
        let growing = growing.filter(|_| self.wants(Experiment::Growing));
        let steady = steady.filter(|_| self.wants(Experiment::SteadyState));
        growing.chain(steady).collect()
    }

    /// Lists the numbers of keys in steady state: 1, 2, 5, 10, .. thousand up to the largest
    /// requested number, and all requested numbers.
    fn steady_sizes(&self) -> BTreeSet<u64> {
        let largest = self.keys.iter().copied().max().unwrap_or(0);
        let decades = (3..19).map(|exponent| 10_u64.pow(exponent));
        let sizes = decades.flat_map(|decade| [1, 2, 5].map(|factor| factor * decade));
        let sizes = sizes.take_while(|size| *size <= largest);
        sizes.chain(self.keys.iter().copied()).collect()
    }
}

/// Measures the primitives of all suites, and prints the report.
pub fn primitives(manner: Manner) -> Outcome<()> {
    let mut report = manner.report()?;
    for (suite, measure) in SUITES {
        let line = line! { experiment: "primitives", suite: suite, threads: 1 };
        let primitives = measure(&report.effort());
        report.measured(line.merged(&primitives))?;
    }
    report.finish(table::primitives)
}
