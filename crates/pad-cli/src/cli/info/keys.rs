//! Keys, and what an owner publishes of an outsourced file.

use std::path::Path;

use pad::{PublicKey, SecretKey};

#[cfg(feature = "file")]
use crate::cli::Output;
use crate::cli::{Failure, status::Rows};

/// Says what a file is that begins as a key does; `None` if it does not.
pub(super) fn describe(
    path: &Path,
    beginning: &[u8],
    rows: &mut Rows,
) -> Option<Result<(), Failure>> {
    let begins = |with: &[u8]| beginning.starts_with(with);
    Some(if begins(b"pad-public-key ") {
        public(path, rows)
    } else if begins(b"pad-secret-key ") {
        secret(path, rows)
    } else if begins(b"pad-file-key ") {
        of_owner(path, rows)
    } else if begins(b"pad-file-public ") {
        of_file(path, rows)
    } else {
        return None;
    })
}

fn public(path: &Path, rows: &mut Rows) -> Result<(), Failure> {
    let public = PublicKey::load(path).map_err(|error| Failure::key_file(path, &error))?;
    let is = "a public key: what everybody needs who verifies";
    rows.add("is", "is", is);
    add_public(&public, rows);
    Ok(())
}

fn secret(path: &Path, rows: &mut Rows) -> Result<(), Failure> {
    let is = "a secret key: who has it publishes versions; keep it";
    rows.add("is", "is", is);
    let key = SecretKey::load(path).map_err(|error| Failure::key_file(path, &error))?;
    add_public(key.public(), rows);
    Ok(())
}

#[cfg_attr(
    not(feature = "file"),
    allow(
        clippy::unnecessary_wraps,
        reason = "without outsourced files there is nothing to read"
    )
)]
fn of_owner(path: &Path, rows: &mut Rows) -> Result<(), Failure> {
    let is = "the secret key of an owner of outsourced files; keep it";
    rows.add("is", "is", is);
    #[cfg(feature = "file")]
    {
        let key = pad::FileOwnerKey::load(path).map_err(|error| unreadable(path, &error))?;
        rows.add("tags", "tags", key.kind().to_string());
    }
    #[cfg(not(feature = "file"))]
    let _ = path;
    Ok(())
}

#[cfg_attr(
    not(feature = "file"),
    allow(
        clippy::unnecessary_wraps,
        reason = "without outsourced files there is nothing to read"
    )
)]
fn of_file(path: &Path, rows: &mut Rows) -> Result<(), Failure> {
    let is =
        "what an owner publishes of an outsourced file: whoever has it audits and reads the file";
    rows.add("is", "is", is);
    #[cfg(feature = "file")]
    {
        let public = pad::FilePublic::load(path).map_err(|error| unreadable(path, &error))?;
        let pad::FilePublic { file, server } = public;
        rows.add("of the file", "of_file", file.since.file.to_string());
        rows.add("from version", "since", file.since.version);
        rows.add("tags", "tags", file.tags.kind().to_string());
        if !server.is_empty() {
            rows.both("server", "server", Output::show_text(&server), server);
        }
    }
    #[cfg(not(feature = "file"))]
    let _ = path;
    rows.add("for more", "for_more", "pad file audit, pad file read");
    Ok(())
}

#[cfg(feature = "file")]
fn unreadable(path: &Path, error: &pad::FileOwnerKeyError) -> Failure {
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
