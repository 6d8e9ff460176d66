//! A small value that is overwritten in place without tearing.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{Access, create, place::target};

/// A file that stores one small value durably.
///
/// The file has two slots on two pages, each with a number, a length and a digest. A write updates
/// one slot and then the other, with an fsync after each. If both slots were valid, a crash leaves
/// the previous value or the new one. After a completed write, one damaged page or a truncated
/// second slot does not lose the value. The value is lost only if both slots are damaged.
///
/// ```text
/// slot: number (8, big-endian) | length (2) | value | zeros to 496 bytes | digest (16)
/// ```
///
/// The digest is the first half of SHA-256 over the preceding bytes. It detects accidental damage.
#[derive(Debug)]
pub struct Register {
    file: File,
    path: PathBuf,
    number: u64,
    value: Vec<u8>,
    /// Offset of the slot that the next write updates first.
    next: usize,
}

/// Error returned when a register cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Neither slot has a valid digest.
    #[error("{} is damaged", .0.display())]
    Damaged(PathBuf),
    /// The value is longer than [`Register::LONGEST`]. Contains its length in bytes.
    #[error("a value of {0} bytes is too long for its file")]
    TooLong(usize),
    /// An I/O error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Register {
    /// Maximum length of a value in bytes.
    pub const LONGEST: usize = DIGEST_AT - 10;

    /// Creates a new register with `value`, durable when this returns.
    ///
    /// # Errors
    /// [`RegisterError::Io`], with [`io::ErrorKind::AlreadyExists`] if `path` exists.
    /// [`RegisterError::TooLong`] if `value` is longer than [`Register::LONGEST`].
    pub fn create(path: &Path, value: &[u8]) -> Result<Self, RegisterError> {
        let slot = slot(1, value)?;
        let mut contents = slot.clone();
        contents.resize(BETWEEN, 0);
        contents.extend_from_slice(&slot);
        create(path, &contents, Access::Usual)?;
        Self::open(path)
    }

    /// Opens the register at `path` for reading and writing.
    ///
    /// # Errors
    /// [`RegisterError::Damaged`] if neither slot is valid; [`RegisterError::Io`] if the file
    /// cannot be read.
    pub fn open(path: &Path) -> Result<Self, RegisterError> {
        Self::with(path, OpenOptions::new().read(true).write(true))
    }

    /// Reads the value of the register at `path`. Returns `None` if there is no file.
    ///
    /// # Errors
    /// [`RegisterError::Damaged`] if neither slot is valid; [`RegisterError::Io`] if the file
    /// cannot be read.
    pub fn read(path: &Path) -> Result<Option<Vec<u8>>, RegisterError> {
        match Self::with(path, OpenOptions::new().read(true)) {
            Ok(register) => Ok(Some(register.value)),
            Err(RegisterError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn with(path: &Path, options: &OpenOptions) -> Result<Self, RegisterError> {
        let path = target(path)?;
        let file = options.open(&path)?;
        Self::load(file, path)
    }

    /// Reloads the register from its file, which other processes may have written.
    ///
    /// # Errors
    /// [`RegisterError::Damaged`] if neither slot is valid; [`RegisterError::Io`] if the file
    /// cannot be read.
    pub fn reopened(self) -> Result<Self, RegisterError> {
        Self::load(self.file, self.path)
    }

    fn load(mut file: File, path: PathBuf) -> Result<Self, RegisterError> {
        file.rewind()?;
        let mut contents = Vec::new();
        Read::by_ref(&mut file)
            .take(MOST_BYTES)
            .read_to_end(&mut contents)?;
        let second = contents.get(BETWEEN..).unwrap_or_default();
        let (first, second) = (parsed(&contents), parsed(second));
        // The slot with the newest value is overwritten last.
        let next = if first <= second { 0 } else { BETWEEN };
        let newest = first.max(second);
        let (number, value) = newest.ok_or_else(|| RegisterError::Damaged(path.clone()))?;
        Ok(Self {
            file,
            path,
            number,
            value,
            next,
        })
    }

    /// The newest value.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// Path of the register's file, with symbolic links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file, for locking.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Replaces the value, durable when this returns.
    ///
    /// # Errors
    /// [`RegisterError::TooLong`] if `value` is longer than [`Register::LONGEST`].
    /// [`RegisterError::Io`], after which the file contains the new or the previous value.
    pub fn write(&mut self, value: &[u8]) -> Result<(), RegisterError> {
        let number = self.number.saturating_add(1);
        let slot = slot(number, value)?;
        let [first, second] = match self.next {
            0 => [0, BETWEEN],
            _ => [BETWEEN, 0],
        };
        for (place, other) in [(first, second), (second, first)] {
            let start = u64::try_from(place).unwrap_or_default();
            self.file.seek(SeekFrom::Start(start))?;
            self.file.write_all(&slot)?;
            self.file.sync_data()?;
            // If the other slot cannot be written, the next write starts with it again.
            self.next = other;
            self.number = number;
        }
        self.value = value.to_vec();
        Ok(())
    }

    /// Writes the value again, durable in both slots when this returns.
    ///
    /// A value that was read may be in one slot only, and may not be on the disk yet: its writer
    /// may have been killed between its two fsyncs, or before them. Call this before anything is
    /// based on the value.
    ///
    /// # Errors
    /// [`RegisterError::Io`], as for [`Register::write`].
    pub fn restore(&mut self) -> Result<(), RegisterError> {
        let value = core::mem::take(&mut self.value);
        let written = self.write(&value);
        self.value = value;
        written
    }
}

fn slot(number: u64, value: &[u8]) -> Result<Vec<u8>, RegisterError> {
    let too_long = RegisterError::TooLong(value.len());
    let Some(length) = u16::try_from(value.len())
        .ok()
        .filter(|_| value.len() <= Register::LONGEST)
    else {
        return Err(too_long);
    };
    let mut slot = Vec::with_capacity(DIGEST_AT + DIGEST);
    slot.extend_from_slice(&number.to_be_bytes());
    slot.extend_from_slice(&length.to_be_bytes());
    slot.extend_from_slice(value);
    slot.resize(DIGEST_AT, 0);
    let digest = digest(&slot);
    slot.extend_from_slice(&digest);
    Ok(slot)
}

/// Parses a slot into its number and value. Returns `None` if its digest is wrong.
fn parsed(bytes: &[u8]) -> Option<(u64, Vec<u8>)> {
    let (body, rest) = bytes.split_at_checked(DIGEST_AT)?;
    if rest.get(..DIGEST)? != digest(body) {
        return None;
    }
    let (number, rest) = body.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let value = rest.get(..usize::from(u16::from_be_bytes(*length)))?;
    Some((u64::from_be_bytes(*number), value.to_vec()))
}

fn digest(body: &[u8]) -> [u8; DIGEST] {
    let whole: [u8; 32] = Sha256::digest(body).into();
    let mut half = [0; DIGEST];
    half.iter_mut().zip(whole).for_each(|(to, from)| *to = from);
    half
}

const DIGEST: usize = 16;
const DIGEST_AT: usize = 496;
/// Offset of the second slot. The slots share no page or sector, so a crash tears at most one.
const BETWEEN: usize = 4096;
const MOST_BYTES: u64 = 2 * 4096;

#[cfg(test)]
mod tests {
    use std::fs;

    use pad_conformance::soak;

    use super::*;

    #[test]
    fn the_newest_value_is_read_back_whatever_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("register");
        assert_eq!(Register::read(&path).unwrap(), None);
        let mut register = Register::create(&path, b"").unwrap();
        assert_eq!(Register::read(&path).unwrap().unwrap(), b"");
        for length in [1, 7, 0, 300, Register::LONGEST] {
            let value = vec![7; length];
            register.write(&value).unwrap();
            assert_eq!(register.value(), value);
            assert_eq!(Register::read(&path).unwrap().unwrap(), value);
            register = Register::open(&path).unwrap();
        }
        let refused = register.write(&[0; Register::LONGEST + 1]).unwrap_err();
        assert!(matches!(refused, RegisterError::TooLong(487)));
        let refused = Register::create(&path, b"").unwrap_err();
        let expected = io::ErrorKind::AlreadyExists;
        assert!(matches!(refused, RegisterError::Io(error) if error.kind() == expected));
    }

    #[test]
    fn one_damaged_slot_costs_nothing_and_two_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("register");
        let mut register = Register::create(&path, b"first").unwrap();
        for value in [b"second", b"third!"] {
            let whole = fs::read(&path).unwrap();
            let newest = register.value().to_vec();
            let slots = (0..DIGEST_AT + DIGEST).chain(BETWEEN..whole.len());
            for place in slots.step_by(soak::size(9, 1)) {
                let mut damaged = whole.clone();
                damaged[place] ^= 4;
                fs::write(&path, damaged).unwrap();
                assert_eq!(Register::read(&path).unwrap().unwrap(), newest, "{place}");
            }
            for length in (0..whole.len()).step_by(31) {
                fs::write(&path, &whole[..length]).unwrap();
                let read = Register::read(&path);
                if length < DIGEST_AT + DIGEST {
                    assert!(matches!(read, Err(RegisterError::Damaged(_))), "{length}");
                } else {
                    assert_eq!(read.unwrap().unwrap(), newest, "{length}");
                }
            }
            let mut damaged = whole.clone();
            damaged[3] ^= 1;
            damaged[BETWEEN + 3] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert!(matches!(
                Register::read(&path),
                Err(RegisterError::Damaged(_))
            ));
            fs::write(&path, whole).unwrap();
            register = Register::open(&path).unwrap();
            register.write(value).unwrap();
        }
    }

    /// Returns a folder with a register, and its contents with a first and a second value.
    fn two_values() -> (tempfile::TempDir, [Vec<u8>; 2]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("register");
        let mut register = Register::create(&path, b"first").unwrap();
        let older = fs::read(&path).unwrap();
        register.write(b"second").unwrap();
        let newer = fs::read(&path).unwrap();
        (folder, [older, newer])
    }

    #[test]
    fn the_only_valid_slot_is_overwritten_last() {
        let (folder, [older, newer]) = two_values();
        let path = folder.path().join("register");
        let mut torn = newer.clone();
        torn[9] ^= 1;
        torn[BETWEEN + 9] ^= 1;
        // Slots after a crash or a failed write, and the slot to write first.
        for (first, second, next) in [
            (&newer, &newer, 0),
            (&newer, &older, BETWEEN),
            (&newer, &torn, BETWEEN),
            (&older, &newer, 0),
            (&torn, &newer, 0),
        ] {
            let contents = [&first[..BETWEEN], &second[BETWEEN..]].concat();
            fs::write(&path, contents).unwrap();
            let mut register = Register::open(&path).unwrap();
            assert_eq!((register.value(), register.next), (&b"second"[..], next));
            register.write(b"third").unwrap();
            assert_eq!(Register::read(&path).unwrap().unwrap(), b"third");
        }
    }

    #[test]
    fn a_restored_value_is_in_both_slots() {
        let (folder, [older, newer]) = two_values();
        let path = folder.path().join("register");
        for (first, second) in [(&newer, &older), (&older, &newer)] {
            fs::write(&path, [&first[..BETWEEN], &second[BETWEEN..]].concat()).unwrap();
            let mut register = Register::open(&path).unwrap();
            register.restore().unwrap();
            assert_eq!(register.value(), b"second");
            let restored = fs::read(&path).unwrap();
            for slot in [0, BETWEEN] {
                let mut damaged = restored.clone();
                damaged[slot + 9] ^= 1;
                fs::write(&path, damaged).unwrap();
                assert_eq!(Register::read(&path).unwrap().unwrap(), b"second");
            }
        }
    }

    #[test]
    fn a_crash_leaves_the_value_before_or_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("register");
        let mut register = Register::create(&path, b"first").unwrap();
        register.write(b"second").unwrap();
        let before = fs::read(&path).unwrap();
        register.write(b"third").unwrap();
        let after = fs::read(&path).unwrap();
        let every = soak::size(31, 1);
        let ends = [0, DIGEST_AT, DIGEST_AT + DIGEST, BETWEEN, before.len()];
        let is_near = |written: usize| ends.iter().any(|end| written.abs_diff(*end) <= 1);
        let all = 0..=before.len();
        for written in all.filter(|written| written.is_multiple_of(every) || is_near(*written)) {
            let torn = [&after[..written], &before[written..]].concat();
            fs::write(&path, torn).unwrap();
            let value = Register::read(&path).unwrap().unwrap();
            let first_is_new = written >= DIGEST_AT + DIGEST;
            let expected: &[u8] = if first_is_new { b"third" } else { b"second" };
            assert_eq!(value, expected, "{written}");
        }
    }
}
