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
mod evidence;
mod failure;
#[cfg(feature = "file")]
mod file;
mod files;
mod history;
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
#[cfg(any(feature = "file", feature = "network", feature = "passphrase"))]
mod permissions;
mod progress;
mod proof;
#[cfg(feature = "network")]
mod push;
mod quantity;
mod query;
#[cfg(feature = "network")]
mod remote;
#[cfg(feature = "network")]
mod route;
mod secret;
#[cfg(feature = "network")]
mod serve;
mod session;
mod shell;
mod source;
mod status;
#[cfg(any(feature = "file", feature = "network"))]
mod tls;
mod transfer;
#[cfg(feature = "network")]
mod witness;

pub(crate) use failure::Failure;
pub(crate) use output::{Output, counted};

/// Publish, query and verify persistent authenticated dictionaries.
///
/// An author publishes signed versions of a dictionary. Whoever has the store answers questions
/// about any version, and whoever has the public key file checks the answers.
///
/// Exit status: 0 an answer, present or absent (the output says which, and whether it is verified); 1
/// absent, where the value alone was asked for (pad get --raw); 2 wrong usage or input; 3 verification
/// failed; 4 the store or the file system failed.
#[derive(Debug, Parser)]
#[command(name = "pad", version, max_term_width = 100)]
#[command(after_help = "\
First steps:
  pad keygen --out author.key
  pad import --store prices.pad --key author.key prices.csv
  pad get --store prices.pad --public author.key.pub apple

PAD_STORE, PAD_PUBLIC, PAD_VIEW, PAD_KEY and PAD_SERVER stand for --store, --public, --view, --key and --server
where these are not given. PAD_PASSPHRASE_FILE names a file with the passphrase of a secret key.")]
pub(crate) struct Arguments {
    /// Write JSON: one object per line, on standard error too.
    #[arg(long, global = true)]
    json: bool,
    /// Keys and values are hexadecimal digits, in arguments and in output.
    #[arg(long, global = true)]
    hex: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a key for a new dictionary: a secret file, and a public file beside it.
    Keygen(keygen::Keygen),
    /// Read the public parameters of append-only logs from a ceremony, or make some for tests.
    #[cfg(feature = "log")]
    Parameters(parameters::Parameters),
    /// Import a trace of updates (CSV: snapshot,op,key,value), one signed version per snapshot.
    ///
    /// Run again, it goes on where it stopped: what is in the store already is compared and skipped. A snapshot that is larger than
    /// --memory is sorted in a file beside the store, if the store keeps its nodes in a file; those of other stores are held in memory.
    Import(import::Import),
    /// Set the value of a key in the next version.
    Put(change::Put),
    /// Remove a key in the next version.
    Remove(change::Remove),
    /// Sign the pending changes as the next version.
    Commit(change::Commit),
    /// Drop pending changes.
    Reset(status::Reset),
    /// Say what is in a store: key, scheme, versions, entries, pending changes, size.
    ///
    /// Nothing is verified: pad check does that, and pad get for what is asked.
    Status(status::Status),
    /// List the versions with their roots, and what the store says of them beside that: names, times, numbers of changes and entries.
    Versions(query::Versions),
    /// Look up a key in a version.
    Get(query::Get),
    /// List the entries from one key on, up to but not including another.
    Range(query::Range),
    /// List the versions in which a key changed.
    History(history::History),
    /// List what changed between two versions.
    Diff(history::Diff),
    /// Write the proof of a look-up into a file that can be verified elsewhere.
    Prove(proof::Prove),
    /// Write the proof that a version of an append-only log contains an older one into a file.
    ProveAppendOnly(proof::ProveAppendOnly),
    /// Verify a proof file with the public key alone.
    Verify(proof::Verify),
    /// Say what files are, and what they bind: proofs, keys, views, updates, stores, evidence, policies, traces.
    Info(info::Info),
    /// Show step by step what checking a proof computes.
    Inspect(inspect::Inspect),
    /// Check evidence that an author's key has signed two histories.
    Evidence(evidence::Evidence),
    /// Write the public half of a secret key again.
    Public(keygen::Public),
    /// Set, change or remove the passphrase of a secret key.
    #[cfg(feature = "passphrase")]
    Passphrase(secret::SetPassphrase),
    /// Write the signed updates that led to one or several versions into a file, for another server.
    Export(transfer::Export),
    /// Verify signed updates from files and add them to a store; needs no secret key.
    Apply(transfer::Apply),
    /// Drop all versions before one.
    Prune(maintain::Prune),
    /// Write the nodes of the latest version once more and together, so that look-ups in it and in later versions read few blocks.
    ///
    /// After many small versions the nodes on the way to a key stand in the blocks of many of them. No answer changes; the file grows by what
    /// is written, until pad prune copies what is kept. It is worth it where the file is larger than memory and many versions were
    /// published since it was loaded.
    Compact(maintain::Compact),
    /// Verify everything in a store again.
    Check(maintain::Check),
    /// Serve dictionaries over HTTP to clients that need not trust this server.
    #[cfg(feature = "network")]
    Serve(serve::Serve),
    /// Follow other servers of a dictionary, verify what they have, and serve it.
    #[cfg(feature = "network")]
    Mirror(mirror::MirrorCommand),
    /// Pass questions about a dictionary to the servers that keep what they are about, and the answers back.
    #[cfg(feature = "network")]
    Route(route::Route),
    /// Cosign the checkpoints of transparency logs, each only if it continues the one before; or make keys for that.
    #[cfg(feature = "network")]
    Witness(witness::WitnessCommand),
    /// Bring servers the versions of a store that they lack.
    #[cfg(feature = "network")]
    Push(push::Push),
    /// Keep files on a server that nobody trusts: upload, edit, read, audit, serve.
    #[cfg(feature = "file")]
    #[command(subcommand)]
    File(file::FileCommand),
    /// Keep the digests of any number of objects, on disk: register, prove, verify, with hints beside the objects.
    #[command(subcommand)]
    Directory(directory::DirectoryCommand),
    /// Say which scheme to choose for a load, what each would cost in a month, and why.
    Advise(Box<advise::Advise>),
    /// Print what a shell needs to complete commands and options.
    Completions(shell::Completions),
    /// Write the manual's pages into a folder.
    Man(shell::Man),
}

