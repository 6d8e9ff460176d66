//! Evidence that an author's key has signed two histories, for whoever trusts the key and nothing else.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use disk::Access;
use pad_core::{Version, contradiction::ForkEvidence};

use crate::{keys::PublicKey, question::Refusal, selection::with_suite};

/// The version about which the author's key has signed two different things.
///
/// `evidence` is a message: an [`Equivocation`](pad_core::Equivocation) or a
/// [`Contradiction`](pad_core::Contradiction).
///
/// # Errors
/// [`Refusal`]: it proves nothing against this key.
pub fn check(public: &PublicKey, evidence: &[u8]) -> Result<Version, Refusal> {
    with_suite!(public.suite, S => {
        let evidence = ForkEvidence::<S>::decode(evidence, evidence.len())?;
        let forked = evidence.verify(&public.authority, &())?;
        Ok(forked.get().version)
    })
}

/// Writes evidence into a file beside another, never over other evidence: with this suffix, or a number after it. The
/// same evidence is written once.
///
/// # Errors
/// The operating system's; [`io::ErrorKind::StorageFull`] if there are a thousand such files already.
pub fn keep(beside: &Path, suffix: &str, evidence: &[u8]) -> io::Result<PathBuf> {
    for number in 1..=MOST_FILES {
        let path = match number {
            1 => disk::beside(beside, suffix)?,
            number => disk::beside(beside, &format!("{suffix}-{number}"))?,
        };
        match disk::create(&path, evidence, Access::Usual) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if is_in(&path, evidence).unwrap_or(false) {
                    return Ok(path);
                }
            }
            Err(error) => return Err(error),
        }
    }
    let text = format!("there are {MOST_FILES} files of evidence beside it already");
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

fn is_in(path: &Path, evidence: &[u8]) -> io::Result<bool> {
    let most = u64::try_from(evidence.len()).unwrap_or(u64::MAX);
    let mut found = Vec::new();
    let file = fs::File::open(path)?;
    file.take(most.saturating_add(1)).read_to_end(&mut found)?;
    Ok(found == evidence)
}

const MOST_FILES: u32 = 1000;
