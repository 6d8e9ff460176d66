//! `pad directory`: registers digests of objects as numbered entries, in directories that may be
//! larger than memory.

use std::path::{Path, PathBuf};

use authdict::{
    PublicKey, SchemeName, SuiteName,
    block_directory::{BlockDirectory, CacheBudget},
    internals::directory,
};
use clap::{Args, Subcommand};
use pad_core::Suite;

use super::{
    Failure, Output, Result,
    session::{HeadSource, TrustArguments},
};

mod apply;
mod author;
mod change;
mod check;
mod create;
mod failure;
mod import;
mod light;
mod objects;
mod proof_source;
#[cfg(feature = "network")]
mod push;
mod shown;
mod verify;

/// Evaluates `$work` with `$type` as an alias of the suite (hash and signature functions) that
/// `$suite` names. Fails if the suite is not in this build.
macro_rules! with_suite {
    ($suite:expr, $type:ident => $work:expr) => {
        match $suite {
            authdict::SuiteName::Sha256Ed25519 => {
                type $type = authdict::Sha256Ed25519;
                $work
            }
            #[cfg(feature = "all-suites")]
            authdict::SuiteName::Blake3Ed25519 => {
                type $type = authdict::Blake3Ed25519;
                $work
            }
            #[cfg(feature = "all-suites")]
            authdict::SuiteName::Paper2010 => {
                type $type = authdict::Paper2010;
                $work
            }
            other => Err($crate::cli::Failure::Input(format!(
                "suite {other} is not in this build"
            ))),
        }
    };
}
use with_suite;

/// Commands for directories of objects.
#[derive(Debug, Subcommand)]
pub(super) enum DirectoryCommand {
    /// Create a directory in a folder that is empty or missing.
    Create(create::Create),
    /// Register objects as the next version; prints their ids.
    Append(change::Append),
    /// Replace the object of an entry, as the next version.
    Update(change::Update),
    /// Delete entries permanently, as the next version.
    Delete(change::Delete),
    /// Register many objects: files, folders or lines of digests.
    ///
    /// A directory without versions is loaded in one batch, as version 1. Other directories get
    /// versions of bounded size.
    Import(import::Import),
    /// Verify signed updates and add them to a directory.
    ///
    /// No secret key is needed.
    Apply(apply::Apply),
    /// Send signed updates to servers.
    #[cfg(feature = "network")]
    Push(push::Push),
    /// Write the proof of entries or of a range of ids to a file.
    Prove(verify::Prove),
    /// Verify a proof file with only the public key.
    ///
    /// Can query a folder or servers instead, and compare the proved digest with an object's.
    Verify(verify::Verify),
    /// Verify everything in a folder again.
    ///
    /// Checks every block, up to the signed root.
    Check(check::Check),
    /// Show the state of a directory in a folder or on servers.
    Status(check::Status),
}

impl DirectoryCommand {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        match self {
            Self::Create(command) => command.run(output),
            Self::Append(command) => command.run(output),
            Self::Update(command) => command.run(output),
            Self::Delete(command) => command.run(output),
            Self::Import(command) => command.run(output),
            Self::Apply(command) => command.run(output),
            #[cfg(feature = "network")]
            Self::Push(command) => command.run(output),
            Self::Prove(command) => command.run(output),
            Self::Verify(command) => command.run(output),
            Self::Check(command) => command.run(output),
            Self::Status(command) => command.run(output),
        }
    }
}

/// The directory to query, and the trust options.
#[derive(Debug, Args)]
struct ReadArguments {
    /// The directory's folder.
    folder: PathBuf,
    #[command(flatten)]
    trust: TrustArguments,
}

/// Opens the directory in `folder`. Reports to `output` whether its answers are verified with an
/// authenticated key. Returns the directory and this key.
fn open_trusting<S: Suite>(
    folder: &Path,
    trust: &TrustArguments,
    output: &mut Output,
) -> Result<(BlockDirectory<S>, PublicKey)> {
    let (directory, view) = trust.open(|| open::<S>(folder), output)?;
    Ok((directory, view.public().clone()))
}

fn open<S: Suite>(folder: &Path) -> Result<BlockDirectory<S>> {
    Ok(BlockDirectory::open(folder, CacheBudget::default())?)
}

fn suite_of(folder: &Path) -> Result<SuiteName> {
    light::require_entries(folder)?;
    Ok(directory::suite_of(folder)?)
}

fn check_scheme(public: &PublicKey, path: &Path) -> Result {
    if public.scheme == SchemeName::Directory {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "the key {} is for scheme {}, not for a directory",
        path.display(),
        public.scheme,
    ))
    .help(format!(
        "create one with pad keygen --scheme {}",
        SchemeName::Directory
    )))
}

impl<S: Suite> HeadSource for BlockDirectory<S> {
    fn own_key(&self) -> Result<PublicKey> {
        let suite = S::NAME.parse();
        let suite =
            suite.map_err(|_| Failure::Input(format!("suite {} is not in this build", S::NAME)))?;
        Ok(PublicKey {
            suite,
            scheme: SchemeName::Directory,
            authority: *self.heads().authority(),
            scheme_key: None,
        })
    }
}
