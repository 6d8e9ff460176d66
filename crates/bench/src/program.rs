//! The command line of the program `bench`.

use std::{
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use crate::{
    aad::AadArguments,
    accumulators::AccumulatorArguments,
    advice::AdviceArguments,
    compare::CompareArguments,
    directory::DirectoryArguments,
    families::FAMILIES,
    figures,
    flexlist::FlexlistArguments,
    full_report::{PageArguments, ReportArguments, readme::ReadmeArguments, run::read_lines},
    peers::PeersArguments,
    prelude::*,
    stored::StoredArguments,
    tree::{self, BatchArguments, TreeArguments, list, process::Role},
    tuple::TupleArguments,
};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(about = "Measures the dictionaries of this workspace", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measures everything in small steps, and writes a page with the counterpart of every table
    /// and figure of the papers.
    Report(ReportArguments),
    /// Draws the page and its figures again, from the measurements of a report.
    Page(PageArguments),
    /// Writes the tables with measurements in the README and other documents, from the measurements
    /// of a report.
    Readme(ReadmeArguments),
    /// Tree dictionaries: growing from empty, and changing at a constant size.
    Tree(TreeArguments),
    /// Large snapshots of one tree dictionary, on several numbers of threads.
    Batch(BatchArguments),
    /// Accumulators: time of every operation, compared with a lower bound (its primitive alone).
    Accumulators(AccumulatorArguments),
    /// Tuple dictionaries compared with a red-black tree: tables 7 to 11, figures 7 and 8.
    Tuple(TupleArguments),
    /// Append-only dictionaries: appends, look-ups, append-only proofs, memory and bandwidth, next
    /// to the primitives that bound them.
    Aad(AadArguments),
    /// Block directories: block digests, path hints and operations, next to the primitives that
    /// bound them; figures 3 to 5.
    Directory(DirectoryArguments),
    /// Outsourced files: building, updates, audits, version-control traces; figures 6 to 10, table
    /// 2.
    Flexlist(FlexlistArguments),
    /// Every scheme on the same workload: author, server, client, bytes and memory.
    Compare(CompareArguments),
    /// Measures, on this machine, the schemes that could win an advice, for `pad advise --data`;
    /// takes a minute.
    Calibrate(AdviceArguments),
    /// Runs the first schemes of an advice on its load or a smaller one, and compares their costs
    /// with the predicted ones.
    Verify(AdviceArguments),
    /// Trees whose nodes are stored in a log and read on demand, compared with trees in memory.
    Stored(StoredArguments),
    /// Hashes and signatures of each suite.
    Primitives(Manner),
    /// Third-party authenticated dictionaries compared with ours; compiles them first.
    Peers(PeersArguments),
    /// Makes tables and plots from the result lines that `tree`, `tuple`, `aad` and `directory`
    /// print with `--json`. From those of `flexlist` and `peers`, makes only tables.
    Figures(FiguresArguments),
    /// Runs one measurement of `bench tree` in this process, which `bench tree` starts for it.
    #[command(hide = true)]
    Measure {
        /// Part of the measurement: author, server, or a tree in the paper's layout.
        role: Role,
        /// Instructions for the measurement (`Order`), as JSON.
        order: String,
    },
}

#[derive(Debug, Args)]
struct FiguresArguments {
    /// File with result lines that `tree`, `tuple`, `aad`, `directory`, `flexlist` or `peers`
    /// printed with `--json`. Text that is no result line is skipped.
    #[arg(long)]
    from: PathBuf,
    /// Folder for the plots.
    #[arg(long, default_value = "target/figures")]
    out: PathBuf,
}

/// Builds the command line. In its help, lists are comma-separated, and so are their default
/// values.
pub fn command_line() -> clap::Command {
    Arguments::command().mut_subcommands(|command| {
        command.mut_args(|argument| {
            if argument.get_value_delimiter() != Some(',') {
                return argument;
            }
            let name = argument.get_id().as_str().to_uppercase();
            // `clap` needs texts that live as long as the process, so this one is leaked.
            let name = &*format!("{name},..").leak();
            let defaults = argument.get_default_values().to_vec();
            let argument = argument.value_name(name);
            if defaults.len() < 2 {
                return argument;
            }
            let defaults: Vec<_> = defaults.iter().map(|it| it.to_string_lossy()).collect();
            argument.default_value(&*defaults.join(",").leak())
        })
    })
}

/// Runs the command that the arguments of this process name, and returns the exit code.
pub fn main() -> ExitCode {
    let matches = command_line().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match arguments.command {
        Command::Report(arguments) => arguments.run(),
        Command::Page(arguments) => arguments.run(),
        Command::Readme(arguments) => arguments.run(),
        Command::Tree(arguments) => arguments.run(),
        Command::Batch(arguments) => arguments.run(),
        Command::Accumulators(arguments) => arguments.run(),
        Command::Tuple(arguments) => arguments.run(),
        Command::Aad(arguments) => arguments.run(),
        Command::Directory(arguments) => arguments.run(),
        Command::Flexlist(arguments) => arguments.run(),
        Command::Compare(arguments) => arguments.run(),
        Command::Calibrate(arguments) => arguments.calibrate(),
        Command::Verify(arguments) => arguments.verify(),
        Command::Stored(arguments) => arguments.run(),
        Command::Primitives(manner) => tree::primitives(manner),
        Command::Peers(arguments) => arguments.run(),
        Command::Figures(arguments) => draw_figures(&arguments),
        Command::Measure { role, order } => serde_json::from_str(&order)
            .map_err(Into::into)
            .and_then(|order| list::follow(&order, role)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn draw_figures(arguments: &FiguresArguments) -> Outcome<()> {
    let from = arguments.from.display();
    let lines = read_lines(&read_text(&arguments.from)?);
    let mut is_empty = true;
    for family in &FAMILIES {
        let own = family.lines(&lines);
        is_empty &= own.is_empty();
        if !own.is_empty() {
            write!(stdout(), "{}", (family.report)(&own))?;
        }
    }
    if is_empty {
        let error = format!(
            "{from}: no line of `tree`, `tuple`, `accumulators`, `aad`, `directory`, `flexlist` or \
                `peers` with `--json`"
        );
        return Err(error.into());
    }
    for file in figures::draw(&lines, &arguments.out)? {
        writeln!(stdout(), "{}", file.display())?;
    }
    Ok(())
}
