//! `pad import`: a trace becomes signed versions.

use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;
use pad::{
    Domain, NotOffered, Operation, RecordChange, RedbStore, RepositoryError, SecretKey,
    Sha256Ed25519, Store, StoreError, Suite, Version,
    dynamic::AnyAuthor,
    pad_core::codec,
    selection::SchemeName,
    trace::{TraceReader, TraceSnapshot},
};
use serde_json::json;

use super::{
    Failure, NewStoreArguments, Output, StoreArgument, progress,
    session::{AuthorArguments, create_or_match, load_secret},
};

#[derive(Debug, Args)]
pub(super) struct Import {
    #[command(flatten)]
    store: StoreArgument,
    #[command(flatten)]
    author: AuthorArguments,
    /// The scheme, to be sure: it is a part of the key, and must be the same.
    #[arg(long, value_name = "NAME")]
    scheme: Option<SchemeName>,
    #[command(flatten)]
    new: NewStoreArguments,
    #[cfg(feature = "network")]
    #[command(flatten)]
    push: super::push::PushArguments,
    /// Make this many snapshots durable at once: faster on slow disks, and a crash loses no more
    /// than what was not yet reported.
    #[arg(long, value_name = "SNAPSHOTS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    group: u32,
    /// Append a snapshot to a log although the log has a version of just these entries that is not known to be imported: after the store
    /// was restored from a copy it may be this snapshot.
    #[cfg(feature = "aad")]
    #[arg(long)]
    again: bool,
    /// The trace: CSV with the columns snapshot,op,key,value, plain or compressed with zstd.
    trace: PathBuf,
}

impl Import {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        output.goes_on();
        let key = load_secret(&self.author.key)?;
        self.check_scheme(&key)?;
        // The whole trace is checked before the store is touched.
        let imported = if self.store.store.exists() {
            imported(&RedbStore::open(&self.store.store)?)?
        } else {
            Vec::new()
        };
        let total = self.compare(key.public().scheme, &imported)?;
        self.author.check_new(&self.store.store)?;
        create_or_match(&self.store.store, key.public(), &self.new, output)?;
        let mut author = self.author.open(&self.store.store, &key)?;
        if self::imported(author.repository().store())? != imported {
            return Err(Failure::input(
                "another import has gone on meanwhile: run this one again",
            ));
        }
        self.check_appended(&author, imported.len())?;
        let bar = progress_bar(output, total);
        let mut changes = 0;
        let mut waiting = Vec::new();
        for (snapshot, number) in read(&self.trace)?.zip(0_u64..).skip(imported.len()) {
            let snapshot = snapshot.map_err(|error| Failure::trace(&self.trace, &error))?;
            let record = stamp(&snapshot);
            let name = snapshot.name;
            changes += snapshot.operations.len();
            let version = author.stage(snapshot.operations)?;
            waiting.push(Waiting {
                number,
                name,
                version,
                record,
            });
            if waiting.len() >= usize::try_from(self.group).unwrap_or(usize::MAX) {
                acknowledge(&mut author, &mut waiting, output)?;
            }
            bar.set_position(number + 1);
        }
        acknowledge(&mut author, &mut waiting, output)?;
        if total > imported.len() {
            match author.repository_mut().checkpoint() {
                // Somebody has pruned meanwhile; the next opening replays more.
                Err(RepositoryError::Store(StoreError::Superseded)) => {}
                done => done?,
            }
        }
        bar.finish_and_clear();
        self.report(&author, (total, imported.len(), changes), output)?;
        drop(author);
        #[cfg(feature = "network")]
        self.push.run(&self.store.store, output)?;
        Ok(())
    }

    /// Refuses to append for the second time what a log has already: the record of what was imported is not a part of the versions, and
    /// does not come back with them when they are applied to a copy of the store.
    #[cfg(feature = "aad")]
    fn check_appended(&self, author: &AnyAuthor, imported: usize) -> Result<(), Failure> {
        use pad::{Update, aad::Appended};
        let repository = author.repository();
        let scheme = repository.description()?.public.scheme;
        // In sets a member is there once, whatever is imported.
        if self.again || !scheme.family().is_append_only() || scheme.is_set() {
            return Ok(());
        }
        let Some(next) = read(&self.trace)?.nth(imported) else {
            return Ok(());
        };
        let next = next.map_err(|error| Failure::trace(&self.trace, &error))?;
        let first = u64::try_from(imported).unwrap_or(u64::MAX);
        for version in first.saturating_add(1)..=repository.latest().number() {
            let Some(message) = repository.update_message(Version::new(version))? else {
                continue;
            };
            let update = codec::decode::<Update<Sha256Ed25519, Appended>>(&message, message.len());
            let update =
                update.map_err(|_| StoreError::Damaged("a stored update is not readable"))?;
            let entries = update.attachment.entries.into_iter();
            let appended = entries.map(|entry| Operation::Put(entry.key, entry.value));
            if appended.eq(next.operations.iter().cloned()) {
                return Err(Failure::Input(format!(
                    "trace {}: snapshot '{}' is what version {version} of the log has appended, and not known to be imported; \
                     --again appends it once more",
                    self.trace.display(),
                    next.name,
                )));
            }
        }
        Ok(())
    }

    #[cfg(not(feature = "aad"))]
    #[allow(clippy::unused_self, reason = "without logs there is nothing to check")]
    const fn check_appended(&self, _: &AnyAuthor, _: usize) -> Result<(), Failure> {
        Ok(())
    }

    fn check_scheme(&self, key: &SecretKey) -> Result<(), Failure> {
        let scheme = key.public().scheme;
        match self.scheme {
            Some(wanted) if wanted != scheme => Err(Failure::Input(format!(
                "the key {} is for the scheme {scheme}, make one for {wanted} with \
                 pad keygen --scheme {wanted}",
                self.author.key.display(),
            ))),
            _ => Ok(()),
        }
    }

    /// Reads the whole trace and compares its beginning with what is imported already; returns the
    /// number of snapshots.
    fn compare(&self, scheme: SchemeName, imported: &[Stamp]) -> Result<usize, Failure> {
        let mut total = 0;
        for snapshot in read(&self.trace)? {
            let snapshot = snapshot.map_err(|error| Failure::trace(&self.trace, &error))?;
            if let Some(line) = snapshot.first_removal
                && scheme.family().is_append_only()
            {
                let (trace, what) = (self.trace.display(), "removals");
                let scheme = scheme.id();
                let refused = NotOffered { what, scheme };
                return Err(Failure::Input(format!(
                    "trace {trace}: line {line}: {refused}"
                )));
            }
            let has_value = |change: &Operation| matches!(change, Operation::Put(_, value) if !value.as_bytes().is_empty());
            if scheme.is_set() && snapshot.operations.iter().any(has_value) {
                let (trace, TraceSnapshot { name, line, .. }) = (self.trace.display(), snapshot);
                return Err(Failure::Input(format!(
                    "trace {trace}: snapshot '{name}' at line {line}: a member of a set has no value"
                )));
            }
            if imported
                .get(total)
                .is_some_and(|known| *known != stamp(&snapshot))
            {
                let (trace, TraceSnapshot { name, line, .. }) = (self.trace.display(), snapshot);
                return Err(Failure::Input(format!(
                    "trace {trace}: snapshot '{name}' at line {line} is not what was imported \
                     before, import another trace into another store"
                )));
            }
            total += 1;
        }
        if total < imported.len() {
            return Err(Failure::Input(format!(
                "trace {}: it has {total} snapshots, but {} were imported before",
                self.trace.display(),
                imported.len(),
            )));
        }
        Ok(total)
    }

    fn report(
        &self,
        author: &AnyAuthor,
        (total, skipped, changes): (usize, usize, usize),
        output: &mut Output,
    ) -> Result<(), Failure> {
        let repository = author.repository();
        let latest = repository.latest();
        let root = match latest {
            Version::EMPTY => String::new(),
            latest => repository.head_text(latest)?.root,
        };
        let text = format!(
            "imported {} snapshots ({changes} changes; {skipped} were there already) into {}\n\
             latest version {latest} with {} entries, root {root}",
            total - skipped,
            self.store.store.display(),
            repository.entries(),
        );
        let object = json!({
            "imported": total - skipped,
            "skipped": skipped,
            "changes": changes,
            "latest": latest.number(),
            "entries": repository.entries(),
            "root": root,
        });
        output.say(&text, &object)
    }
}

