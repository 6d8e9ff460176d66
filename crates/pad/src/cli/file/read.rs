//! `pad file read`.

#[cfg(unix)]
use std::fs::File;
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use tempfile::NamedTempFile;

use super::{FileArguments, byte_bar};
use crate::cli::{Failure, Output};

#[derive(Debug, Args)]
pub(in crate::cli) struct Read {
    #[command(flatten)]
    file: FileArguments,
    /// The first byte.
    #[arg(long, value_name = "BYTE", default_value_t = 0)]
    offset: u64,
    /// How many bytes; to the end of the file if not given.
    #[arg(long, value_name = "BYTES")]
    length: Option<u64>,
    /// Where to write them; to standard output if not given. The file appears only when every byte
    /// is verified.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file of --out if there is one.
    #[arg(long, requires = "out")]
    force: bool,
}

impl Read {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            // Before anything is fetched; when it is, once more.
            let there = path
                .try_exists()
                .map_err(|error| Failure::file(path, &error))?;
            if there && !self.force {
                return Err(exists(path));
            }
        }
        let mut client = self.file.open()?;
        self.file.settle(&mut client)?;
        let state = client
            .readable()
            .map_err(|error| self.file.failure(error))?;
        let end = match self.length {
            Some(length) => self.offset.saturating_add(length),
            // An offset beyond the end is refused, like a length beyond it.
            None => state.list.total.max(self.offset),
        };
        let range = self.offset..end;
        let Some(path) = &self.out else {
            let mut sink = io::stdout().lock();
            return client
                .read_to(range, &mut sink)
                .map_err(|error| self.file.failure(error));
        };
        let io_failure = |error: io::Error| Failure::file(path, &error);
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let file = NamedTempFile::new_in(folder).map_err(io_failure)?;
        let bar = byte_bar(output, end.saturating_sub(self.offset), "read");
        let mut sink = Counted {
            sink: BufWriter::new(file),
            written: &mut |bytes| bar.inc(bytes),
        };
        let read = client.read_to(range.clone(), &mut sink);
        bar.finish_and_clear();
        read.map_err(|error| self.file.failure(error))?;
        let file = sink
            .sink
            .into_inner()
            .map_err(|error| io_failure(error.into_error()))?;
        file.as_file().sync_all().map_err(io_failure)?;
        self.keep(file, path)?;
        synchronise(folder).map_err(io_failure)?;
        let bytes = range.end.saturating_sub(range.start);
        output.say(
            &format!("{bytes} bytes, verified, in {}", path.display()),
            &serde_json::json!({ "bytes": bytes, "verified": true, "out": path.display().to_string() }),
        )
    }
}

impl Read {
    /// Gives the file its name.
    fn keep(&self, file: NamedTempFile, path: &Path) -> Result<(), Failure> {
        let kept = if self.force {
            file.persist(path)
        } else {
            file.persist_noclobber(path)
        };
        match kept {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(path)),
            Err(error) => Err(Failure::file(path, &error.error)),
        }
    }
}

fn exists(path: &Path) -> Failure {
    Failure::Input(format!(
        "{} exists already: give --force to overwrite it",
        path.display()
    ))
}

/// Makes the name of a new file durable.
#[cfg(unix)]
fn synchronise(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Directories cannot be opened as files everywhere.
#[cfg(not(unix))]
fn synchronise(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A sink that says how much went into it.
struct Counted<'a, W> {
    sink: W,
    written: &'a mut dyn FnMut(u64),
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.sink.write(bytes)?;
        (self.written)(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
