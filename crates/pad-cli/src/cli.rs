//! The command line: arguments, and one module for each group of commands.

use std::{
    env,
    ffi::OsStr,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    process::ExitCode,
};

use clap::{
    Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, builder::Resettable,
};

mod advise;
mod at;
mod change;
mod directory;
mod failure;
#[cfg(feature = "file")]
mod file;
mod files;
mod history;
#[cfg(any(feature = "file", feature = "network"))]
mod host;
mod import;
mod info;
mod inspect;
mod keygen;
#[cfg(feature = "network")]
mod listen;
mod maintain;
#[cfg(feature = "network")]
mod memory;
#[cfg(feature = "network")]
mod mirror;
mod output;
#[cfg(feature = "log")]
mod parameters;
#[cfg(feature = "passphrase")]
mod passphrase;
mod progress;
mod proof;
#[cfg(feature = "network")]
mod push;
mod quantity;
mod query;
#[cfg(feature = "network")]
mod remote;
mod secret;
#[cfg(feature = "network")]
mod serve;
mod session;
mod shell;
mod signer;
mod source;
mod status;
mod transfer;
#[cfg(feature = "network")]
mod witness;

pub(crate) use failure::{Failure, Result};
pub(crate) use output::{Output, counted};

/// Publish, query and verify persistent authenticated dictionaries.
#[derive(Debug, Parser)]
#[command(name = "pad", version, max_term_width = 80)]
#[command(after_long_help = "\
First steps:
  pad keygen --out author.key
  pad import --store prices.pad --key author.key prices.csv
  pad get --store prices.pad --public author.key.pub apple

PAD_STORE, PAD_PUBLIC, PAD_VIEW, PAD_KEY and PAD_SERVER set the options of these
names. PAD_PASSPHRASE_FILE names a file with the passphrase of a secret key.
Exit status: 0 answered (present or absent), 1 absent (get --raw), 2 wrong usage
or input, 3 verification failed, 4 the store, the file system or the server failed.")]
pub(crate) struct Arguments {
    /// Write output and errors as JSON, one object per line.
    #[arg(long, global = true)]
    json: bool,
    /// Read and write keys and values as hexadecimal digits.
    #[arg(long, global = true)]
    hex: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create the key pair of a new dictionary.
    Keygen(keygen::Keygen),
    /// Create the public parameters of append-only logs.
    ///
    /// They are read from the file of a published ceremony, or generated for tests.
    #[cfg(feature = "log")]
    Parameters(parameters::Parameters),
    /// Import a trace, one signed version per snapshot.
    ///
    /// The trace has the columns snapshot,op,key,value. A trace with the columns op,key,value or
    /// key,value is one version. A repeated import compares and skips what the store has already.
    ///
    /// A snapshot larger than --memory is sorted in a file next to the store, if the store keeps
    /// its nodes in a file. Other stores hold the snapshot in memory.
    Import(import::Import),
    /// Set the value of a key in the next version.
    Put(change::Put),
    /// Remove a key in the next version.
    Remove(change::Remove),
    /// Sign the pending changes as the next version.
    Commit(change::Commit),
    /// Drop pending changes.
    Reset(status::Reset),
    /// Show key, scheme, versions and pending changes of a store.
    ///
    /// Also shows the numbers of entries and the size. Nothing is verified. To verify, use pad
    /// check or pad get.
    Status(status::Status),
    /// List versions with their roots, names and times.
    ///
    /// Only the store or server vouches for names, times, and numbers of changes and entries,
    /// except in lines with the word signed.
    Versions(query::Versions),
    /// Look up a key in a version.
    Get(query::Get),
    /// List the entries in a range of keys.
    Range(query::Range),
    /// List the versions in which a key changed.
    History(history::History),
    /// List the keys that differ between two versions.
    Diff(history::Diff),
    /// Write the proof of a lookup to a file.
    Prove(proof::Prove),
    /// Write the proof that one version of a log contains another.
    ProveAppendOnly(proof::ProveAppendOnly),
    /// Verify a proof file with only the public key.
    Verify(proof::Verify),
    /// Show the types and contents of files, unverified.
    ///
    /// Recognizes proofs, keys, views, updates, stores, evidence, policies and traces.
    Info(info::Info),
    /// Show each step of the verification of a proof.
    Inspect(inspect::Inspect),
    /// Verify evidence that an author's key signed two histories.
    Evidence(proof::Evidence),
    /// Write the public key file of a secret key again.
    Public(keygen::Public),
    /// Set, change or remove the passphrase of a secret key.
    #[cfg(feature = "passphrase")]
    Passphrase(secret::SetPassphrase),
    /// Write signed updates to a file, for another server.
    Export(transfer::Export),
    /// Verify signed updates and add them to a store.
    ///
    /// No secret key is needed.
    Apply(transfer::Apply),
    /// Drop all versions before a given one.
    Prune(maintain::Prune),
    /// Store the latest version's nodes together, for fewer reads.
    ///
    /// After many small versions, the path to a key crosses the blocks of many of them. After
    /// compaction, lookups in the latest version and in later ones read few blocks. No answer
    /// changes.
    ///
    /// The file grows by the nodes written, until pad prune copies the kept versions. Compact a
    /// store that is larger than memory, after many versions were published.
    Compact(maintain::Compact),
    /// Verify everything in a store again.
    Check(maintain::Check),
    /// Serve dictionaries over HTTP to clients that verify answers.
    #[cfg(feature = "network")]
    Serve(serve::Serve),
    /// Follow other servers of a dictionary, verify and serve it.
    #[cfg(feature = "network")]
    Mirror(mirror::MirrorCommand),
    /// Forward requests to the servers that keep the data.
    #[cfg(feature = "network")]
    Route(mirror::Route),
    /// Cosign checkpoints of transparency logs, or make keys.
    ///
    /// A checkpoint is cosigned only if it continues the previous one.
    #[cfg(feature = "network")]
    Witness(witness::WitnessCommand),
    /// Send servers the versions of a store that they lack.
    #[cfg(feature = "network")]
    Push(push::Push),
    /// Keep files on an untrusted server: upload, edit, audit.
    #[cfg(feature = "file")]
    #[command(
        subcommand,
        after_help = "Examples:\n  pad file upload --state thesis.state thesis.pdf\n  \
                      pad file read --state thesis.state --out copy.pdf"
    )]
    File(file::FileCommand),
    /// Register objects by digest in numbered entries on disk.
    ///
    /// Each object has one entry, whose id is the next number. The author adds, changes and deletes
    /// entries in signed versions. The folder is enough to answer for the latest version, and the
    /// public key file is enough to verify answers.
    #[command(
        subcommand,
        after_help = "Examples:\n  pad directory create photographs --key directory.key\n  \
                      pad directory append photographs --key directory.key a.jpg b.jpg"
    )]
    Directory(directory::DirectoryCommand),
    /// Recommend a scheme for a load, with costs and reasons.
    ///
    /// Costs are per month, for each scheme.
    Advise(Box<advise::Advise>),
    /// Print a shell completion script.
    Completions(shell::Completions),
    /// Write the manual pages to a folder.
    Man(shell::Man),
}

