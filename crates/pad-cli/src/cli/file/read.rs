//! `pad file read`: reads bytes of a file from the server, and verifies all of them. Files are also
//! read and audited without the owner's secrets.

use core::ops::Range;
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use authdict::internals::FilePublic;
use clap::Args;
use flexlist::FileState;
use flexlist_service::client::{ClientError, FileObserver, HttpTransport};
use pad_core::Digest;
use pad_disk::{Access, Draft};

use super::{FileArguments, ServerArguments, byte_bar, failure};
use crate::cli::{Failure, Output, Result, files::is_standard};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file read --state thesis.state --out copy.pdf
  pad file read --state thesis.state --offset 1000 --length 80
  pad file read --public thesis.public --out copy.pdf")]
pub(in crate::cli) struct Read {
    #[command(flatten)]
    file: ReaderArguments,
    /// The offset of the first BYTE to read.
    #[arg(long, value_name = "BYTE", default_value_t = 0)]
    offset: u64,
    /// The number of BYTES to read [default: to the end].
    #[arg(long, value_name = "BYTES")]
    length: Option<u64>,
    /// The file to write [default: standard output]; - for standard output.
    ///
    /// The file appears only after every byte is verified.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Read this version instead of the state's.
    ///
    /// It may be older or newer. The server must present it with this owner's signature. The state
    /// does not change.
    #[arg(long, value_name = "NUMBER", conflicts_with = "public")]
    accept_version: Option<u64>,
    /// Overwrite the file of --out if it exists.
    #[arg(long, requires = "out")]
    force: bool,
}

impl Read {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let out = self.out.as_deref().filter(|path| !is_standard(path));
        if out.is_none() && output.is_json() {
            let text = "the bytes and --json both go to standard output";
            return Err(Failure::input(text).help("use --out FILE"));
        }
        if let Some(path) = out {
            // The path is checked before anything is fetched, and again when the file gets its
            // name.
            if path.try_exists().map_err(Failure::at(path))? && !self.force {
                return Err(exists(path));
            }
        }
        let (state, fetch) = self.source()?;
        let end = match self.length {
            Some(length) => self.offset.saturating_add(length),
            // An offset or length after the end is refused when the bytes are fetched.
            None => state.list.total.max(self.offset),
        };
        let range = self.offset..end;
        let Some(path) = out else {
            let mut stream = output.stream();
            let read = fetch(range, &mut stream);
            return stream.ended(read);
        };
        let io_failure = |error: io::Error| Failure::file(path, &error);
        // The file gets its name after every byte is verified, so a killed process leaves no file.
        let draft = Draft::new(path, Access::Usual).map_err(io_failure)?;
        let bar = byte_bar(output, end.saturating_sub(self.offset), "read");
        let mut sink = BufWriter::new(draft);
        let read = fetch(range, &mut bar.wrap_write(&mut sink));
        bar.finish_and_clear();
        read?;
        let draft = sink.into_inner();
        let draft = draft.map_err(|error| io_failure(error.into_error()))?;
        let kept = if self.force {
            draft.keep()
        } else {
            draft.keep_new()
        };
        match kept {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(path)),
            kept => kept.map_err(io_failure)?,
        }
        let bytes = end.saturating_sub(self.offset);
        let (version, file) = (state.version, path.display().to_string());
        let text = format!("{bytes} bytes of version {version}, verified, in {file}");
        let object = serde_json::json!({
            "bytes": bytes,
            "version": version,
            "sealed_root": state.sealed_root().to_string(),
            "verified": true,
            "file": file,
        });
        output.say(&text, &object)
    }

    /// Chooses the version to read. For the version in the owner's state, first determines the
    /// outcome of an interrupted update.
    fn source(&self) -> Result<(FileState, Fetch)> {
        let file = match self.file.reader()? {
            Reader::Owner(file) => file,
            Reader::Observer(observer) => {
                let state = observer.state;
                let fetch = move |range, mut sink: &mut dyn Write| {
                    let read = observer.file.read_to(&observer.state, range, &mut sink);
                    read.map_err(|error| observer.failure(error))
                };
                return Ok((state, Box::new(fetch)));
            }
        };
        let mut client = file.open()?;
        if let Some(version) = self.accept_version {
            let vouched = client.vouched_at(version);
            let vouched = vouched.map_err(|error| file.failure(error))?;
            let state = *vouched.state();
            let fetch = move |range, mut sink: &mut dyn Write| {
                let read = client.read_vouched_to(&vouched, range, &mut sink);
                read.map_err(|error| file.failure_of(&client, error))
            };
            return Ok((state, Box::new(fetch)));
        }
        file.settle(&mut client)?;
        let state = client.readable();
        let state = state.map_err(|error| file.failure_of(&client, error))?;
        let fetch = move |range, mut sink: &mut dyn Write| {
            let read = client.read_to(range, &mut sink);
            read.map_err(|error| file.failure_of(&client, error))
        };
        Ok((state, Box::new(fetch)))
    }
}

/// Writes the verified bytes of a range.
type Fetch = Box<dyn FnOnce(Range<u64>, &mut dyn Write) -> Result>;

fn exists(path: &Path) -> Failure {
    Failure::Input(format!("{} exists already", path.display())).help("use --force to overwrite it")
}

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
