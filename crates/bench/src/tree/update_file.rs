//! File of updates. The author's process writes it, and each server's process reads it piece by
//! piece.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Write},
    marker::PhantomData,
    path::Path,
};

use pad_core::{Suite, Update, codec, internals::Attachment};

use crate::Outcome;

/// Writer of a file of encoded updates, each after its length.
#[derive(Debug)]
pub struct UpdateWriter(BufWriter<File>);

impl UpdateWriter {
    /// Creates an empty file of updates.
    pub fn create(path: &Path) -> Outcome<Self> {
        Ok(Self(BufWriter::new(File::create(path)?)))
    }

    /// Appends an update to the file, and returns the bytes of its encoding.
    pub fn append<S: Suite, A: Attachment>(&mut self, update: &Update<S, A>) -> Outcome<usize> {
        let bytes = codec::encode(update);
        self.0
            .write_all(&u32::try_from(bytes.len())?.to_le_bytes())?;
        self.0.write_all(&bytes)?;
        Ok(bytes.len())
    }

    /// Writes buffered updates to the file.
    pub fn finish(mut self) -> Outcome<()> {
        Ok(self.0.flush()?)
    }
}

/// Reader of a file that an [`UpdateWriter`] wrote.
#[derive(Debug)]
pub struct UpdateReader<S> {
    file: BufReader<File>,
    suite: PhantomData<S>,
}

impl<S: Suite> UpdateReader<S> {
    /// Opens a file of updates, at its first update.
    pub fn open(path: &Path) -> Outcome<Self> {
        Ok(Self {
            file: BufReader::new(File::open(path)?),
            suite: PhantomData,
        })
    }

    /// Reads the next updates, at most `updates` of them. Returns an empty list at the end of the
    /// file.
    pub fn take(&mut self, updates: usize) -> Outcome<Vec<Update<S>>> {
        let mut taken = Vec::with_capacity(updates);
        let mut bytes = Vec::new();
        while taken.len() < updates {
            let mut length = [0; 4];
            match self.file.read_exact(&mut length) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                read => read?,
            }
            bytes.resize(usize::try_from(u32::from_le_bytes(length))?, 0);
            self.file.read_exact(&mut bytes)?;
            taken.push(codec::decode(&bytes, bytes.len())?);
        }
        Ok(taken)
    }
}
