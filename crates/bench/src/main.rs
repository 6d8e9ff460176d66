//! The report: `cargo run --release -p bench -- tree --json`. See the crate's README.md.

use std::{
    fs,
    io::{Write, stdout},
    num::NonZeroUsize,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use ::accumulators::rsa::RepresentativeRule;
use bench::{
    Outcome,
    accumulators::{self, AccumulatorRecord, BilinearBench, Plan, RsaBench},
    batch::Batches,
    configuration::{Configuration, Job, SUITES, repositories, schemes, trees},
    figures,
    flexlist::{self, FlexlistArguments, FlexlistLine, cut::CutArguments},
    machine::Machine,
    primitives::Primitives,
    process::{Order, Role},
    record::{PrimitivesRecord, TreeRecord},
    tables,
    timing::Effort,
    tuple::{self, TupleArguments, TupleLine},
    workload::{Experiment, Workload},
};
use clap::{Args, Parser, Subcommand, builder::PossibleValuesParser};
use indicatif::{ProgressBar, ProgressStyle};
use pad_core::Suite;
use pad_tree::{Authenticated, VersionedStore};
use serde::{Serialize, de::DeserializeOwned};

#[derive(Debug, Parser)]
#[command(about = "Measures the dictionaries of this workspace", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The tree dictionaries: growing and steady-state microbenchmarks.
    Tree(TreeArguments),
    /// Large snapshots of one tree dictionary on several threads.
    Batch(BatchArguments),
    /// The accumulators: every operation beside the primitive that bounds it.
    Accumulators(AccumulatorArguments),
    /// The tuple dictionaries beside a red-black tree: tables 7 to 11, figures 7 and 8.
    Tuple(TupleArguments),
    /// The outsourced files: building, updates, audits, version-control traces; figures 6 to 10, table 2.
    Flexlist(FlexlistArguments),
    /// Cuts a version-control trace, numbers only, from a local git repository.
    FlexlistTrace(CutArguments),
    /// Hashes and signatures of each suite.
    Primitives(PrimitivesArguments),
    /// Tables and plots from the lines of `tree --json` and `tuple --json`; tables of `flexlist --json`.
    Figures(FiguresArguments),
    /// One measurement in this process; what the others start.
    #[command(hide = true)]
    Measure {
        #[command(subcommand)]
        role: Role,
    },
}

#[derive(Debug, Args)]
struct TreeArguments {
    /// One JSON object per line instead of tables.
    #[arg(long)]
    json: bool,
    /// The numbers of keys.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [10_000, 100_000],
        value_parser = clap::value_parser!(u64).range(2..),
    )]
    keys: Vec<u64>,
    /// Only these schemes.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(schemes()))]
    scheme: Vec<String>,
    /// Only these repositories.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(repositories()))]
    repository: Vec<String>,
    /// The suites.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = SUITES[0],
        value_parser = PossibleValuesParser::new(SUITES),
    )]
    suite: Vec<String>,
    /// Only this microbenchmark.
    #[arg(long)]
    experiment: Option<Experiment>,
    /// The number of snapshots in steady state; without it, as many as keys, at most 10000.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    snapshots: Option<u64>,
    /// Measure little: to see that everything works.
    #[arg(long)]
    quick: bool,
}

#[derive(Debug, Args)]
struct BatchArguments {
    /// One JSON object per line instead of a table.
    #[arg(long)]
    json: bool,
    /// The numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<NonZeroUsize>,
    /// The number of keys.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    keys: u64,
    /// The number of updates in each snapshot.
    #[arg(long, default_value_t = 10_000)]
    batch: usize,
    /// The number of snapshots.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    snapshots: u64,
    /// The scheme.
    #[arg(
        long,
        default_value = "red-black",
        value_parser = PossibleValuesParser::new(schemes()),
    )]
    scheme: String,
    /// The repository.
    #[arg(
        long,
        default_value = "path-copying",
        value_parser = PossibleValuesParser::new(repositories()),
    )]
    repository: String,
    /// The suite.
    #[arg(long, default_value = SUITES[0], value_parser = PossibleValuesParser::new(SUITES))]
    suite: String,
}

