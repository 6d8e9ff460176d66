//! Append-only dictionaries: appends, lookups, append-only proofs, memory and bandwidth.
//!
//! Times are shown next to their limit, and next to the paper's time if the paper has one. The
//! limit is the time of only the work's sums in G1, decoded points and pairings, measured in the
//! same run.
//!
//! Source: Tomescu, Bhupatiraju, Papadopoulos, Papamanthou, Triandopoulos, Devadas 2019, sections
//! 6.1 and 6.2.

use std::{collections::BTreeSet, num::NonZeroUsize, sync::Arc, time::Duration};

use clap::{Args, ValueEnum};
use pad_accumulators::{
    SecretKey as _,
    bilinear::{BilinearSecretKey, Parameters},
};
use pad_core::Workers;
use pad_log::{AadCounted, AadFrontier, DictionaryScheme, Log, Schedule, Setup, Shape};

use crate::prelude::*;

mod append;
mod bandwidth;
mod baselines;
mod counts;
mod grown;
mod memory;
mod primitives;
mod proofs;
pub mod table;

use grown::{BATCH, GrowingLog};
use primitives::Primitives;

/// The command line of `bench aad`.
#[derive(Clone, Debug, Args)]
pub struct AadArguments {
    #[command(flatten)]
    manner: Manner,
    /// Experiments to run; the cryptographic primitives are always measured, too.
    #[arg(long = "experiment", value_delimiter = ',', default_value = ALL)]
    experiments: Vec<Experiment>,
    /// Schemes to measure; they differ in how a lookup proof shows that it lists all values.
    #[arg(
        long = "scheme",
        value_delimiter = ',',
        default_value = "aad-counted,aad-frontier"
    )]
    schemes: Vec<LogKind>,
    /// Sizes of the `aad-counted` logs, in entries, powers of two; with --quick 32,128.
    #[arg(long, sizes("32,128,512,2048,8192", "32,128", power_of_two))]
    elements: Vec<u64>,
    /// Sizes of the `aad-frontier` logs, in entries, powers of two; with --quick 32.
    #[arg(long, sizes("32,128", "32", power_of_two))]
    frontier_elements: Vec<u64>,
    /// Number of entries in `worst_case` that are appended one by one to an `aad-counted` log; with
    /// --quick 128.
    #[arg(long, size("8192", "128", power_of_two))]
    appends: u64,
    /// Number of entries in `worst_case` that are appended one by one to an `aad-frontier` log;
    /// with --quick 32.
    #[arg(long, size("128", "32", power_of_two))]
    frontier_appends: u64,
    /// Sizes of the logs in `bandwidth`, in entries. `131072,1048576` takes an hour. With --quick
    /// 256.
    #[arg(long, sizes("1024,8192", "256", power_of_two))]
    bandwidth_elements: Vec<u64>,
    /// Numbers of entries per version in the experiment `append`. Numbers larger than the log are
    /// skipped.
    #[arg(long, list("1,32,64,128,256,512,1024,2048,4096,8192", within(1..=1 << 20)))]
    batches: Vec<u64>,
    /// Numbers of threads that author and server use; the measurements are repeated for each
    /// number.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<NonZeroUsize>,
    /// Skips logs of the experiment `append` whose sums in G1 alone take more seconds than this;
    /// with --quick 2.
    #[arg(long, usually("90", "2"))]
    longest: u64,
}

/// Names of all experiments.
const ALL: &str = "append,lookup,append_only,memory,worst_case,bandwidth";

/// Experiment of `bench aad`, the benchmark of append-only dictionaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Experiment {
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
enum LogKind {
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

impl AadArguments {
    /// Runs the experiments that the command line requests, and prints their report.
    pub fn run(&self) -> Outcome<()> {
        let mut report = self.manner.report()?;
        if self.experiments.contains(&Experiment::Memory) {
            self.memory(&mut report)?;
        }
        for threads in &self.threads {
            let workers = Workers::new(*threads)?;
            for &kind in &self.schemes {
                match kind {
                    LogKind::Counted => self.measure::<AadCounted>(kind, &workers, &mut report)?,
                    LogKind::Frontier => {
                        self.measure::<AadFrontier>(kind, &workers, &mut report)?;
                    }
                }
            }
        }
        report.finish(table::report)
    }

    /// Returns the sizes of the logs of one scheme, and the number of single appends.
    fn sizes(&self, kind: LogKind) -> (&[u64], u64) {
        match kind {
            LogKind::Counted => (&self.elements, self.appends),
            LogKind::Frontier => (&self.frontier_elements, self.frontier_appends),
        }
    }

    /// Measures the author's memory, each scheme in a new process. Uses this process if the command
    /// line requests only the memory of one scheme.
    fn memory(&self, report: &mut Report) -> Outcome<()> {
        let is_alone = self.experiments.len() == 1 && self.schemes.len() == 1;
        for &kind in &self.schemes {
            let (sizes, _) = self.sizes(kind);
            let largest = sizes.iter().max().copied().unwrap_or_default();
            match kind {
                _ if !is_alone => memory::of_another_process(kind, largest, report)?,
                LogKind::Counted => memory::of_this_process::<AadCounted>(largest, report)?,
                LogKind::Frontier => memory::of_this_process::<AadFrontier>(largest, report)?,
            }
        }
        Ok(())
    }

