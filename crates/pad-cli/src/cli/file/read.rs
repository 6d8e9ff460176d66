//! `pad file read`: reads bytes of a file from the server, and verifies all of them.

use core::ops::Range;
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use flexlist::FileState;
use flexlist_service::client::SignedVersion;
use pad_disk::{Access, Draft};

use super::{
    Client, FileArguments, byte_bar,
    observer::{Observer, Reader, ReaderArguments},
};
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
        let mut from = self.source()?;
        let total = from.state().list.total;
        let end = match self.length {
            Some(length) => self.offset.saturating_add(length),
            // An offset or length after the end is refused when the bytes are fetched.
            None => total.max(self.offset),
        };
        let range = self.offset..end;
        let Some(path) = out else {
            let mut stream = output.stream();
            let read = from.fetch(range, &mut stream);
            return stream.ended(read);
        };
        let io_failure = |error: io::Error| Failure::file(path, &error);
        // The file gets its name after every byte is verified, so a killed process leaves no file.
        let draft = Draft::new(path, Access::Usual).map_err(io_failure)?;
        let bar = byte_bar(output, end.saturating_sub(self.offset), "read");
        let mut sink = BufWriter::new(draft);
        let read = from.fetch(range.clone(), &mut bar.wrap_write(&mut sink));
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
        let bytes = range.end.saturating_sub(range.start);
        let (version, file) = (from.state().version, path.display().to_string());
        let text = format!("{bytes} bytes of version {version}, verified, in {file}");
        let object = serde_json::json!({
            "bytes": bytes,
            "version": version,
            "sealed_root": from.state().sealed_root().to_string(),
            "verified": true,
            "file": file,
        });
        output.say(&text, &object)
    }

    /// Chooses the version to read. For the version in the owner's state, first determines the
    /// outcome of an interrupted update.
    fn source(&self) -> Result<Source> {
        let file = match self.file.reader()? {
            Reader::Owner(file) => file,
            Reader::Observer(observer) => return Ok(Source::Observed(observer)),
        };
        let mut client = file.open()?;
        if let Some(version) = self.accept_version {
            let vouched = client.vouched_at(version);
            let vouched = vouched.map_err(|error| file.failure(error))?;
            return Ok(Source::Vouched(file, Box::new(client), vouched));
        }
        file.settle(&mut client)?;
        let state = client.readable();
        let state = state.map_err(|error| file.failure_of(&client, error))?;
        Ok(Source::Own(file, Box::new(client), state))
    }
}

/// The version to read, with the client that reads it.
enum Source {
    /// The version in the owner's state.
    Own(FileArguments, Box<Client>, FileState),
    /// A version that the owner has chosen, and that the server presents with the owner's
    /// signature.
    Vouched(FileArguments, Box<Client>, SignedVersion),
    /// The version that an observer reads.
    Observed(Box<Observer>),
}

impl Source {
    fn state(&self) -> &FileState {
        match self {
            Self::Own(_, _, state) => state,
            Self::Vouched(_, _, vouched) => vouched.state(),
            Self::Observed(observer) => &observer.state,
        }
    }

    fn fetch(&mut self, range: Range<u64>, sink: &mut impl Write) -> Result {
        match self {
            Self::Own(file, client, _) => {
                let read = client.read_to(range, sink);
                read.map_err(|error| file.failure_of(client, error))
            }
            Self::Vouched(file, client, vouched) => {
                let read = client.read_vouched_to(vouched, range, sink);
                read.map_err(|error| file.failure_of(client, error))
            }
            Self::Observed(observer) => {
                let read = observer.file.read_to(&observer.state, range, sink);
                read.map_err(|error| observer.failure(error))
            }
        }
    }
}

fn exists(path: &Path) -> Failure {
    Failure::Input(format!("{} exists already", path.display())).help("use --force to overwrite it")
}
