//! Append-only dictionaries: appending, look-ups, append-only proofs and memory, each beside what its sums, points and pairings
//! alone take in the same run.
//!
//! Source: Tomescu, Bhupatiraju, Papadopoulos, Papamanthou, Triandopoulos, Devadas 2019, section 6.1.

use std::{num::NonZeroUsize, time::Duration};

use aad::{AadCounted, Log, Schedule, Setup, Shape};
use accumulators::{SecretKey as _, bilinear::BilinearSecretKey};
use clap::Args;
use pad_core::Workers;

use crate::{Outcome, line, line::Line, report::Report};

mod append;
mod grown;
mod limits;
mod proofs;
pub mod table;

use grown::{Cuts, Grown};
use limits::Primitives;

/// The scheme that is measured.
type Scheme = AadCounted;

/// The command line of `bench aad`.
#[derive(Clone, Debug, Args)]
pub struct AadArguments {
    /// One JSON object per line instead of tables.
    #[arg(long)]
    json: bool,
    /// The numbers of entries, powers of two from 32 on.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [512, 8_192],
        value_parser = clap::value_parser!(u64).range(32..=1 << 20),
    )]
    elements: Vec<u64>,
    /// The numbers of entries in each version of the append experiment, as far as they are not larger than the log.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [1, 32, 512, 8_192],
        value_parser = clap::value_parser!(u64).range(1..=1 << 20),
    )]
    batches: Vec<u64>,
    /// The numbers of threads of author and server.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<NonZeroUsize>,
    /// Batches that are expected to take more seconds than this are left out.
    #[arg(long, default_value_t = 60)]
    longest: u64,
    /// Measure little: to see that everything works.
    #[arg(long)]
    quick: bool,
}

impl AadArguments {
    /// Measures what is asked for.
    pub fn run(&self) -> Outcome<()> {
        let mut sizes = self.elements.clone();
        if let Some(size) = sizes.iter().find(|size| !size.is_power_of_two()) {
            return Err(format!("{size} is not a power of two").into());
        }
        sizes.sort_unstable_by(|first, second| second.cmp(first));
        sizes.dedup();
        let largest = sizes.first().copied().unwrap_or(32);
        let mut report = Report::new(self.json, self.quick)?;
        report.announce("parameters");
        let bench = AadBench {
            log: log(largest)?,
            batches: &self.batches,
            longest: Duration::from_secs(self.longest),
        };
        for threads in &self.threads {
            bench.run(&sizes, &Workers::new(*threads)?, &mut report)?;
        }
        report.finish(table::report)
    }
}

/// What to measure beside the numbers of entries.
struct AadBench<'a> {
    log: Log<Scheme>,
    batches: &'a [u64],
    longest: Duration,
}

impl AadBench<'_> {
    /// Measures all numbers of entries, the largest first: only then is the process's memory that of the log.
    fn run(&self, sizes: &[u64], workers: &Workers, report: &mut Report) -> Outcome<()> {
        let mut first = None;
        if let Some(size) = sizes.first() {
            report.announce(format!("a log of {size}"));
            let grown = Grown::new(&self.log, *size, Cuts::Marked, workers)?;
            measured(
                report,
                line! {
                    experiment: "aad_memory",
                    n: *size,
                    threads: workers.threads(),
                    memory_bytes_per_element: grown.resident_bytes / *size as f64,
                    entry_bytes: grown::ENTRY_BYTES,
                },
            )?;
            first = Some(grown);
        }
        let largest = sizes.first().copied().unwrap_or(0);
        report.announce("primitives");
        let primitives = Primitives::measure(self.log.setup().parameters(), largest, report)?;
        for size in sizes {
            let mut grown = match first.take() {
                Some(grown) => grown,
                None => Grown::new(&self.log, *size, Cuts::Marked, workers)?,
            };
            // Before the last entry there are as many trees as there can be, after it there is one.
            proofs::look_ups(&grown, size - 1, &primitives, report)?;
            grown.finish()?;
            proofs::look_ups(&grown, *size, &primitives, report)?;
            self.append(&grown, &primitives, workers, report)?;
            proofs::growth(&grown, &primitives, report)?;
        }
        Ok(())
    }
}

/// Takes a line, with null for what it has not measured.
fn measured(report: &mut Report, line: Line) -> Outcome<()> {
    let missing = KEYS.iter().filter(|key| line.get(key).is_none());
    let missing: Vec<_> = missing.collect();
    let line = missing
        .into_iter()
        .fold(line, |line, key| line.and(key, None::<f64>));
    report.measured(line.and("scheme", <Scheme as aad::Scheme>::NAME))
}

/// What every line has beside `scheme`.
const KEYS: [&str; 10] = [
    "n",
    "batch",
    "threads",
    "append_us",
    "append_limit_us",
    "prove_us",
    "verify_us",
    "verify_limit_us",
    "proof_bytes",
    "memory_bytes_per_element",
];

/// A log with trees of up to `largest` entries.
fn log(largest: u64) -> Outcome<Log<Scheme>> {
    let workers = Workers::all_cores();
    let secret = BilinearSecretKey::generate(largest as usize, 1, b"bench", &workers)?;
    let parameters = secret.public_key().shared_parameters();
    let level = u8::try_from(largest.ilog2())?;
    let shape = Shape::new(level, Schedule::Eager).ok_or("no such shape")?;
    let setup = Setup::new(parameters, shape);
    Ok(Log::new("bench".into(), setup))
}
