//! `pad info`: identifies files, and prints their contents, such as a dictionary's id and a
//! version, unverified.

use std::{
    ffi::OsStr,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

#[cfg(feature = "file")]
use authdict::internals::{FileOwnerKey, FileOwnerKeyError, FilePublic};
use authdict::{
    PublicKey, SecretFile, SecretKey, StoredView, VersionNote,
    internals::{AnyStore, dynamic::key_of_store},
    trace::TraceReader,
};
use clap::Args;
use pad_disk::Register;

use self::message::{add_headline, message};
use super::{
    Failure, Output, Result,
    files::load_public,
    files::{is_standard, read_text},
    status::Rows,
};

mod message;
#[cfg(feature = "network")]
mod notes;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad info author.key.pub price.proof prices.pad
  pad info --json *.pub

Nothing is verified: this shows the claims of the files. Secrets are not shown.")]
pub(super) struct Info {
    /// The files to identify.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Info {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        if self.files.iter().any(|path| is_standard(path)) {
            return Err(Failure::input("- : a file is read more than once")
                .help("give a file instead of standard input"));
        }
        let (mut gap, mut failed) = ("", None);
        for path in &self.files {
            let mut rows = Rows::default();
            rows.add("file", "file", path.display().to_string());
            match describe(path, &mut rows) {
                Ok(()) => {
                    output.say(&format!("{gap}{}", rows.text()), &rows.object())?;
                    gap = "\n";
                }
                // The remaining files are described, too. The first failure determines the exit
                // status.
                Err(failure) if failed.is_some() => output.failed(&failure),
                Err(failure) => failed = Some(failure),
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

fn describe(path: &Path, rows: &mut Rows) -> Result {
    let found = path.metadata().map_err(Failure::at(path))?;
    if found.is_dir() {
        rows.is("a folder");
        rows.more(
            "pad directory status, if it is a directory; pad file serve and pad witness have \
             folders too",
        );
        return Ok(());
    }
    if !found.is_file() {
        // The file is read more than once, so it cannot be a pipe.
        return Err(Failure::not_plain(path));
    }
    if let Some(is) = by_its_name(path, found.len()) {
        rows.is(is);
        return Ok(());
    }
    let beginning = read_beginning(path, BEGINNING)?;
    if beginning.starts_with(b"PAD1") {
        return message(path, found.len(), rows);
    }
    let mut kinds = KINDS.iter();
    if let Some((_, is, more)) = kinds.find(|(with, ..)| beginning.starts_with(with)) {
        rows.is(is);
        return more(path, rows);
    }
    if let Ok(Some(value)) = Register::read(path) {
        register(&value, rows);
        return Ok(());
    }
    #[cfg(feature = "network")]
    if notes::describe(&beginning, found.len(), rows) {
        return Ok(());
    }
    trace(path, rows)
}

type Describe = fn(&Path, &mut Rows) -> Result;

/// Kinds of files: the first bytes, a description, and the function that adds details.
const KINDS: &[(&[u8], &str, Describe)] = &[
    (
        b"redb",
        "a store: all versions of a dictionary, for verified queries",
        store,
    ),
    (b"pad-public-key ", "a public key, to verify with", public),
    (
        b"pad-secret-key ",
        "a secret key, to publish versions with; keep it secret",
        secret,
    ),
    #[cfg(feature = "file")]
    (
        b"pad-file-key ",
        "the secret key of an owner of outsourced files; keep it secret",
        owner,
    ),
    #[cfg(feature = "file")]
    (
        b"pad-file-public ",
        "the public data of an outsourced file, to audit and read it",
        published,
    ),
    (
        b"scrypt\0",
        "a secret that is encrypted with a passphrase, such as a key; its owner is not shown",
        encrypted,
    ),
    (
        b"pad-view ",
        "a client's view: the key that it trusts, and the newest version seen",
        view,
    ),
    (
        b"padnodes",
        "the tree nodes of a store; keep them with the store",
        |_, _| Ok(()),
    ),
    (
        b"padheads",
        "the heads of all versions of a store; keep them with the store",
        |_, _| Ok(()),
    ),
];

fn read_beginning(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(Failure::at(path))?;
    let mut beginning = Vec::new();
    let read = file.take(most).read_to_end(&mut beginning);
    read.map(|_| beginning).map_err(Failure::at(path))
}

/// Identifies a file by its name, if its contents do not identify it.
fn by_its_name(path: &Path, length: u64) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let is_beside = |other: &str| path.with_file_name(other).is_file();
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    if ending == "lock" && length == 0 {
        return Some(
            "by its name a lock file, held while the file of the same name without its extension \
             changes",
        );
    }
    if ending == "tuples" && path.with_extension("").is_file() {
        return Some(
            "by its name the tuples of a store; keep them with the store, pad check verifies them",
        );
    }
    let is_level = name
        .strip_prefix("level-")
        .is_some_and(|level| level.parse::<u8>().is_ok());
    if (is_level && is_beside("log.redb")) || (name == "log.redb" && is_beside("level-0")) {
        return Some(
            "by its name a file of a block directory; pad directory status of its folder shows \
             more",
        );
    }
    None
}

/// Describes an encrypted key, as far as this is possible without its passphrase.
fn encrypted(path: &Path, rows: &mut Rows) -> Result {
    let failure = Failure::key_file(path);
    let file = SecretFile::read(path).map_err(failure)?;
    file.check_private().map_err(failure)?;
    rows.add("format", "format", "scrypt");
    #[cfg(feature = "passphrase")]
    if let Some(work) = file.work() {
        rows.add("trying a passphrase", "work", work.to_string());
        rows.add("takes bytes of memory", "memory_bytes", work.memory());
    }
    Ok(())
}

fn public(path: &Path, rows: &mut Rows) -> Result {
    add_public(&load_public(path)?, rows);
    Ok(())
}

fn secret(path: &Path, rows: &mut Rows) -> Result {
    let key = SecretKey::load(path).map_err(Failure::key_file(path))?;
    add_public(key.public(), rows);
    Ok(())
}

#[cfg(feature = "file")]
fn owner(path: &Path, rows: &mut Rows) -> Result {
    let key = FileOwnerKey::load(path).map_err(|error| unreadable(path, &error))?;
    rows.add("tags", "tags", key.kind().to_string());
    Ok(())
}

#[cfg(feature = "file")]
fn published(path: &Path, rows: &mut Rows) -> Result {
    let public = FilePublic::load(path).map_err(|error| unreadable(path, &error))?;
    let FilePublic { file, server } = public;
    rows.add("of the file", "file_id", file.since.file.to_string());
    rows.add("from version", "oldest", file.since.version);
    rows.add("tags", "tags", file.tags.kind().to_string());
    if !server.is_empty() {
        rows.both("server", "server", Output::show_text(&server), server);
    }
    rows.more("pad file audit, pad file read");
    Ok(())
}

#[cfg(feature = "file")]
fn unreadable(path: &Path, error: &FileOwnerKeyError) -> Failure {
    Failure::Input(format!("{}: {error}", path.display()))
}

fn add_public(public: &PublicKey, rows: &mut Rows) {
    rows.add("scheme", "scheme", public.scheme.name());
    rows.add("family", "family", public.scheme.family().to_string());
    rows.add_identity(public);
    rows.add("fingerprint", "fingerprint", public.fingerprint());
}

fn store(path: &Path, rows: &mut Rows) -> Result {
    let store = AnyStore::open(path)?;
    let public = key_of_store(&*store)?;
    add_public(&public, rows);
    let latest = store.latest()?;
    rows.add("latest version", "latest", latest.number());
    if let Some(name) = VersionNote::of(&*store, latest)?.and_then(|note| note.name) {
        rows.both("name", "name", Output::show_text(&name), name.as_str());
    }
    let pending = authdict::internals::pending::count(&*store)?;
    rows.add("pending", "pending_changes", pending);
    rows.more("pad status, pad versions");
    Ok(())
}

fn view(path: &Path, rows: &mut Rows) -> Result {
    let text = read_text(path, MAX_VIEW_BYTES)?;
    let view = StoredView::parse(&text)
        .map_err(|error| Failure::Store(format!("{}: {error}", path.display())))?;
    let key = if view.is_authenticated() {
        "given by a trusted source"
    } else {
        "taken from a store, and not authenticated"
    };
    rows.add("its key", "key_source", key);
    add_public(view.public(), rows);
    rows.add("seen up to version", "latest", view.version().number());
    Ok(())
}

/// Describes a register, a file that holds one value and is overwritten in place. The kind of
/// register is inferred from the value.
fn register(value: &[u8], rows: &mut Rows) {
    if let Ok((_, Some(head))) = authdict::internals::inspect::headline(value) {
        rows.is(
            "the record of the newest version that an author has handed out; keep it with the \
             secret key",
        );
        add_headline(&head, rows);
    } else {
        rows.is(
            "the last acknowledged state of a store, or the record of a key; keep it with the \
             file of the same name without its extension",
        );
    }
}

fn trace(path: &Path, rows: &mut Rows) -> Result {
    let failed = Failure::trace(path);
    let mut trace = match TraceReader::open(path) {
        Ok(trace) => trace,
        Err(authdict::trace::TraceError::Io(error)) if error.raw_os_error().is_some() => {
            return Err(Failure::file(path, &error));
        }
        Err(_) => {
            let path = path.display();
            let text = format!("{path}: this is no file that pad writes or imports");
            return Err(Failure::Input(text));
        }
    };
    let (mut snapshots, mut changes) = (0_u64, 0_u64);
    while trace.begin().map_err(failed)?.is_some() {
        snapshots = snapshots.saturating_add(1);
        while trace.change().map_err(failed)?.is_some() {
            changes = changes.saturating_add(1);
        }
    }
    rows.is("a trace of updates for pad import");
    rows.add("snapshots", "snapshots", snapshots);
    rows.add("changes", "changes", changes);
    Ok(())
}

const BEGINNING: u64 = 1 << 16;
/// Maximum number of bytes of a view, the file in which a client remembers a key and the newest
/// version seen.
const MAX_VIEW_BYTES: usize = 5 << 20;
