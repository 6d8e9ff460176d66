//! A small value that is overwritten in place, and never torn.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{Access, create, place::target};

/// A file that holds one small value: the newest that was written durably.
///
/// The file has two slots on two pages, which are written in turn, each with a number, a length and
/// a digest. What a crash or a failing page leaves of one slot is not taken for a value; the other
/// slot then has the value before.
///
/// ```text
/// slot: number (8, big-endian) | length (2) | value | zeros to 496 bytes | digest (16)
/// ```
///
/// The digest, the first half of SHA-256 over what stands before it, is against accidents.
#[derive(Debug)]
pub struct Register {
    file: File,
    path: PathBuf,
    number: u64,
    value: Vec<u8>,
}

/// A register cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Neither slot holds what was written.
    #[error("{} is damaged", .0.display())]
    Damaged(PathBuf),
    /// The value has more than [`Register::LONGEST`] bytes; its length.
    #[error("a value of {0} bytes is too long for its file")]
    TooLong(usize),
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Register {
    /// The longest value, in bytes.
    pub const LONGEST: usize = DIGEST_AT - 10;

    /// Makes a new register with a value, durably.
    ///
    /// # Errors
    /// [`RegisterError::Io`] with [`io::ErrorKind::AlreadyExists`] if there is something at the path;
    /// [`RegisterError::TooLong`].
    pub fn create(path: &Path, value: &[u8]) -> Result<Self, RegisterError> {
        let slot = slot(1, value)?;
        let mut contents = vec![0; BETWEEN];
        contents.extend_from_slice(&slot);
        create(path, &contents, Access::Usual)?;
        Self::open(path)
    }

    /// Opens the register at this path to be read and written.
    ///
    /// # Errors
    /// [`RegisterError::Damaged`]; [`RegisterError::Io`].
    pub fn open(path: &Path) -> Result<Self, RegisterError> {
        Self::with(path, OpenOptions::new().read(true).write(true))
    }

    /// The value of the register at this path, or `None` if there is no file.
    ///
    /// # Errors
    /// [`RegisterError::Damaged`]; [`RegisterError::Io`].
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

    /// The register as it is now: others may have written to it.
    ///
    /// # Errors
    /// [`RegisterError::Damaged`]; [`RegisterError::Io`].
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
        let newest = [parsed(&contents), parsed(second)]
            .into_iter()
            .flatten()
            .max();
        let (number, value) = newest.ok_or_else(|| RegisterError::Damaged(path.clone()))?;
        Ok(Self {
            file,
            path,
            number,
            value,
        })
    }

    /// The newest value.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// Where the register is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, to be locked.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Replaces the value, durably when this returns.
    ///
    /// # Errors
    /// [`RegisterError::TooLong`]; [`RegisterError::Io`], after which the file has this value or the
    /// one before.
    pub fn write(&mut self, value: &[u8]) -> Result<(), RegisterError> {
        let number = self.number.saturating_add(1);
        let slot = slot(number, value)?;
        let place = if number.is_multiple_of(2) { 0 } else { BETWEEN };
        let place = u64::try_from(place).unwrap_or_default();
        self.file.seek(SeekFrom::Start(place))?;
        self.file.write_all(&slot)?;
        self.file.sync_data()?;
        self.number = number;
        self.value = value.to_vec();
        Ok(())
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

/// The number and the value of a slot that is whole.
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
/// The slots are on different pages and sectors, of which a crash tears one at most.
const BETWEEN: usize = 4096;
const MOST_BYTES: u64 = 2 * 4096;

#[cfg(test)]
mod tests {
    use std::fs;

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
        assert!(
            matches!(refused, RegisterError::Io(error) if error.kind() == io::ErrorKind::AlreadyExists)
        );
    }

    #[test]
    fn a_damaged_slot_leaves_the_value_before_and_two_leave_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("register");
        let mut register = Register::create(&path, b"first").unwrap();
        register.write(b"second").unwrap();
        register.write(b"third").unwrap();
        let whole = fs::read(&path).unwrap();
        let slots = (0..DIGEST_AT + DIGEST).chain(BETWEEN..whole.len());
        for place in slots {
            let in_third = (BETWEEN..BETWEEN + DIGEST_AT + DIGEST).contains(&place);
            let mut damaged = whole.clone();
            damaged[place] ^= 4;
            fs::write(&path, damaged).unwrap();
            let expected: &[u8] = if in_third { b"second" } else { b"third" };
            assert_eq!(Register::read(&path).unwrap().unwrap(), expected, "{place}");
        }
        for length in (0..whole.len()).step_by(31) {
            fs::write(&path, &whole[..length]).unwrap();
            let read = Register::read(&path);
            if length < DIGEST_AT + DIGEST {
                assert!(matches!(read, Err(RegisterError::Damaged(_))), "{length}");
            } else {
                assert_eq!(read.unwrap().unwrap(), b"second", "{length}");
            }
        }
    }

    #[test]
    fn a_crash_while_a_slot_is_written_costs_that_value_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("register");
        let mut register = Register::create(&path, b"first").unwrap();
        register.write(b"second").unwrap();
        let before = fs::read(&path).unwrap();
        register.write(b"third").unwrap();
        let after = fs::read(&path).unwrap();
        for written in BETWEEN..=before.len() {
            let torn = [&after[..written], &before[written..]].concat();
            fs::write(&path, torn).unwrap();
            let value = Register::read(&path).unwrap().unwrap();
            let complete = written == before.len() || after[written..] == before[written..];
            let expected: &[u8] = if complete { b"third" } else { b"second" };
            assert_eq!(value, expected);
        }
    }
}