#[derive(Debug, Args)]
struct AccumulatorArguments {
    /// One JSON object per line instead of a table.
    #[arg(long)]
    json: bool,
    /// The numbers of elements.
    #[arg(
        long,
        value_delimiter = ',',
        default_values_t = [1_000, 10_000, 100_000],
        value_parser = clap::value_parser!(u64).range(1..=10_000_000),
    )]
    elements: Vec<u64>,
    /// The numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<NonZeroUsize>,
    /// Only this scheme.
    #[arg(long, value_parser = PossibleValuesParser::new(["rsa", "bilinear"]))]
    accumulator: Option<String>,
    /// Leave out what is expected to take more seconds than this.
    #[arg(long, default_value_t = 300)]
    longest: u64,
    /// Measure little: to see that everything works.
    #[arg(long)]
    quick: bool,
}

#[derive(Debug, Args)]
struct PrimitivesArguments {
    /// One JSON object per line instead of a table.
    #[arg(long)]
    json: bool,
    /// Measure little: to see that everything works.
    #[arg(long)]
    quick: bool,
}

#[derive(Debug, Args)]
struct FiguresArguments {
    /// A file of lines from `tree`, `tuple` or `flexlist`, each with `--json`; other lines are skipped.
    #[arg(long)]
    from: PathBuf,
    /// The folder for the plots.
    #[arg(long, default_value = "target/figures")]
    out: PathBuf,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Tree(arguments) => report_trees(&arguments),
        Command::Batch(arguments) => report_batches(arguments),
        Command::Accumulators(arguments) => report_accumulators(&arguments),
        Command::Tuple(arguments) => report_tuples(&arguments),
        Command::Flexlist(arguments) => flexlist::command::report(&arguments),
        Command::FlexlistTrace(arguments) => flexlist::command::cut(&arguments),
        Command::Primitives(arguments) => report_primitives(&arguments),
        Command::Figures(arguments) => draw_figures(&arguments),
        Command::Measure { role } => role.follow(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report_trees(arguments: &TreeArguments) -> Outcome<()> {
    let machine = Machine::current();
    let runs = arguments.runs();
    let total: usize = runs.iter().map(|run| run.repositories.len()).sum();
    let progress = ProgressBar::new(u64::try_from(total)?);
    let style = "{bar:30} {pos}/{len} {msg} ({elapsed}, about {eta} left)";
    progress.set_style(ProgressStyle::with_template(style)?);
    let mut records = Vec::new();
    for run in runs {
        let folder = tempfile::tempdir()?;
        let order = |repository: &str| {
            Order::new(
                &run.workload,
                &run.configuration(repository),
                folder.path(),
                arguments.quick,
            )
        };
        let mut author = None;
        for repository in &run.repositories {
            let keys = run.workload.keys();
            progress.set_message(format!("{} {repository}, {keys} keys", run.scheme));
            let order = order(repository);
            let author = match &author {
                Some(pass) => pass,
                None => &*author.insert(order.measure_author()?),
            };
            let record = order.measure_server(author, &machine)?;
            progress.inc(1);
            if arguments.json {
                progress.suspend(|| print_line(&record))?;
            }
            records.push(record);
        }
    }
    progress.finish_and_clear();
    if !arguments.json {
        write!(stdout(), "{}", tables::report(&records))?;
    }
    Ok(())
}

/// One author, and the servers that apply its updates.
struct Run {
    workload: Workload,
    suite: String,
    scheme: &'static str,
    repositories: Vec<&'static str>,
}

impl Run {
    fn configuration(&self, repository: &str) -> Configuration {
        Configuration {
            scheme: self.scheme.to_owned(),
            repository: repository.to_owned(),
            suite: self.suite.clone(),
        }
    }
}

impl TreeArguments {
    /// Everything to measure: growing, then steady state; red-black at more sizes, for figure 5.
    fn runs(&self) -> Vec<Run> {
        let wanted = |experiment| self.experiment.is_none_or(|only| only == experiment);
        let mut runs = Vec::new();
        for suite in &self.suite {
            if wanted(Experiment::Growing) {
                for keys in &self.keys {
                    runs.extend(self.runs_of(Workload::growing(*keys), suite, |_| true));
                }
            }
            if wanted(Experiment::SteadyState) {
                for keys in self.steady_sizes() {
                    let snapshots = self.snapshots.unwrap_or_else(|| keys.min(10_000));
                    let workload = Workload::steady_state(keys, snapshots);
                    let only_figure_5 = !self.keys.contains(&keys);
                    runs.extend(self.runs_of(workload, suite, |scheme| {
                        scheme == "red-black" || !only_figure_5
                    }));
                }
            }
        }
        runs
    }

    fn runs_of(
        &self,
        workload: Workload,
        suite: &str,
        includes: impl Fn(&str) -> bool,
    ) -> Vec<Run> {
        let chosen =
            |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
        let run = |scheme| Run {
            workload,
            suite: suite.to_owned(),
            scheme,
            repositories: trees()
                .into_iter()
                .filter(|(of, repository)| *of == scheme && chosen(&self.repository, repository))
                .map(|(_, repository)| repository)
                .collect(),
        };
        let chosen = schemes()
            .into_iter()
            .filter(|name| chosen(&self.scheme, name) && includes(name));
        chosen.map(run).collect()
    }

    /// 1, 2, 5, 10, .. thousand up to the largest number of keys, and all numbers of keys.
    fn steady_sizes(&self) -> Vec<u64> {
        let largest = self.keys.iter().copied().max().unwrap_or(0);
        let decades = (3..19).map(|exponent| 10_u64.pow(exponent));
        let mut sizes: Vec<u64> = decades
            .flat_map(|decade| [1, 2, 5].map(|factor| factor * decade))
            .take_while(|size| *size <= largest)
            .chain(self.keys.iter().copied())
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

fn report_batches(arguments: BatchArguments) -> Outcome<()> {
    let BatchArguments {
        json,
        threads,
        keys,
        batch,
        snapshots,
        scheme,
        repository,
        suite,
    } = arguments;
    let configuration = Configuration {
        scheme,
        repository,
        suite,
    };
    let batches = Batches {
        keys,
        batch,
        snapshots,
        threads,
    };
    let records = configuration
        .run(&batches)
        .ok_or("unknown configuration")??;
    if json {
        return records.iter().try_for_each(print_line);
    }
    Ok(writeln!(stdout(), "{}", tables::batches(&records))?)
}

fn report_accumulators(arguments: &AccumulatorArguments) -> Outcome<()> {
    let mut sizes = Vec::new();
    for &size in &arguments.elements {
        sizes.push(usize::try_from(size)?);
    }
    sizes.sort_unstable();
    sizes.dedup();
    let plan = Plan {
        sizes,
        threads: arguments.threads.clone(),
        longest: Duration::from_secs(arguments.longest),
        quick: arguments.quick,
    };
    let wanted = |name| {
        arguments
            .accumulator
            .as_deref()
            .is_none_or(|only| only == name)
    };
    let progress = ProgressBar::new_spinner();
    progress.set_style(ProgressStyle::with_template("{spinner} {msg} ({elapsed})")?);
    progress.enable_steady_tick(Duration::from_millis(200));
    let mut records = Vec::new();
    let mut emit = |record: AccumulatorRecord| {
        progress.set_message(format!("{} {}", record.accumulator, record.operation));
        if arguments.json {
            progress.suspend(|| print_line(&record))?;
        }
        records.push(record);
        Ok(())
    };
    if wanted("bilinear") {
        accumulators::run(&BilinearBench::new(&plan)?, &plan, &mut emit)?;
    }
    if wanted("rsa") {
        for rule in [RepresentativeRule::Wide, RepresentativeRule::Compact] {
            accumulators::run(&RsaBench::new(rule, &plan)?, &plan, &mut emit)?;
        }
    }
    progress.finish_and_clear();
    if !arguments.json {
        writeln!(stdout(), "{}", accumulators::table(&records))?;
    }
    Ok(())
}

fn report_tuples(arguments: &TupleArguments) -> Outcome<()> {
    let progress = ProgressBar::new_spinner();
    progress.set_style(ProgressStyle::with_template("{spinner} {msg} ({elapsed})")?);
    progress.enable_steady_tick(Duration::from_millis(200));
    let mut report = TupleReport {
        progress,
        json: arguments.json,
        lines: Vec::new(),
    };
    tuple::run(arguments, &mut report)?;
    report.progress.finish_and_clear();
    if !arguments.json {
        write!(stdout(), "{}", tuple::table::report(&report.lines))?;
    }
    Ok(())
}

/// Prints lines as they come, or collects them for tables.
struct TupleReport {
    progress: ProgressBar,
    json: bool,
    lines: Vec<TupleLine>,
}

impl tuple::Reporter for TupleReport {
    fn announce(&mut self, what: &str) {
        self.progress.set_message(what.to_owned());
    }

    fn line(&mut self, line: TupleLine) -> Outcome<()> {
        if self.json {
            self.progress.suspend(|| print_line(&line))?;
        }
        self.lines.push(line);
        Ok(())
    }
}

fn report_primitives(arguments: &PrimitivesArguments) -> Outcome<()> {
    let effort = Effort::new(arguments.quick);
    let mut records = Vec::new();
    for suite in SUITES {
        let (scheme, repository) = trees()[0];
        let configuration = Configuration {
            scheme: scheme.to_owned(),
            repository: repository.to_owned(),
            suite: suite.to_owned(),
        };
        let record = configuration
            .run(SuitePrimitives(effort))
            .ok_or("unknown suite")?;
        if arguments.json {
            print_line(&record)?;
        }
        records.push(record);
    }
    if !arguments.json {
        writeln!(stdout(), "{}", tables::primitives(&records))?;
    }
    Ok(())
}

/// Measures a suite's primitives.
struct SuitePrimitives(Effort);

impl Job for SuitePrimitives {
    type Output = PrimitivesRecord;

    fn run<S: Suite, St>(self) -> PrimitivesRecord
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    {
        PrimitivesRecord {
            experiment: "primitives".to_owned(),
            suite: S::NAME.to_owned(),
            threads: 1,
            primitives: Primitives::measure_all::<S>(&self.0),
            machine: Machine::current(),
        }
    }
}

fn draw_figures(arguments: &FiguresArguments) -> Outcome<()> {
    let text = fs::read_to_string(&arguments.from)
        .map_err(|error| format!("{}: {error}", arguments.from.display()))?;
    let records: Vec<TreeRecord> = parse_lines(&text);
    let lines: Vec<TupleLine> = parse_lines(&text);
    let from = arguments.from.display();
    let mut files = Vec::new();
    if !records.is_empty() {
        write!(stdout(), "{}", tables::report(&records))?;
        files.extend(figures::draw(&records, &arguments.out)?);
    }
    if !lines.is_empty() {
        write!(stdout(), "{}", tuple::table::report(&lines))?;
        files.extend(figures::draw_tuples(&lines, &arguments.out)?);
    }
    let outsourced: Vec<FlexlistLine> = parse_lines(&text);
    if !outsourced.is_empty() {
        write!(stdout(), "{}", flexlist::table::report(&outsourced))?;
    }
    if records.is_empty() && lines.is_empty() && outsourced.is_empty() {
        return Err(
            format!("{from}: no line of `tree`, `tuple` or `flexlist` with `--json`").into(),
        );
    }
    for file in files {
        writeln!(stdout(), "{}", file.display())?;
    }
    Ok(())
}

/// The lines that are records of this kind.
fn parse_lines<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let parse = |line| serde_json::from_str(line).ok();
    text.lines().filter_map(parse).collect()
}

fn print_line(record: &impl Serialize) -> Outcome<()> {
    Ok(writeln!(stdout(), "{}", serde_json::to_string(record)?)?)
}