    fn measure<S: DictionaryScheme>(
        &self,
        kind: LogKind,
        workers: &Workers,
        report: &mut Report,
    ) -> Outcome<()> {
        let asks = |experiment| self.experiments.contains(&experiment);
        if self.experiments == [Experiment::Memory] {
            return Ok(());
        }
        let (sizes, appends) = self.sizes(kind);
        let sizes: BTreeSet<u64> = sizes.iter().copied().collect();
        // Visits are measured with one scheme and the first number of threads. Bytes do not depend
        // on the number of threads.
        let visits = asks(Experiment::Bandwidth)
            && kind == LogKind::Counted
            && workers.threads() == self.threads[0].get();
        let appended = Some(&appends).filter(|_| asks(Experiment::WorstCase));
        let visited = self.bandwidth_elements.iter().filter(|_| visits);
        let largest = sizes.iter().chain(appended).chain(visited).max();
        report.announce(format!("{}: parameters and primitives", S::NAME));
        let parameters = parameters::<S>(largest.copied().unwrap_or_default())?;
        let primitives = Primitives::measure::<S>(&parameters, report)?;
        let mut bench = AadBench::<S> {
            log: log(parameters.clone(), Schedule::Eager)?,
            parameters,
            primitives,
            workers,
            report,
        };
        let proofs = [Experiment::Lookup, Experiment::AppendOnly].map(asks);
        if proofs.contains(&true) {
            bench.proofs(&sizes, proofs)?;
        }
        if asks(Experiment::Append) {
            let longest = Duration::from_secs(self.longest);
            for size in &sizes {
                bench.append(*size, &self.batches, longest)?;
            }
        }
        if asks(Experiment::WorstCase) {
            bench.worst_case(appends)?;
        }
        if visits {
            bench.bandwidth(&self.bandwidth_elements)?;
        }
        Ok(())
    }
}

/// Benchmarks of the log scheme `S` on one set of worker threads.
struct AadBench<'a, S: DictionaryScheme> {
    parameters: Arc<Parameters>,
    log: Log<S>,
    primitives: Primitives,
    workers: &'a Workers,
    report: &'a mut Report,
}

impl<S: DictionaryScheme> AadBench<'_, S> {
    /// Measures proofs of a log at each of `sizes`, which are powers of two. Lookups are also
    /// measured at `size - 1` entries, where the log consists of the most trees.
    fn proofs(&mut self, sizes: &BTreeSet<u64>, [look_ups, growth]: [bool; 2]) -> Outcome<()> {
        let mut grown = GrowingLog::new(&self.log, grown::entries(sizes), self.workers)?;
        for &size in sizes {
            self.report
                .announce(format!("{}: a log of {size}", S::NAME));
            grown.grow(size - 1, BATCH)?;
            if look_ups {
                self.look_ups(&grown, size, &proofs::VALUES)?;
            }
            grown.grow(size, BATCH)?;
            if look_ups {
                self.look_ups(&grown, size, &proofs::VALUES)?;
                self.inclusion(&grown)?;
            }
            if growth {
                self.growth(&grown)?;
            }
        }
        let largest = sizes.last().copied().unwrap_or_default();
        if look_ups {
            self.computed(largest)?;
        }
        Ok(())
    }

    /// Reports a result line of the scheme.
    fn measured(&mut self, line: Line) -> Outcome<()> {
        self.report.measured(of_scheme::<S>(line))
    }
}

/// Adds to a result line the scheme `S`, and null for each of [`KEYS`] that the line lacks.
fn of_scheme<S: DictionaryScheme>(line: Line) -> Line {
    line.with_all(KEYS).and("scheme", S::NAME)
}

/// Keys that every result line of `bench aad` has, in addition to `scheme`.
const KEYS: &str = "n batch threads append_us append_limit_us prove_us verify_us verify_limit_us \
    proof_bytes memory_bytes_per_element";

/// Generates public parameters for trees of up to `largest` entries, a power of two.
pub(crate) fn parameters<S: DictionaryScheme>(largest: u64) -> Outcome<Arc<Parameters>> {
    let powers = counts::degree::<S>(u8::try_from(largest.ilog2())?);
    let secret = BilinearSecretKey::generate(powers, 1, b"bench", &Workers::all_cores())?;
    Ok(secret.public_key().shared_parameters())
}

/// Creates an empty log whose largest possible tree uses all powers in `parameters`.
fn log<S: DictionaryScheme>(parameters: Arc<Parameters>, schedule: Schedule) -> Outcome<Log<S>> {
    let largest = parameters.capacity() / counts::degree::<S>(0);
    let shape = Shape::new(u8::try_from(largest.ilog2())?, schedule).ok_or("no such shape")?;
    Ok(Log::new("bench".into(), Setup::new(parameters, shape)))
}
