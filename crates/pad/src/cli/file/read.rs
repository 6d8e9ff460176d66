//! `pad file read`.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
};

use clap::Args;

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
}

impl Read {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let mut client = self.file.open()?;
        client.settle().map_err(|error| self.file.failure(error))?;
        let total = client.version().map_or(0, |state| state.list.total);
        let end = match self.length {
            Some(length) => self.offset.saturating_add(length),
            None => total,
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
        let folder = folder.unwrap_or_else(|| std::path::Path::new("."));
        let file = tempfile::NamedTempFile::new_in(folder).map_err(io_failure)?;
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
        let kept: File = file
            .persist(path)
            .map_err(|error| io_failure(error.error))?;
        drop(kept);
        let bytes = range.end.saturating_sub(range.start);
        output.say(
            &format!("{bytes} bytes, verified, in {}", path.display()),
            &serde_json::json!({ "bytes": bytes, "verified": true, "out": path.display().to_string() }),
        )
    }
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
