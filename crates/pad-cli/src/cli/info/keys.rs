//! Descriptions of keys, and of published data of outsourced files.

use std::path::Path;

use authdict::{PublicKey, SecretKey};

#[cfg(feature = "file")]
use crate::cli::Output;
use crate::cli::{Failure, Result, status::Rows};

/// Adds rows that describe the key file or published data at `path`. Returns `None` if the first
/// bytes, `beginning`, are of another kind of file.
pub(super) fn describe(path: &Path, beginning: &[u8], rows: &mut Rows) -> Option<Result> {
    let (_, is, more) = KINDS
        .iter()
        .find(|(with, ..)| beginning.starts_with(with))?;
    rows.is(is);
    Some(more(path, rows))
}

type Describe = fn(&Path, &mut Rows) -> Result;

/// Kinds of files: the first bytes, a description, and the function that adds details.
const KINDS: &[(&[u8], &str, Describe)] = &[
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
];

fn public(path: &Path, rows: &mut Rows) -> Result {
    let public = PublicKey::load(path).map_err(|error| Failure::key_file(path, &error))?;
    add_public(&public, rows);
    Ok(())
}

fn secret(path: &Path, rows: &mut Rows) -> Result {
    let key = SecretKey::load(path).map_err(|error| Failure::key_file(path, &error))?;
    add_public(key.public(), rows);
    Ok(())
}

#[cfg(feature = "file")]
fn owner(path: &Path, rows: &mut Rows) -> Result {
    let key =
        authdict::internals::FileOwnerKey::load(path).map_err(|error| unreadable(path, &error))?;
    rows.add("tags", "tags", key.kind().to_string());
    Ok(())
}

#[cfg(feature = "file")]
fn published(path: &Path, rows: &mut Rows) -> Result {
    let public =
        authdict::internals::FilePublic::load(path).map_err(|error| unreadable(path, &error))?;
    let authdict::internals::FilePublic { file, server } = public;
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
fn unreadable(path: &Path, error: &authdict::internals::FileOwnerKeyError) -> Failure {
    Failure::Input(format!("{}: {error}", path.display()))
}

pub(super) fn add_public(public: &PublicKey, rows: &mut Rows) {
    rows.add("scheme", "scheme", public.scheme.name());
    rows.add("family", "family", public.scheme.family().to_string());
    rows.add("suite", "suite", public.suite.name());
    let authority = &public.authority;
    rows.add("dictionary", "dictionary", authority.dictionary.to_string());
    rows.add("author", "author", authority.author.to_string());
    rows.add("fingerprint", "fingerprint", public.fingerprint());
}
