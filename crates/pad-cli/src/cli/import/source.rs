//! Trace sources that can be read more than once.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use authdict::trace::TraceReader;
use pad_disk::Scratch;

use crate::cli::{Failure, Result, files::is_standard};

/// A trace in a file, or standard input copied to an unnamed file.
pub(super) struct TraceSource {
    path: PathBuf,
    kept: Option<Arc<Scratch>>,
    /// The name for the only snapshot of a trace without the column `snapshot`.
    name: String,
}

impl TraceSource {
    /// Opens the trace at `path`. For `-`, copies standard input to an unnamed file in the folder
    /// of `store`. `name` is the name for the only snapshot of a trace without the column
    /// `snapshot`.
    pub(super) fn new(path: &Path, store: &Path, name: Option<&str>) -> Result<Self> {
        let name = name.unwrap_or_default().to_owned();
        if !is_standard(path) {
            let path = path.to_owned();
            return Ok(Self {
                path,
                kept: None,
                name,
            });
        }
        let path = PathBuf::from("standard input");
        let kept = keep(store).map_err(Failure::at(&path))?;
        let kept = Some(Arc::new(kept));
        Ok(Self { path, kept, name })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn open(&self) -> Result<TraceReader<Box<dyn Read>>> {
        let opened = match &self.kept {
            None => TraceReader::open(&self.path),
            Some(kept) => TraceReader::from_bytes(SpoolReader {
                kept: Arc::clone(kept),
                at: 0,
            }),
        };
        let opened = opened.map_err(|error| Failure::trace(&self.path, &error))?;
        Ok(opened.named(&self.name))
    }
}

/// Copies all of standard input to an unnamed file in the folder of `base`.
fn keep(base: &Path) -> io::Result<Scratch> {
    let mut kept = Scratch::next_to(base)?;
    let (mut input, mut buffer) = (io::stdin().lock(), vec![0; 1 << 16]);
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(kept),
            Ok(read) => kept.append(buffer.get(..read).unwrap_or_default())?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A reader of the copied standard input, from its beginning.
struct SpoolReader {
    kept: Arc<Scratch>,
    at: u64,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.kept.end().saturating_sub(self.at);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        self.kept.read_at(self.at, buffer)?;
        let read = u64::try_from(most).unwrap_or(u64::MAX);
        self.at = self.at.saturating_add(read);
        Ok(most)
    }
}