/// What the store remembers of an imported snapshot: a digest of its name and changes.
type Stamp = Vec<u8>;

/// A staged snapshot that is not durable yet.
struct Waiting {
    number: u64,
    name: String,
    version: Version,
    record: Stamp,
}

/// Makes the waiting snapshots durable, then says so.
fn acknowledge(
    author: &mut AnyAuthor,
    waiting: &mut Vec<Waiting>,
    output: &mut Output,
) -> Result<(), Failure> {
    let records: Vec<_> = waiting.iter().map(record).collect();
    author.flush(&records)?;
    for Waiting { name, version, .. } in waiting.drain(..) {
        if output.is_json() {
            let root = author.repository().head_text(version)?.root;
            let object = json!({ "snapshot": name, "version": version.number(), "root": root });
            output.say("", &object)?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<TraceReader<Box<dyn std::io::Read>>, Failure> {
    TraceReader::open(path).map_err(|error| Failure::trace(path, &error))
}

fn imported(store: &RedbStore) -> Result<Vec<Stamp>, Failure> {
    Ok(store
        .records(RECORD_GROUP)?
        .into_iter()
        .map(|(_, stamp)| stamp)
        .collect())
}

fn stamp(snapshot: &TraceSnapshot) -> Stamp {
    let contents = codec::encode_body(&(&snapshot.name, &snapshot.operations));
    Sha256Ed25519::hash(Domain::Checkpoint, &[b"trace", &contents])
        .as_ref()
        .to_vec()
}

/// Named by big-endian numbers, so that records come in the order of the snapshots.
fn record(snapshot: &Waiting) -> RecordChange {
    let name = snapshot.number.to_be_bytes();
    RecordChange::put(RECORD_GROUP, name, snapshot.record.clone())
}

fn progress_bar(output: &Output, total: usize) -> ProgressBar {
    let total = u64::try_from(total).unwrap_or(u64::MAX);
    progress::bar(
        output,
        total,
        "{bar:40} {pos}/{len} snapshots, {elapsed}, {eta} left",
    )
}

const RECORD_GROUP: &str = "trace";
