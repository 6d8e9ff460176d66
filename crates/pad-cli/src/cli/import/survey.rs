//! Reading of a trace in two passes: the first pass validates it and counts changes, and the second
//! pass applies them. With `--append`, a pass between them compares the trace with the imported
//! snapshots, by digests of their names and changes.

use std::{
    collections::BTreeSet,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use authdict::{
    NotOffered, Operation, SchemeName,
    pad_core::codec,
    trace::{TraceChange, TraceReader, TraceStart},
};
use pad_core::internals::Domain;
use pad_disk::Scratch;
use sha2::{Digest as _, Sha256};

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
        let opened = opened.map_err(Failure::trace(&self.path))?;
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

/// Result of the first pass: the number of changes of each snapshot.
#[derive(Clone)]
pub(super) struct Survey(Vec<u64>);

impl Survey {
    /// Reads a whole trace. Rejects changes that the scheme does not support, and a trace without a
    /// row.
    pub(super) fn of(source: &TraceSource, scheme: SchemeName) -> Result<Self> {
        let (mut trace, mut snapshots) = (source.open()?, Vec::new());
        let path = source.path();
        let failed = Failure::trace(path);
        while let Some(start) = trace.begin().map_err(failed)? {
            let mut changes = 0;
            while let Some(change) = trace.change().map_err(failed)? {
                check(path, scheme, &start, &change)?;
                changes += 1;
            }
            snapshots.push(changes);
        }
        if snapshots.is_empty() {
            let text = format!("trace {}: there is no row after the header", path.display());
            return Err(Failure::Input(text)
                .help("a trace of pad diff --csv has no row if nothing differs"));
        }
        Ok(Self(snapshots))
    }

    pub(super) const fn snapshots(&self) -> usize {
        self.0.len()
    }
}

fn check(path: &Path, scheme: SchemeName, start: &TraceStart, change: &TraceChange) -> Result {
    let trace = path.display();
    match &change.operation {
        Operation::Remove(_) if scheme.family().is_append_only() => {
            let (line, what) = (change.line, "removals");
            let scheme = scheme.id();
            let refused = NotOffered { what, scheme };
            let text = format!("trace {trace}: line {line}: {refused}");
            Err(Failure::Input(text))
        }
        Operation::Put(_, value) if scheme.is_set() && !value.as_bytes().is_empty() => {
            let TraceStart { name, line } = start;
            Err(Failure::Input(format!(
                "trace {trace}: snapshot '{name}' at line {line}: a member of a set has no value"
            )))
        }
        _ => Ok(()),
    }
}

/// Advice for a trace that does not begin with the imported snapshots.
const GOES_ON: &str = "begin the trace with everything imported so far, use --append for new \
                       snapshots alone, or use another store for another trace";

/// A pass over a trace after the [`Survey`].
pub(super) struct Replay<'t> {
    path: &'t Path,
    trace: TraceReader<Box<dyn Read>>,
    survey: Survey,
    /// Index in the trace of the snapshot to read next.
    next: usize,
}

impl<'t> Replay<'t> {
    pub(super) fn new(source: &'t TraceSource, survey: Survey) -> Result<Self> {
        let trace = source.open()?;
        Ok(Self {
            path: source.path(),
            trace,
            survey,
            next: 0,
        })
    }

    /// Returns the length of the longest prefix of the trace that is also a suffix of the imported
    /// snapshots.
    ///
    /// Rejects a trace that contains imported snapshots after this prefix, because they would be
    /// imported a second time.
    ///
    /// Time: another pass over the trace. Memory: one stamp per snapshot.
    pub(super) fn overlap(mut self, imported: &[Stamp]) -> Result<usize> {
        let mut snapshots = Vec::with_capacity(self.survey.snapshots());
        while let Some(snapshot) = self.snapshot(|_| Ok(()))? {
            snapshots.push(snapshot);
        }
        let is_end = |overlap: &usize| {
            let before = imported.len().saturating_sub(*overlap);
            let known = imported.iter().skip(before);
            let first = snapshots.iter().take(*overlap);
            first.map(|(_, stamp)| stamp).eq(known)
        };
        let most = snapshots.len().min(imported.len());
        let overlap = (0..=most).rev().find(is_end).unwrap_or_default();
        let known: BTreeSet<&Stamp> = imported.iter().collect();
        let mut others = snapshots.iter().skip(overlap);
        match others.find(|(_, stamp)| known.contains(stamp)) {
            None => Ok(overlap),
            Some((TraceStart { name, .. }, _)) if name.is_empty() => Err(Failure::Input(format!(
                "trace {}: the same changes were imported before, and not as the last ones",
                self.path.display(),
            ))
            .help("use --name to import them again as another version")),
            Some((TraceStart { name, line }, _)) => Err(Failure::Input(format!(
                "trace {}: snapshot '{name}' at line {line} was imported before, and not as the \
                 last one",
                self.path.display(),
            ))
            .help(
                "begin the trace with the last imported snapshots, or import the new ones from a \
                 trace of their own",
            )),
        }
    }

