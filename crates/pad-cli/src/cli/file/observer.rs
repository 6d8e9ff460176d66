//! Reading and auditing a file without the owner's secrets.

use std::path::{Path, PathBuf};

use authdict::internals::FilePublic;
use clap::Args;
use flexlist::FileState;
use flexlist_service::client::{ClientError, FileObserver, HttpTransport};
use pad_core::Digest;

use super::{FileArguments, ServerArguments, failure};
use crate::cli::{Failure, Result};

/// The file to read, and the data to verify it with: the owner's state and key, or published data.
#[derive(Debug, Args)]
pub(super) struct ReaderArguments {
    /// The owner's state file.
    #[arg(long, value_name = "FILE", required_unless_present = "public")]
    state: Option<PathBuf>,
    /// The owner's key.
    #[arg(long, value_name = "FILE", default_value = "pad-file.key")]
    #[arg(conflicts_with = "public")]
    key: PathBuf,
    /// Published data of the file (pad file public), instead of state and key.
    ///
    /// Reads the newest version that the server presents with the owner's signature. It must not be
    /// older than the published version.
    #[arg(long, value_name = "FILE", conflicts_with = "state")]
    public: Option<PathBuf>,
    /// Read the version with this sealed root instead of the newest.
    ///
    /// pad file status and pad file publish show the root. pad file publish stores it in a
    /// dictionary, as the value of the file's path.
    #[arg(long, value_name = "DIGITS", requires = "public")]
    #[arg(conflicts_with = "state", value_parser = sealed_root)]
    root: Option<Digest<32>>,
    #[command(flatten)]
    server: ServerArguments,
}

/// Parses a sealed root, the digest of one version of a file, from hexadecimal digits.
fn sealed_root(text: &str) -> Result<Digest<32>, String> {
    let mut root = [0; 32];
    hex::decode_to_slice(text, &mut root).map_err(|_| "a sealed root has 64 hexadecimal digits")?;
    Ok(Digest(root))
}

/// The party that reads a file.
pub(super) enum Reader {
    Owner(FileArguments),
    Observer(Box<Observer>),
}

/// A reader of an outsourced file that has only the file's published data.
pub(super) struct Observer {
    public: PathBuf,
    server: String,
    pub(super) file: FileObserver<HttpTransport>,
    /// The version to read.
    pub(super) state: FileState,
}

impl ReaderArguments {
    /// Returns the reader: an observer if `--public` is given, and otherwise the owner. For an
    /// observer, this asks the server for the version to read.
    pub(super) fn reader(&self) -> Result<Reader> {
        match (&self.public, &self.state) {
            (Some(public), _) => Ok(Reader::Observer(Box::new(self.observer(public)?))),
            (None, Some(state)) => Ok(Reader::Owner(FileArguments {
                state: state.clone(),
                key: self.key.clone(),
                server: self.server.clone(),
            })),
            (None, None) => Err(Failure::input("--state or --public is needed")),
        }
    }

    fn observer(&self, path: &Path) -> Result<Observer> {
        let public = FilePublic::load(path);
        let public = public
            .map_err(|error| Failure::Input(format!("public file {}: {error}", path.display())))?;
        let transport = self.server.transport(&public.server)?;
        let server = self.server.address(&public.server).to_owned();
        let observer = FileObserver::new(public.file, transport);
        let state = match &self.root {
            Some(root) => observer.at_root(root),
            None => observer.newest().map(|vouched| *vouched.state()),
        };
        let state = state.map_err(|error| failure::observer(&server, path, error))?;
        Ok(Observer {
            public: path.to_owned(),
            server,
            file: observer,
            state,
        })
    }
}

impl Observer {
    /// Converts the error of an operation on this file into a [`Failure`].
    pub(super) fn failure(&self, error: ClientError) -> Failure {
        failure::observer(&self.server, &self.public, error)
    }
}
