//! Digests of objects, computed from files or read as lines of hexadecimal digits.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    iter,
    path::{Path, PathBuf},
};

use authdict::pad_core::internals::DigestBytes as _;
use pad_core::Suite;

use crate::cli::{
    Failure, Result,
    files::{open_input, read_all},
};

/// Computes the digest of the object in a file, like the digest of a dictionary's value.
pub(super) fn digest_of_file<S: Suite>(path: &Path) -> Result<S::Digest> {
    Ok(S::value(&read_all(path)?))
}

fn parse_digest<S: Suite>(text: &str) -> Result<S::Digest, String> {
    let bytes = hex::decode(text).map_err(|error| error.to_string())?;
    let digest = S::Digest::from_slice(&bytes)
        .ok_or_else(|| format!("a digest has {} hexadecimal digits", 2 * S::Digest::LENGTH))?;
    if digest == S::Digest::default() {
        return Err("the digest of zero bytes is reserved for deleted entries".into());
    }
    Ok(digest)
}

pub(super) fn given_digest<S: Suite>(digits: &str) -> Result<S::Digest> {
    parse_digest::<S>(digits).map_err(|error| Failure::Input(format!("--digest: {error}")))
}

/// An object to register: its digest and its file. `file` is `None` if only the digest was given.
pub(super) struct Object<S: Suite> {
    pub(super) digest: S::Digest,
    pub(super) file: Option<PathBuf>,
}

/// An iterator over objects to register. An item is an error if an object could not be read.
pub(super) type Objects<S> = Box<dyn Iterator<Item = Result<Object<S>>>>;

/// Returns the objects whose digests are the lines of the file `digests` or, without it, those in
/// `files`.
pub(super) fn objects<S: Suite>(digests: Option<&Path>, files: Vec<PathBuf>) -> Result<Objects<S>> {
    let Some(path) = digests else {
        return Ok(Box::new(files.into_iter().map(|path| -> Result<_> {
            let digest = digest_of_file::<S>(&path)?;
            let file = Some(path);
            Ok(Object { digest, file })
        })));
    };
    let mut lines = BufReader::with_capacity(1 << 16, open_input(path)?);
    let (path, mut number) = (path.to_owned(), 0_u64);
    Ok(Box::new(iter::from_fn(move || {
        let mut line = String::new();
        // The limit bounds the memory for an endless line.
        let digest = match lines.by_ref().take(LONGEST_LINE).read_line(&mut line) {
            Ok(0) => return None,
            Ok(_) => {
                number += 1;
                parse_digest::<S>(line.trim())
            }
            Err(error) => Err(error.to_string()),
        };
        Some(match digest {
            Ok(digest) => Ok(Object { digest, file: None }),
            Err(error) => {
                let (path, number) = (path.display(), number.max(1));
                let text = format!("digests {path}: line {number}: {error}");
                Err(Failure::Input(text))
            }
        })
    })))
}

/// Returns the regular files among `paths`, and those in folders among `paths` and in their
/// subfolders. The contents of a folder are in the order of their names. Links inside folders are
/// skipped.
pub(super) fn files_under(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for given in paths {
        let found = given.metadata().map_err(Failure::at(given))?;
        if found.is_dir() {
            add_files_in(given, &mut files)?;
        } else if found.is_file() {
            files.push(given.clone());
        } else {
            return Err(Failure::not_plain(given));
        }
    }
    Ok(files)
}

/// Adds all files in `folder` and its subfolders to `files`.
fn add_files_in(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        // Links are not followed, except if the given folder itself is a link.
        let found = path.symlink_metadata().map_err(Failure::at(&path))?;
        if path == folder || found.is_dir() {
            let inside = fs::read_dir(&path).map_err(Failure::at(&path))?;
            let inside = inside.map(|entry| entry.map(|entry| entry.path()));
            let inside = inside.collect::<io::Result<Vec<_>>>();
            let mut inside = inside.map_err(Failure::at(&path))?;
            inside.sort_unstable_by(|path, other| other.cmp(path));
            waiting.extend(inside);
        } else if found.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

const LONGEST_LINE: u64 = 1024;
