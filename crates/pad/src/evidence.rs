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
/// same evidence is written once. At most so many files are made.
///
/// # Errors
/// The operating system's; [`io::ErrorKind::StorageFull`] if there are as many such files already.
pub fn keep(beside: &Path, suffix: &str, evidence: &[u8], most: u32) -> io::Result<PathBuf> {
    for number in 1..=most {
        let path = match number {
            1 => disk::beside(beside, suffix)?,
            number => disk::beside(beside, &format!("{suffix}-{number}"))?,
        };
        // Looked at first: what is created is made durable before it turns out that the name is taken.
        match is_in(&path, evidence) {
            Ok(true) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match disk::create(&path, evidence, Access::Usual) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    created => return created.map(|()| path),
                }
            }
            Ok(false) | Err(_) => {}
        }
    }
    let text = format!("there are {most} such files beside it already");
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

fn is_in(path: &Path, evidence: &[u8]) -> io::Result<bool> {
    let most = u64::try_from(evidence.len()).unwrap_or(u64::MAX);
    let mut found = Vec::new();
    let file = fs::File::open(path)?;
    file.take(most.saturating_add(1)).read_to_end(&mut found)?;
    Ok(found == evidence)
}

/// The files of evidence that are kept beside another.
pub const MOST_FILES: u32 = 1000;