/// The store to read or write.
#[derive(Debug, Args)]
struct StoreArgument {
    /// The store's file.
    #[arg(long, value_name = "FILE", env = STORE_VARIABLE)]
    store: PathBuf,
}

/// Environment variables for options that are not given.
const STORE_VARIABLE: &str = "PAD_STORE";
const PUBLIC_VARIABLE: &str = "PAD_PUBLIC";
const VIEW_VARIABLE: &str = "PAD_VIEW";
const KEY_VARIABLE: &str = "PAD_KEY";
#[cfg(feature = "network")]
const SERVER_VARIABLE: &str = "PAD_SERVER";

/// How to make the store, if it is new.
#[derive(Debug, Default, Args)]
struct NewStoreArguments {
    /// The public parameters of an append-only log, of which a new store keeps a copy; needed unless the key was
    /// made with those that come with this program.
    #[cfg(feature = "log")]
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
}

/// Parses the command line and the environment variables. Empty variables are ignored.
pub(crate) fn arguments() -> Result<Arguments, clap::Error> {
    let mut matches = without_empty_variables(Arguments::command()).try_get_matches()?;
    Arguments::from_arg_matches_mut(&mut matches)
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

/// Runs the command. Errors go to standard error in one line, or as an object with `--json`.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let output = &mut Output::new(arguments.json, arguments.hex);
    let done = guarded(|| arguments.command.run(output));
    match done.and_then(|()| output.finish()) {
        Ok(()) | Err(Failure::NobodyReads) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failed(&failure);
            ExitCode::from(failure.code())
        }
    }
}

/// Reports a usage error, or prints the help or version asked for. With `--json` the error is an
/// object.
pub(crate) fn wrong_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        drop(error.print());
        return ExitCode::SUCCESS;
    }
    if env::args_os().any(|argument| argument == "--json") {
        let text = error.to_string();
        // The first sentence and its list.
        let said = text.lines().take_while(|line| !line.trim().is_empty());
        let said: Vec<_> = said.map(str::trim).collect();
        let message = said.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        output::say_failure(true, 2, "input", message);
    } else {
        drop(error.print());
    }
    ExitCode::from(2)
}

/// Turns a panic into [`Failure::Store`]; the storage engine panics on some damaged files.
fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    if env::var_os("RUST_BACKTRACE").is_none_or(|wanted| wanted == "0") {
        panic::set_hook(Box::new(|_| {}));
    }
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Failure::Store(
            "the store is damaged beyond reading, or this is a mistake in pad (RUST_BACKTRACE=1 \
             says where)"
                .into(),
        ))
    })
}

impl Command {
    fn run(&self, output: &mut Output) -> Result<(), Failure> {
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