    /// Skips the snapshots with the stamps `imported`, which were imported before. Rejects a trace
    /// that begins with different snapshots.
    pub(super) fn skip(&mut self, imported: &[Stamp]) -> Result {
        let trace = self.path.display();
        let total = self.survey.snapshots();
        for known in imported {
            let Some((start, stamp)) = self.snapshot(|_| Ok(()))? else {
                return Err(Failure::Input(format!(
                    "trace {trace}: it has {total} snapshots, but {} were imported before",
                    imported.len(),
                ))
                .help(GOES_ON));
            };
            if stamp != *known {
                let TraceStart { name, line } = start;
                return Err(Failure::Input(format!(
                    "trace {trace}: snapshot '{name}' at line {line} differs from what was \
                     imported before"
                ))
                .help(GOES_ON));
            }
        }
        Ok(())
    }

    /// Passes the changes of the next snapshot to `take`. Returns the snapshot's start and its
    /// stamp, or `None` after the last snapshot. Fails if the trace has changed since the first
    /// pass.
    pub(super) fn snapshot(
        &mut self,
        mut take: impl FnMut(Operation) -> Result,
    ) -> Result<Option<(TraceStart, Stamp)>> {
        let failed = Failure::trace(self.path);
        let Some(expected) = self.survey.0.get(self.next).copied() else {
            return Ok(None);
        };
        let start = self.trace.begin().map_err(failed)?;
        let start = start.ok_or_else(|| self.changed())?;
        let (mut stamping, mut changes) = (StampBuilder::new(&start.name, expected), 0);
        while let Some(TraceChange { operation, .. }) = self.trace.change().map_err(failed)? {
            stamping.add(&operation);
            changes += 1;
            take(operation)?;
        }
        if changes != expected {
            return Err(self.changed());
        }
        self.next += 1;
        Ok(Some((start, stamping.finish())))
    }

    fn changed(&self) -> Failure {
        let trace = self.path.display();
        Failure::Input(format!("trace {trace}: it changed while it was read"))
    }
}

/// The digest of a snapshot's name and changes.
pub(super) type Stamp = Vec<u8>;

/// Incremental computation of a [`Stamp`].
///
/// The stamp is `SHA-256(tag block of Domain::Checkpoint ‖ "trace" ‖ body)`. The body is the result
/// of [`codec::encode_body`] for the name and the changes.
struct StampBuilder(Sha256);

impl StampBuilder {
    fn new(name: &str, changes: u64) -> Self {
        let hasher = Sha256::new()
            .chain_update(Domain::Checkpoint.block::<64>())
            .chain_update(b"trace")
            .chain_update(codec::encode_body(&(name, changes)));
        Self(hasher)
    }

    fn add(&mut self, change: &Operation) {
        self.0.update(codec::encode_body(change));
    }

    fn finish(self) -> Stamp {
        self.0.finalize().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use authdict::{Key, Sha256Ed25519, Value};
    use pad_core::Suite;

    use super::*;

    #[test]
    fn it_is_the_digest_of_the_whole() {
        let key = |length: usize| Key::new(vec![7; length]).unwrap();
        for changes in [0, 1, 250, 251, 70_000_usize] {
            let operations: Vec<_> = (0..changes)
                .map(|place| match place % 3 {
                    0 => Operation::Remove(key(place % 9)),
                    _ => Operation::Put(key(place % 300), Value::new(vec![1; place % 5]).unwrap()),
                })
                .collect();
            let name = "release 1.0";
            let body = codec::encode_body(&(name, &operations));
            let whole = Sha256Ed25519::hash(Domain::Checkpoint, &[b"trace", &body]);
            let mut stamping = StampBuilder::new(name, u64::try_from(changes).unwrap());
            for change in &operations {
                stamping.add(change);
            }
            assert_eq!(stamping.finish(), whole.as_ref(), "{changes}");
        }
    }
}