/// The store to read or write.
#[derive(Clone, Debug, Default, Args)]
struct StoreArgument {
    /// The store's file.
    #[arg(long, value_name = "FILE", env = STORE_VARIABLE)]
    store: PathBuf,
}

/// Environment variables that replace options that are not given.
const STORE_VARIABLE: &str = "PAD_STORE";
const PUBLIC_VARIABLE: &str = "PAD_PUBLIC";
const VIEW_VARIABLE: &str = "PAD_VIEW";
const KEY_VARIABLE: &str = "PAD_KEY";
#[cfg(feature = "network")]
const SERVER_VARIABLE: &str = "PAD_SERVER";

/// Options for a command that may create a store.
#[derive(Debug, Default, Args)]
struct NewStoreArguments {
    /// The public parameters of an append-only log, copied into a new store.
    ///
    /// Needed unless the key was made with the built-in parameters.
    #[cfg(feature = "log")]
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
}

/// Parses the command line and the environment variables. Empty variables are ignored.
pub(crate) fn arguments() -> Result<Arguments, clap::Error> {
    let command = with_groups(without_empty_variables(Arguments::command()));
    let mut matches = command.try_get_matches()?;
    Arguments::from_arg_matches_mut(&mut matches)
}

/// Groups of commands in the help of `pad`. Commands that a build does not support are not listed.
const COMMAND_GROUPS: [(&str, &str); 5] = [
    (
        "Keys and changes",
        "keygen public passphrase parameters import put remove commit reset",
    ),
    (
        "Queries and proofs",
        "get range history diff versions prove prove-append-only verify inspect evidence",
    ),
    ("Stores", "status info check prune compact export apply"),
    ("Servers", "serve mirror route push witness"),
    ("Other", "file directory advise completions man"),
];

