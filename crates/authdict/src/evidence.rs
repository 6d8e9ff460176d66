//! Evidence that an author's key has signed two histories, for verifiers that trust only the key.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use pad_core::{ForkEvidence, Version};
use pad_disk::Access;

use crate::{keys::PublicKey, question::Refusal, selection::with_suite};

/// Verifies evidence and returns the version for which the author's key has signed two histories.
///
/// `evidence` is a message: an [`Equivocation`](pad_core::Equivocation) or a
/// [`Contradiction`](pad_core::Contradiction).
///
/// # Errors
/// [`Refusal`] if `evidence` does not prove that this key has signed two histories.
pub fn check(public: &PublicKey, evidence: &[u8]) -> Result<Version, Refusal> {
    with_suite!(public.suite, S => {
        let evidence = ForkEvidence::<S>::decode(evidence, evidence.len())?;
        let forked = evidence.verify(&public.authority, &())?;
        Ok(forked.get().version)
    })
}

/// Writes evidence into a new file next to the file `base`, without overwriting other evidence.
///
/// The file's name is the name of `base` with `suffix`, followed by `-2`, `-3`, .. if the name is
/// taken. If an existing file contains the same evidence, no new file is written. At most `most`
/// files are created.
///
/// # Errors
/// [`io::Error`] of the operating system; [`io::ErrorKind::StorageFull`] if there are already
/// `most` such files.
#[doc(hidden)]
pub fn keep(base: &Path, suffix: &str, evidence: &[u8], most: u32) -> io::Result<PathBuf> {
    for number in 1..=most {
        let path = match number {
            1 => pad_disk::companion(base, suffix)?,
            number => pad_disk::companion(base, &format!("{suffix}-{number}"))?,
        };
        // The file is read first. `create` would write and fsync a draft before it detects that the
        // name is taken.
        match is_in(&path, evidence) {
            Ok(true) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match pad_disk::create(&path, evidence, Access::Usual) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    created => return created.map(|()| path),
                }
            }
            Ok(false) | Err(_) => {}
        }
    }
    let text = format!("there are {most} such files next to it already");
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

fn is_in(path: &Path, evidence: &[u8]) -> io::Result<bool> {
    let most = u64::try_from(evidence.len()).unwrap_or(u64::MAX);
    let mut found = Vec::new();
    let file = fs::File::open(path)?;
    file.take(most.saturating_add(1)).read_to_end(&mut found)?;
    Ok(found == evidence)
}

/// The maximum number of evidence files next to one file.
#[doc(hidden)]
pub const MOST_FILES: u32 = 1000;