/// Lists the subcommands of `command` by group in the command's help.
fn with_groups(command: clap::Command) -> clap::Command {
    let row = |name: &str| {
        let about = command.find_subcommand(name)?.get_about()?;
        Some(format!("  {name:17}  {about}\n"))
    };
    let group = |(heading, names): &(&str, &str)| {
        let rows: String = names.split(' ').filter_map(row).collect();
        format!("{heading}:\n{rows}")
    };
    let groups: String = COMMAND_GROUPS.iter().map(group).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\n\
         Options:\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| env::var_os(name).is_some_and(|value| value.is_empty());
    let command = command.mut_args(|argument| {
        if argument.get_env().is_some_and(is_empty) {
            argument.env(Resettable::Reset)
        } else {
            argument
        }
    });
    command.mut_subcommands(without_empty_variables)
}

/// Runs the command. An error is written to standard error as one line, followed by a line `help:`
/// if there is advice. With `--json`, errors are objects.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let output = &mut Output::new(arguments.json, arguments.hex);
    let done = guarded(|| arguments.command.run(output));
    match done.and_then(|()| output.finish()) {
        Ok(()) | Err(Failure::NobodyReads) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failed(&failure);
            ExitCode::from(failure.class().0)
        }
    }
}

/// Reports a usage error, or prints the requested help or version. With `--json`, the error is an
/// object.
pub(crate) fn wrong_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        drop(error.print());
        return ExitCode::SUCCESS;
    }
    if env::args_os().any(|argument| argument == "--json") {
        let text = error.to_string();
        // Takes the lines of clap's message before the first empty line: the error and its list.
        let said = text.lines().take_while(|line| !line.trim().is_empty());
        let said: Vec<_> = said.map(str::trim).collect();
        let message = said.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        output::say_failure(true, (2, "input"), (message, None));
    } else {
        drop(error.print());
    }
    ExitCode::from(2)
}

/// Converts a panic of `work` to [`Failure::Store`], because the storage engine panics on some
/// damaged files.
fn guarded(work: impl FnOnce() -> Result) -> Result {
    if env::var_os("RUST_BACKTRACE").is_none_or(|wanted| wanted == "0") {
        panic::set_hook(Box::new(|_| {}));
    }
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let failure = Failure::Store("the store is unreadable, or pad has a bug".into());
        Err(failure.help("set RUST_BACKTRACE=1 to see where it fails"))
    })
}

impl Command {
    fn run(&self, output: &mut Output) -> Result {
        match self {
            Self::Keygen(command) => command.run(output),
            #[cfg(feature = "log")]
            Self::Parameters(command) => command.run(output),
            Self::Import(command) => command.run(output),
            Self::Put(command) => command.run(output),
            Self::Remove(command) => command.run(output),
            Self::Commit(command) => command.run(output),
            Self::Reset(command) => command.run(output),
            Self::Status(command) => command.run(output),
            Self::Versions(command) => command.run(output),
            Self::Get(command) => command.run(output),
            Self::Range(command) => command.run(output),
            Self::History(command) => command.run(output),
            Self::Diff(command) => command.run(output),
            Self::Prove(command) => command.run(output),
            Self::ProveAppendOnly(command) => command.run(output),
            Self::Verify(command) => command.run(output),
            Self::Info(command) => command.run(output),
            Self::Inspect(command) => command.run(output),
            Self::Evidence(command) => command.run(output),
            Self::Public(command) => command.run(output),
            #[cfg(feature = "passphrase")]
            Self::Passphrase(command) => command.run(output),
            Self::Export(command) => command.run(output),
            Self::Apply(command) => command.run(output),
            Self::Prune(command) => command.run(output),
            Self::Compact(command) => command.run(output),
            Self::Check(command) => command.run(output),
            #[cfg(feature = "network")]
            Self::Serve(command) => command.run(output),
            #[cfg(feature = "network")]
            Self::Mirror(command) => command.run(output),
            #[cfg(feature = "network")]
            Self::Route(command) => command.run(output),
            #[cfg(feature = "network")]
            Self::Witness(command) => command.run(output),
            #[cfg(feature = "network")]
            Self::Push(command) => command.run(output),
            #[cfg(feature = "file")]
            Self::File(command) => command.run(output),
            Self::Directory(command) => command.run(output),
            Self::Advise(command) => command.run(output),
            Self::Completions(command) => command.run(output),
            Self::Man(command) => command.run(output),
        }
    }
}
